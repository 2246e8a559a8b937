// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/cta_function.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>

namespace heddle::jit {
namespace {

/// A copy of which LLVM knows nothing but that it is less than `end`. From a loop counter LLVM
/// would derive a counter for each address that is computed from it, and spill those; the code of a
/// team is too long for that to pay.
llvm::Value* hide(llvm::IRBuilderBase& builder, llvm::Value* number, u32 end) {
  auto* type = llvm::FunctionType::get(number->getType(), {number->getType()}, false);
  llvm::CallInst* copy = builder.CreateCall(
      type, llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false), {number}, "team");
  copy->setDoesNotAccessMemory();
  copy->setDoesNotThrow();
  copy->addFnAttr(llvm::Attribute::WillReturn);
  copy->setMetadata(
      llvm::LLVMContext::MD_range,
      llvm::MDBuilder(builder.getContext()).createRange(llvm::APInt(32, 0), llvm::APInt(32, end)));
  return copy;
}

}  // namespace

CtaFunction::CtaFunction(ScalarKernel& of_kernel, const Shapes& of_shapes,
                         const machine::Dim3& of_block)
    : kernel(of_kernel),
      shapes(of_shapes),
      block(of_block),
      halves(of_shapes.team() / kHalf),
      from(*of_kernel.function),
      builder(of_kernel.module->getContext()),
      masks(builder, halves) {
  auto* pointer = builder.getPtrTy();
  auto* type = llvm::FunctionType::get(builder.getInt32Ty(), {pointer, pointer}, false);
  function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "cta", *kernel.module);
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::NullPointerIsValid);
  function->setSubprogram(from.getSubprogram());
  from.setSubprogram(nullptr);
  state = function->getArg(0);
  state->addAttr(llvm::Attribute::NoAlias);
  state->setName("context");
  function->getArg(1)->setName("frames");
  const u32 teams = teams_of_cta();
  entry = new_block("entry");
  cta = new_block("cta");
  head = new_block("warp");
  Block* start = new_block("start");
  trapped = new_block("trapped");
  llvm::IRBuilder<>(trapped).CreateRet(builder.getInt32(static_cast<u32>(Outcome::trapped)));
  stopped = new_block("stopped");
  llvm::IRBuilder<>(stopped).CreateRet(builder.getInt32(static_cast<u32>(Outcome::stopped)));
  // Later code of these blocks goes before their terminators.
  llvm::BranchInst::Create(cta, entry);
  llvm::BranchInst::Create(head, cta);
  llvm::BranchInst::Create(start, head);
  builder.SetInsertPoint(head->getTerminator());
  made_ = {function,
           entry,
           cta,
           head,
           teams == 1 ? nullptr : builder.CreatePHI(builder.getInt32Ty(), 2, "team_counter"),
           builder.getInt32(0),
           new_block("next"),
           new_block("done"),
           new_block("finished")};
  if (made_.team_counter) made_.team = hide(builder, made_.team_counter, teams);
  team = made_.team;
  publish_warp(0);
  go_to(made_.next);
  if (made_.team_counter) {
    llvm::Value* following = builder.CreateNUWAdd(made_.team_counter, builder.getInt32(1));
    builder.CreateCondBr(builder.CreateICmpULT(following, builder.getInt32(teams)), head,
                         made_.done);
    made_.team_counter->addIncoming(builder.getInt32(0), cta);
    made_.team_counter->addIncoming(following, made_.next);
  } else {
    builder.CreateBr(made_.done);
  }
  go_to(made_.done);
  builder.CreateBr(made_.finished);
  emit_next_cta();
  go_to(start);
}

u32 CtaFunction::teams_of_cta() const {
  return static_cast<u32>((block.volume() + shapes.team() - 1) / shapes.team());
}

Halves CtaFunction::first_mask() {
  Halves mask{};
  const u64 rest = block.volume() % shapes.team();
  if (rest == 0) {
    mask.fill(llvm::Constant::getAllOnesValue(vector_of(builder.getInt1Ty())));
    return mask;
  }
  const u64 last = (u64{1} << rest) - 1;
  const llvm::IRBuilder<>::InsertPointGuard guard(builder);
  builder.SetInsertPoint(head->getTerminator());
  llvm::Value* bits =
      builder.CreateSelect(builder.CreateICmpEQ(team, builder.getInt32(teams_of_cta() - 1)),
                           builder.getInt64(last), builder.getInt64(~u64{0}), "lanes");
  for (unsigned h = 0; h < halves; ++h) {
    llvm::Value* half =
        builder.CreateTrunc(builder.CreateLShr(bits, h * kHalf), builder.getIntNTy(kHalf));
    mask[h] = builder.CreateBitCast(half, vector_of(builder.getInt1Ty()));
  }
  return mask;
}

Vectorized CtaFunction::finish() {
  builder.SetCurrentDebugLocation(llvm::DebugLoc());
  builder.CreateBr(made_.next);
  sink_initial_stores();
  return made_;
}

CtaFunction::Block* CtaFunction::new_block(const llvm::Twine& name) {
  return Block::Create(builder.getContext(), name, function);
}

llvm::Value* CtaFunction::field(std::size_t offset, llvm::Type* type, const char* name) {
  llvm::Value*& known = fields_[{offset, type}];
  if (known) return known;
  const llvm::IRBuilder<>::InsertPointGuard guard(builder);
  const bool of_cta = offset >= offsetof(Context, ctaid) && offset < offsetof(Context, nctaid);
  builder.SetInsertPoint((of_cta ? cta : entry)->getTerminator());
  builder.SetCurrentDebugLocation(llvm::DebugLoc());
  return known = builder.CreateLoad(type, field_address(offset), name);
}

llvm::Value* CtaFunction::field_address(std::size_t offset) {
  return builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), state,
                                            static_cast<unsigned>(offset));
}

llvm::AllocaInst* CtaFunction::variable(llvm::Type* type, bool carried) {
  llvm::AllocaInst* place = llvm::IRBuilder<>(entry, entry->begin()).CreateAlloca(type);
  auto* initial =
      llvm::IRBuilder<>(head->getTerminator()).CreateStore(llvm::PoisonValue::get(type), place);
  if (!carried) initial_stores_.push_back(initial);
  return place;
}

/// Moves the initial stores to where all accesses of the variable are near: a value from before
/// costs SROA a walk over the whole function, and a value from earlier rounds a register.
void CtaFunction::sink_initial_stores() {
  const llvm::DominatorTree dominators(*function);
  const llvm::LoopInfo loops(dominators);
  for (llvm::StoreInst* store : initial_stores_) {
    Block* begin = nullptr;
    llvm::SmallPtrSet<Block*, 8> blocks;
    for (llvm::User* user : store->getPointerOperand()->users()) {
      Block* block = llvm::cast<llvm::Instruction>(user)->getParent();
      if (user == store || !dominators.isReachableFromEntry(block) || !blocks.insert(block).second)
        continue;
      begin = begin ? dominators.findNearestCommonDominator(begin, block) : block;
    }
    if (!begin) continue;
    const auto has_all = [&](const llvm::Loop* loop) {
      return llvm::all_of(blocks, [&](const Block* block) { return loop->contains(block); });
    };
    for (const llvm::Loop* loop = loops.getLoopFor(begin); loop && !has_all(loop);
         loop = loops.getLoopFor(begin))
      begin = dominators.getNode(loop->getHeader())->getIDom()->getBlock();
    if (begin != head) store->moveBefore(*begin, begin->getFirstInsertionPt());
  }
}

void CtaFunction::set_location_of(const llvm::Instruction& inst) {
  const llvm::DebugLoc& from = inst.getDebugLoc();
  builder.SetCurrentDebugLocation(
      from ? llvm::DebugLoc(llvm::DILocation::get(builder.getContext(), from.getLine(), 0,
                                                  function->getSubprogram()))
           : llvm::DebugLoc());
}

void CtaFunction::branch_unless_stopped(Block* top) {
  llvm::LoadInst* stop =
      builder.CreateLoad(builder.getInt32Ty(), field_address(offsetof(Context, stop)));
  stop->setVolatile(true);
  builder.CreateCondBr(builder.CreateICmpEQ(stop, builder.getInt32(0)), top, stopped);
}

/// Advances %ctaid, as Cta::next_cta() does for CTAs whose warps end in different regions.
void CtaFunction::emit_next_cta() {
  llvm::Type* word = builder.getInt32Ty();
  const auto put = [&](llvm::Value* value, std::size_t offset) {
    // Volatile, as the warp's number: reports of faults read them.
    builder.CreateStore(value, field_address(offset), /*isVolatile=*/true);
  };
  go_to(made_.finished);
  llvm::Value* left =
      builder.CreateLoad(builder.getInt64Ty(), field_address(offsetof(Context, left)), "left");
  Block *last = new_block("last"), *more = new_block("more");
  builder.CreateCondBr(builder.CreateICmpEQ(left, builder.getInt64(0)), last, more);
  go_to(last);
  builder.CreateRet(builder.getInt32(static_cast<u32>(Outcome::finished)));
  go_to(more);
  put(builder.CreateSub(left, builder.getInt64(1)), offsetof(Context, left));
  llvm::Value* carry = builder.getInt32(1);
  for (const std::size_t axis : {0, 1, 2}) {
    const std::size_t at = offsetof(Context, ctaid) + 4 * axis;
    llvm::Value* sum =
        builder.CreateAdd(builder.CreateLoad(word, field_address(at)), carry, "ctaid");
    llvm::Value* over = builder.CreateICmpEQ(
        sum, builder.CreateLoad(word, field_address(offsetof(Context, nctaid) + 4 * axis)));
    put(builder.CreateSelect(over, builder.getInt32(0), sum), at);
    carry = builder.CreateZExt(over, word);
  }
  put(builder.getInt32(1), offsetof(Context, begins));
  builder.CreateBr(cta);
}

void CtaFunction::publish_warp(unsigned warp) {
  builder.CreateStore(warp_number(warp), field_address(offsetof(Context, warp)),
                      /*isVolatile=*/true);
}

llvm::Value* CtaFunction::warp_number(unsigned warp) {
  if (warps() == 1) return team;
  return builder.CreateAdd(builder.CreateMul(team, builder.getInt32(warps())),
                           builder.getInt32(warp));
}

llvm::AllocaInst* CtaFunction::lane_array(llvm::Type* element, unsigned number) {
  llvm::AllocaInst*& known = lane_arrays_[{element, number}];
  if (!known) {
    known = variable(llvm::ArrayType::get(vector_of(element), halves));
    known->setAlignment(llvm::Align(64));
  }
  return known;
}

void CtaFunction::for_each_lane(llvm::Value* lanes,
                                const std::function<void(llvm::Value* lane)>& one) {
  llvm::Type* word = lanes->getType();
  llvm::Value* none = llvm::ConstantInt::get(word, 0);
  Block *before = builder.GetInsertBlock(), *each = new_block("each"), *done = new_block("done");
  builder.CreateCondBr(builder.CreateICmpEQ(lanes, none), done, each);
  go_to(each);
  llvm::PHINode* left = builder.CreatePHI(word, 2);
  one(builder.CreateZExtOrTrunc(
      builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder.getTrue()),
      builder.getInt64Ty()));
  llvm::Value* rest =
      builder.CreateAnd(left, builder.CreateSub(left, llvm::ConstantInt::get(word, 1)));
  left->addIncoming(lanes, before);
  left->addIncoming(rest, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpNE(rest, none), each, done);
  go_to(done);
}

void CtaFunction::for_each_warp(const std::function<void(unsigned warp)>& what) {
  for (unsigned warp = 0; warp < warps(); ++warp) what(warp);
}

void CtaFunction::set_insert_point_after(llvm::Value* value) {
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
    builder.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
  else if (auto* inst = llvm::dyn_cast<llvm::Instruction>(value))
    builder.SetInsertPoint(inst->getParent(), std::next(inst->getIterator()));
  else
    builder.SetInsertPoint(entry->getTerminator());
}

void CtaFunction::end_region(llvm::Value* site, llvm::Value* why) {
  llvm::Type* word = builder.getInt32Ty();
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {word, word}, false);
  llvm::FunctionCallee end = kernel.module->getOrInsertFunction(kRegionEnd, type);
  llvm::cast<llvm::Function>(end.getCallee())->setDoesNotThrow();
  builder.CreateCall(end, {site, why});
}

}  // namespace heddle::jit
