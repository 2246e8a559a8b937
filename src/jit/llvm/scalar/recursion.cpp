// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive functions. All functions of an SCC of the call graph become one function with a loop. A
// round of it is the code between two calls or returns: from the beginning of a function or from
// behind a call, as a number says. So threads at different depths that have come to the same place
// reconverge.
//
// A call has a frame in the thread's local memory, from heddle.activation() on: the function's
// variables; the number of the place to return to; and, while another call is under way, the values
// that are wanted behind it.
#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/Reg2Mem.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "jit/llvm/analyses.h"
#include "jit/llvm/analysis/fixed_point.h"
#include "jit/llvm/scalar/local_memory.h"

namespace heddle::jit {
namespace {

using Block = llvm::BasicBlock;

constexpr u64 kFrameAlign = 16;  ///< the least
constexpr u64 kNumberBytes = 8;  ///< of the return number and padding behind it
constexpr u64 kWord = 4;

/// The alignment of frames.
u64 frame_align(const RecursiveFunctions& all) {
  u64 align = kFrameAlign;
  for (const auto& [function, recursive] : all) align = std::max(align, recursive.align);
  return align;
}

u64 align_up(u64 bytes, u64 align) { return (bytes + align - 1) / align * align; }

/// The bytes that a piece of a saved value takes in a frame. Values are saved in pieces of eight
/// bytes, and the rest in pieces of four, two and one.
u64 kept_bytes(u64 piece) { return std::max(piece, kWord); }
u64 piece_of(u64 left) { return std::min(std::bit_floor(left), 2 * kWord); }

/// A call within the SCC: the values that are live behind it, and their places in the frame.
struct Call {
  llvm::CallInst* inst = nullptr;
  std::vector<std::pair<llvm::Value*, u64>> kept;  ///< variables or places, and their offsets
  u64 frame_bytes = 0;
};

/// One function of the SCC, as it was lowered.
class Member {
 public:
  Member(llvm::Function& function, const Recursive& recursive, const RecursiveFunctions& all)
      : function_(function),
        recursive_(recursive),
        all_(all),
        layout_(function.getParent()->getDataLayout()) {}

  std::string run(Analyses& analyses);
  llvm::Function& function() const { return function_; }
  /// Bytes of its local memory and of the return number.
  u64 least_frame() const { return align_up(recursive_.local_bytes, kNumberBytes) + kNumberBytes; }
  const Recursive& recursive() const { return recursive_; }
  const std::vector<Call>& calls() const { return calls_; }
  /// The largest of its frames: during its calls, and without one.
  u64 largest_frame() const;
  /// Bytes of a variable, or of a place that a parameter points to.
  u64 size_of(const llvm::Value* variable) const;

 private:
  int variable(const llvm::Value* pointer) const;
  int whole(const llvm::Value* pointer, u64 bytes) const;
  std::vector<llvm::CallInst*> find_calls() const;
  void make_again_where_used();
  std::string find_variables();
  void go_back(const llvm::Instruction& inst, llvm::BitVector& live) const;
  void find_kept();

  llvm::Function& function_;
  const Recursive& recursive_;
  const RecursiveFunctions& all_;
  const llvm::DataLayout& layout_;
  llvm::MapVector<const llvm::Value*, int> variables_;
  std::vector<Call> calls_;
};

u64 Member::size_of(const llvm::Value* variable) const {
  if (const auto* place = llvm::dyn_cast<llvm::Argument>(variable))
    return recursive_.sizes[place->getArgNo()];
  return llvm::cast<llvm::AllocaInst>(variable)->getAllocationSize(layout_)->getFixedValue();
}

u64 Member::largest_frame() const {
  u64 most = align_up(least_frame(), frame_align(all_));
  for (const Call& call : calls_) most = std::max(most, call.frame_bytes);
  return most;
}

/// The number of the place that the pointer is into; -1: none.
int Member::variable(const llvm::Value* pointer) const {
  const auto found = variables_.find(llvm::getUnderlyingObject(pointer, 0));
  return found == variables_.end() ? -1 : found->second;
}

/// The same, if so many bytes from there are the whole place.
int Member::whole(const llvm::Value* pointer, u64 bytes) const {
  const int number = variable(pointer);
  if (number < 0) return -1;
  const auto* base = std::next(variables_.begin(), number)->first;
  return pointer->stripPointerCasts() == base && bytes >= size_of(base) ? number : -1;
}

/// Calls of recursive functions.
std::vector<llvm::CallInst*> Member::find_calls() const {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& inst : llvm::instructions(function_)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
    if (call && all_.count(call->getCalledFunction())) calls.push_back(call);
  }
  return calls;
}

/// Values that cost nothing are recomputed: pointers to variables, and the frame's address.
void Member::make_again_where_used() {
  bool more = true;
  while (more) {
    more = false;
    for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function_))) {
      const bool place = llvm::isa<llvm::GetElementPtrInst>(inst);
      const MachineOp op = machine_op(inst);
      if (!place && op != MachineOp::activation && op != MachineOp::stack && op != MachineOp::local)
        continue;
      for (llvm::Use& use : llvm::make_early_inc_range(inst.uses())) {
        auto* user = llvm::cast<llvm::Instruction>(use.getUser());
        if (user->getParent() == inst.getParent() || llvm::isa<llvm::PHINode>(user)) continue;
        llvm::Instruction* copy = inst.clone();
        copy->insertBefore(user);
        use.set(copy);
        more = true;
      }
      if (inst.use_empty()) inst.eraseFromParent();
    }
  }
}

/// All places that calls, loads and stores may name.
std::string Member::find_variables() {
  const auto add = [&](const llvm::Value* one) {
    variables_.insert({one, static_cast<int>(variables_.size())});
  };
  for (const llvm::Argument& place : function_.args()) add(&place);
  for (const llvm::Instruction& inst : llvm::instructions(function_)) {
    if (llvm::isa<llvm::AllocaInst>(inst)) add(&inst);
  }
  for (const llvm::Instruction& inst : llvm::instructions(function_)) {
    if (llvm::isa<llvm::LoadInst, llvm::GetElementPtrInst, llvm::MemIntrinsic>(inst)) continue;
    if (inst.isLifetimeStartOrEnd()) continue;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
      if (variable(store->getValueOperand()) < 0) continue;
    } else if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
               call && all_.count(call->getCalledFunction())) {
      continue;
    } else if (llvm::none_of(inst.operand_values(), [&](const llvm::Value* one) {
                 return one->getType()->isPointerTy() && variable(one) >= 0;
               })) {
      continue;
    }
    return "a pointer to a variable of a function that calls itself";
  }
  return {};
}

/// Transfer function of liveness, backwards over the instruction.
void Member::go_back(const llvm::Instruction& inst, llvm::BitVector& live) const {
  const auto wants = [&](const llvm::Value* pointer) {
    if (const int number = variable(pointer); number >= 0) live.set(static_cast<unsigned>(number));
  };
  const auto writes = [&](const llvm::Value* pointer, u64 bytes) {
    if (const int number = whole(pointer, bytes); number >= 0)
      live.reset(static_cast<unsigned>(number));
  };
  const auto length = [](const llvm::MemIntrinsic& one) {
    const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(one.getLength());
    return bytes ? bytes->getZExtValue() : 0;
  };
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
    wants(load->getPointerOperand());
  } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
    writes(store->getPointerOperand(),
           layout_.getTypeStoreSize(store->getValueOperand()->getType()));
  } else if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&inst)) {
    writes(copy->getDest(), length(*copy));
    if (const auto* from = llvm::dyn_cast<llvm::MemTransferInst>(copy)) wants(from->getSource());
  } else if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst)) {
    const auto callee = all_.find(call->getCalledFunction());
    if (callee == all_.end()) return;
    for (unsigned i = 0; i < callee->second.sizes.size(); ++i) {
      if (i < callee->second.returns)
        writes(call->getArgOperand(i), callee->second.sizes[i]);
      else
        wants(call->getArgOperand(i));
    }
  } else if (llvm::isa<llvm::ReturnInst>(inst)) {
    for (unsigned i = 0; i < recursive_.returns; ++i) wants(function_.getArg(i));
  }
}

/// Finds what each call has to save.
void Member::find_kept() {
  std::map<const Block*, llvm::BitVector> before;
  const auto behind = [&](const Block& block) {
    llvm::BitVector live(variables_.size());
    for (const Block* next : llvm::successors(&block)) {
      if (const auto found = before.find(next); found != before.end()) live |= found->second;
    }
    return live;
  };
  // Sets only grow: bits are set, and none is reset.
  until_stable(function_.size() * (variables_.size() + 1), [&] {
    bool changed = false;
    for (const Block& block : llvm::reverse(function_)) {
      llvm::BitVector live = behind(block);
      for (const llvm::Instruction& inst : llvm::reverse(block)) go_back(inst, live);
      llvm::BitVector& known = before[&block];
      if (known == live) continue;
      known = std::move(live);
      changed = true;
    }
    return changed;
  });
  for (Block& block : function_) {
    llvm::BitVector live = behind(block);
    for (llvm::Instruction& inst : llvm::reverse(block)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      if (!call || !all_.count(call->getCalledFunction())) {
        go_back(inst, live);
        continue;
      }
      Call& one = calls_.emplace_back();
      one.inst = call;
      u64 end = least_frame();
      // Results of the call are not live before it.
      llvm::BitVector wanted = live;
      go_back(inst, live);
      const Recursive& callee = all_.find(call->getCalledFunction())->second;
      for (unsigned i = 0; i < callee.returns; ++i) {
        if (const int number = whole(call->getArgOperand(i), callee.sizes[i]); number >= 0)
          wanted.reset(static_cast<unsigned>(number));
      }
      for (const unsigned number : wanted.set_bits()) {
        auto* kept = const_cast<llvm::Value*>(std::next(variables_.begin(), number)->first);
        const u64 bytes = size_of(kept);
        end = align_up(end, bytes > kWord ? 2 * kWord : kWord);
        one.kept.emplace_back(kept, end);
        for (u64 left = bytes; left; left -= piece_of(left)) end += kept_bytes(piece_of(left));
      }
      one.frame_bytes = align_up(end, frame_align(all_));
    }
  }
}

std::string Member::run(Analyses& analyses) {
  const auto run = [&](auto... passes) {
    llvm::FunctionPassManager all;
    (all.addPass(std::move(passes)), ...);
    all.run(function_, analyses.functions);
  };
  // A thread that exits does so at once, without a return for each call.
  for (llvm::CallInst* call : find_calls())
    call->replaceAllUsesWith(llvm::ConstantInt::getFalse(call->getContext()));
  run(llvm::SROAPass(llvm::SROAOptions::ModifyCFG), llvm::EarlyCSEPass(), llvm::InstCombinePass(),
      llvm::SimplifyCFGPass());
  for (llvm::CallInst* call : find_calls()) {
    llvm::SplitBlock(call->getParent(), call);
    llvm::SplitBlock(call->getParent(), call->getNextNode());
  }
  make_again_where_used();
  analyses.functions.invalidate(function_, llvm::PreservedAnalyses::none());
  run(llvm::RegToMemPass());
  analyses.functions.clear(function_, function_.getName());
  if (std::string why = find_variables(); !why.empty()) return why;
  find_kept();
  return {};
}

/// The loop that an SCC becomes, for calls of its function `first` from outside.
class Loop {
 public:
  Loop(ScalarKernel& kernel, const std::vector<Member>& members, const Member& first)
      : kernel_(kernel),
        members_(members),
        first_(first),
        builder_(kernel.module->getContext()),
        entry_builder_(kernel.module->getContext()),
        memory_(kernel, builder_) {}

  llvm::Function* make();

 private:
  struct Copy {
    const Member* member = nullptr;
    llvm::ValueToValueMapTy values;
    std::vector<llvm::AllocaInst*> places;  ///< of its parameters
    Block* entry = nullptr;
    u32 number = 0;  ///< the place of its beginning
  };

  llvm::AllocaInst* variable(llvm::Type* type, const char* name) {
    return entry_builder_.CreateAlloca(type, nullptr, name);
  }
  llvm::AllocaInst* bytes(u64 size) {
    auto* place = variable(llvm::ArrayType::get(builder_.getInt8Ty(), size), "place");
    place->setAlignment(llvm::Align(16));
    return place;
  }
  llvm::Value* frame() { return builder_.CreateLoad(builder_.getInt64Ty(), frame_); }
  llvm::Value* number_place(llvm::Value* frame, const Member& member) {
    return memory_.beyond(frame, align_up(member.recursive().local_bytes, kNumberBytes));
  }
  void copy(llvm::Value* to, llvm::Value* from, u64 size) {
    builder_.CreateMemCpy(to, llvm::Align(1), from, llvm::Align(1), size);
  }
  void go_to(llvm::Value* number) {
    builder_.CreateStore(number, number_);
    builder_.CreateBr(dispatch_);
  }
  u32 add(Block* block) {
    places_.push_back(block);
    return static_cast<u32>(places_.size() - 1);
  }
  void copy_in(const Member& member, Copy& copy);
  void keep(llvm::Value* variable, llvm::Value* at, u64 size, bool save);
  void begin_frame(llvm::Value* frame, const Member& member, u32 number);
  void call(Copy& caller, const Call& call);
  void give_back(Copy& copy);

  ScalarKernel& kernel_;
  const std::vector<Member>& members_;
  const Member& first_;
  llvm::IRBuilder<> builder_, entry_builder_;
  LocalMemory memory_;
  llvm::Function* function_ = nullptr;
  std::map<const llvm::Function*, Copy> copies_;
  std::vector<Block*> places_;  ///< by number: where a round may begin
  llvm::AllocaInst *frame_ = nullptr, *number_ = nullptr;
  Block* dispatch_ = nullptr;
};

void Loop::copy_in(const Member& member, Copy& copy) {
  copy.member = &member;
  for (llvm::Argument& place : member.function().args()) {
    copy.places.push_back(bytes(member.size_of(&place)));
    copy.values[&place] = copy.places.back();
  }
  Block* entry = &function_->getEntryBlock();
  const std::size_t begin = function_->size();
  for (Block& block : member.function()) {
    Block* made = llvm::CloneBasicBlock(&block, copy.values, "", function_);
    copy.values[&block] = made;
  }
  copy.entry = llvm::cast<Block>(copy.values[&member.function().getEntryBlock()]);
  for (Block& block : llvm::drop_begin(*function_, begin)) {
    for (llvm::Instruction& inst : llvm::make_early_inc_range(block)) {
      llvm::RemapInstruction(&inst, copy.values, llvm::RF_IgnoreMissingLocals);
      if (llvm::isa<llvm::AllocaInst>(inst))
        inst.moveBefore(*entry, entry_builder_.GetInsertPoint());
      const MachineOp op = machine_op(inst);
      if (op != MachineOp::activation && op != MachineOp::stack) continue;
      builder_.SetInsertPoint(&inst);
      inst.replaceAllUsesWith(
          op == MachineOp::activation ? frame() : memory_.beyond(frame(), member.largest_frame()));
      inst.eraseFromParent();
    }
  }
  copy.number = add(copy.entry);
}

/// Copies between a variable and the frame.
void Loop::keep(llvm::Value* variable, llvm::Value* at, u64 size, bool save) {
  const auto piece = [&](llvm::Type* type, u64 from, u64 to) {
    llvm::Value* place = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), variable, from);
    llvm::Value* there = memory_.beyond(at, to);
    llvm::Type* whole = builder_.getInt32Ty();
    const bool small = type->isIntegerTy() && type->getIntegerBitWidth() < 32;
    if (save) {
      llvm::Value* value = builder_.CreateAlignedLoad(type, place, llvm::Align(1));
      memory_.store(small ? builder_.CreateZExt(value, whole) : value, there, 2 * kWord);
    } else {
      llvm::Value* value = memory_.load(small ? whole : type, there, 2 * kWord);
      builder_.CreateAlignedStore(small ? builder_.CreateTrunc(value, type) : value, place,
                                  llvm::Align(1));
    }
  };
  auto* type = llvm::cast<llvm::AllocaInst>(variable)->getAllocatedType();
  if (type->isSingleValueType() && size <= 2 * kWord && !type->isPointerTy())
    return piece(type, 0, 0);
  for (u64 from = 0, to = 0; from < size;) {
    const u64 bytes = piece_of(size - from);
    piece(builder_.getIntNTy(static_cast<unsigned>(bytes * 8)), from, to);
    from += bytes, to += kept_bytes(bytes);
  }
}

/// Allocates a frame that returns to that place, if there is room for it.
void Loop::begin_frame(llvm::Value* frame, const Member& member, u32 number) {
  if (kernel_.stack_pointer) {
    Block* full = Block::Create(function_->getContext(), "full", function_);
    Block* fits = Block::Create(function_->getContext(), "fits", function_);
    llvm::Value* end = memory_.beyond(frame, member.largest_frame());
    builder_.CreateCondBr(builder_.CreateICmpULE(end, memory_.load_pointer()), fits, full);
    builder_.SetInsertPoint(full);
    call_machine(builder_, MachineOp::trap, builder_.getVoidTy(),
                 {builder_.getInt32(memory_.site(0))});
    kernel_.sites.back().sem = isa::SemId::call;
    builder_.CreateBr(fits);
    builder_.SetInsertPoint(fits);
  }
  // The first access of the new frame. Without alloca, it traps if there is no room.
  memory_.store(builder_.getInt32(number), number_place(frame, member), kNumberBytes);
  kernel_.sites.back().sem = isa::SemId::call;
}

void Loop::call(Copy& caller, const Call& call) {
  auto* inst = llvm::cast<llvm::CallInst>(caller.values[call.inst]);
  Copy& callee = copies_.at(inst->getCalledFunction());
  const Recursive& signature = callee.member->recursive();
  Block* block = inst->getParent();
  Block* behind = llvm::cast<llvm::BranchInst>(block->getTerminator())->getSuccessor(0);
  Block* back = Block::Create(function_->getContext(), "back", function_);
  const u32 number = add(back);
  block->getTerminator()->eraseFromParent();
  builder_.SetInsertPoint(block);
  builder_.SetCurrentDebugLocation(inst->getDebugLoc());

  llvm::Value* own = frame();
  llvm::Value* next = memory_.beyond(own, call.frame_bytes);
  begin_frame(next, *callee.member, number);
  for (const auto& [variable, at] : call.kept)
    keep(caller.values[variable], memory_.beyond(own, at), caller.member->size_of(variable), true);
  // The function's parameters may be among the arguments.
  std::vector<llvm::AllocaInst*> arguments;
  for (std::size_t i = signature.returns; i < signature.sizes.size(); ++i) {
    arguments.push_back(bytes(signature.sizes[i]));
    copy(arguments.back(), inst->getArgOperand(static_cast<unsigned>(i)), signature.sizes[i]);
  }
  for (std::size_t i = signature.returns; i < signature.sizes.size(); ++i)
    copy(callee.places[i], arguments[i - signature.returns], signature.sizes[i]);
  builder_.CreateStore(next, frame_);
  go_to(builder_.getInt32(callee.number));

  builder_.SetInsertPoint(back);
  own = builder_.CreateSub(frame(), builder_.getInt64(call.frame_bytes));
  builder_.CreateStore(own, frame_);
  // A saved value may lie where the callee left its results, if this call returns them, or may
  // contain those.
  std::vector<llvm::AllocaInst*> results;
  for (unsigned i = 0; i < signature.returns; ++i) {
    results.push_back(bytes(signature.sizes[i]));
    copy(results.back(), callee.places[i], signature.sizes[i]);
  }
  for (const auto& [variable, at] : call.kept)
    keep(caller.values[variable], memory_.beyond(own, at), caller.member->size_of(variable), false);
  for (unsigned i = 0; i < signature.returns; ++i) {
    const auto& layout = kernel_.module->getDataLayout();
    llvm::APInt distance(64, 0);
    llvm::Value* to =
        inst->getArgOperand(i)->stripAndAccumulateConstantOffsets(layout, distance, true);
    to = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), to, distance.getZExtValue());
    copy(to, results[i], signature.sizes[i]);
  }
  builder_.CreateBr(behind);
  inst->eraseFromParent();
}

/// A return continues at the place that the frame names; a thread that exits returns true, and does
/// so at once.
void Loop::give_back(Copy& copy) {
  for (const Block& block : copy.member->function()) {
    auto* back =
        llvm::dyn_cast<llvm::ReturnInst>(llvm::cast<Block>(copy.values[&block])->getTerminator());
    if (!back) continue;
    auto* exits = Block::Create(function_->getContext(), "exits", function_);
    auto* returns = Block::Create(function_->getContext(), "returns", function_);
    builder_.SetInsertPoint(back);
    builder_.SetCurrentDebugLocation(back->getDebugLoc());
    builder_.CreateCondBr(back->getReturnValue(), exits, returns);
    builder_.SetInsertPoint(exits);
    builder_.CreateRet(builder_.getTrue());
    builder_.SetInsertPoint(returns);
    go_to(memory_.load(builder_.getInt32Ty(), number_place(frame(), *copy.member), kNumberBytes));
    back->eraseFromParent();
  }
}

llvm::Function* Loop::make() {
  llvm::LLVMContext& context = kernel_.module->getContext();
  llvm::Function& first = first_.function();
  function_ = llvm::Function::Create(first.getFunctionType(), llvm::Function::InternalLinkage,
                                     first.getName() + ".loop", *kernel_.module);
  function_->setDoesNotThrow();
  function_->addFnAttr(llvm::Attribute::AlwaysInline);
  Block* entry = Block::Create(context, "entry", function_);
  Block* begin = Block::Create(context, "begin", function_);
  Block* done = Block::Create(context, "done", function_);
  dispatch_ = Block::Create(context, "dispatch", function_);
  entry_builder_.SetInsertPoint(llvm::BranchInst::Create(begin, entry));
  frame_ = variable(builder_.getInt64Ty(), "frame");
  number_ = variable(builder_.getInt32Ty(), "number");
  const u32 end = add(done);
  for (const Member& member : members_) copy_in(member, copies_[&member.function()]);
  const llvm::DebugLoc here = [&] {
    for (const llvm::Instruction& inst : llvm::instructions(first)) {
      if (inst.getDebugLoc()) return inst.getDebugLoc();
    }
    return llvm::DebugLoc();
  }();
  for (const Member& member : members_) {
    Copy& copy = copies_.at(&member.function());
    for (const Call& one : member.calls()) call(copy, one);
    give_back(copy);
  }

  Copy& outer = copies_.at(&first);
  const Recursive& signature = first_.recursive();
  builder_.SetInsertPoint(begin);
  builder_.SetCurrentDebugLocation(here);
  for (std::size_t i = signature.returns; i < signature.sizes.size(); ++i)
    copy(outer.places[i], function_->getArg(static_cast<unsigned>(i)), signature.sizes[i]);
  const u64 align = frame_align(kernel_.recursive);
  llvm::Value* stack = call_machine(builder_, MachineOp::stack, builder_.getInt64Ty(), {});
  llvm::Value* bottom =
      builder_.CreateAnd(memory_.beyond(stack, align - 1), builder_.getInt64(~(align - 1)));
  builder_.CreateStore(bottom, frame_);
  begin_frame(bottom, first_, end);
  go_to(builder_.getInt32(outer.number));

  builder_.SetInsertPoint(done);
  for (unsigned i = 0; i < signature.returns; ++i)
    copy(function_->getArg(i), outer.places[i], signature.sizes[i]);
  builder_.CreateRet(builder_.getFalse());

  builder_.SetInsertPoint(dispatch_);
  auto* choice = builder_.CreateSwitch(builder_.CreateLoad(builder_.getInt32Ty(), number_), done,
                                       static_cast<unsigned>(places_.size()));
  for (u32 i = 0; i < places_.size(); ++i) {
    if (i != end) choice->addCase(builder_.getInt32(i), places_[i]);
  }
  return function_;
}

/// An SCC none of whose functions calls one of another SCC.
u32 innermost(const RecursiveFunctions& all) {
  std::set<u32> others;
  for (const auto& [function, recursive] : all) {
    for (const llvm::Instruction& inst : llvm::instructions(*function)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      const auto callee = call ? all.find(call->getCalledFunction()) : all.end();
      if (callee != all.end() && callee->second.scc != recursive.scc) others.insert(recursive.scc);
    }
  }
  const auto found =
      llvm::find_if(all, [&](const auto& one) { return !others.count(one.second.scc); });
  HEDDLE_CHECK(found != all.end());
  return found->second.scc;
}

}  // namespace

std::string unwind_recursion(ScalarKernel& kernel, Analyses& analyses) {
  const u32 scc = innermost(kernel.recursive);
  std::vector<Member> members;
  for (auto& [function, recursive] : kernel.recursive) {
    if (recursive.scc == scc) members.emplace_back(*function, recursive, kernel.recursive);
  }
  for (Member& member : members) {
    if (std::string why = member.run(analyses); !why.empty()) return why;
    kernel.frame_of_call = std::max(kernel.frame_of_call, member.largest_frame());
  }
  const auto calls_itself = [&](const llvm::Function* function) {
    const auto found = kernel.recursive.find(const_cast<llvm::Function*>(function));
    return found != kernel.recursive.end() && found->second.scc == scc;
  };
  for (const Member& member : members) {
    llvm::Function* loop = nullptr;
    for (llvm::Use& use : llvm::make_early_inc_range(member.function().uses())) {
      auto* call = llvm::cast<llvm::CallInst>(use.getUser());
      if (calls_itself(call->getFunction())) continue;
      if (!loop) loop = Loop(kernel, members, member).make();
      use.set(loop);
    }
  }
  for (const Member& member : members) member.function().deleteBody();
  for (const Member& member : members) {
    llvm::Function* done = &member.function();
    kernel.recursive.erase(done);
    done->eraseFromParent();
  }
  return {};
}

}  // namespace heddle::jit
