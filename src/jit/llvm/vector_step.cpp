// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that the engine below runs: registers go there, and come back, through
// Context::operands. Waits for barrier objects (PTX ISA 9.7.13.15.16) are among them: as long as no
// lane has an answer, the warp lets others run.
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "jit/llvm/vectorizer.h"

namespace heddle::jit {
namespace {

u32 rows_of(const llvm::Type* type) { return type->getScalarSizeInBits() > kRowBits ? 2 : 1; }

/// Whether the instruction may be what others wait for at a barrier object.
bool arrives(isa::SemId sem) {
  using isa::SemId;
  switch (sem) {
    case SemId::mbarrier_init:
    case SemId::mbarrier_inval:
    case SemId::mbarrier_expect_tx:
    case SemId::cp_async:
    case SemId::st_bulk:
    case SemId::tensormap_copy:
    case SemId::mapa:
    case SemId::getctarank:
    case SemId::istypep:
    case SemId::nanosleep:
      return false;
    default:
      return true;
  }
}

/// Whether another thread may notice that the instruction ran, or it that another one did.
bool is_noticed(const llvm::Instruction& inst) {
  const llvm::StringRef name = machine_call(inst);
  if (name == "load" || name == "special") return true;
  return name != "wait" && inst.mayHaveSideEffects();
}

}  // namespace

void find_lonely_waits(ScalarKernel& kernel, const Shapes& shapes) {
  for (const llvm::BasicBlock& block : *kernel.function) {
    for (const llvm::Instruction& inst : block) {
      if (machine_call(inst) != "wait") continue;
      const auto* number = llvm::cast<llvm::CallInst>(inst).getArgOperand(0);
      Site& site = kernel.sites[llvm::cast<llvm::ConstantInt>(number)->getZExtValue()];
      site.alone = true;
      const llvm::Loop* loop = shapes.loops.getLoopFor(&block);
      if (!loop) continue;
      for (const llvm::BasicBlock* one : loop->blocks())
        site.alone &= std::none_of(one->begin(), one->end(), is_noticed);
    }
  }
}

/// A wait that only some lanes of a warp come to holds the others up. That is fine unless it waits
/// for them: for an arrival that is made on the other way, or behind where the ways meet.
std::string Vectorizer::check_waits() const {
  std::set<const Block*> waits, arrivals;
  for (const Block& block : from_) {
    for (const llvm::Instruction& inst : block) {
      const llvm::StringRef name = machine_call(inst);
      if (name == "wait")
        waits.insert(&block);
      else if (name == "step" && arrives(site_of(llvm::cast<llvm::CallInst>(inst)).sem))
        arrivals.insert(&block);
    }
  }
  if (waits.empty()) return {};
  const auto reached = [&](const Block* from) {
    std::set<const Block*> seen = {from};
    std::vector<const Block*> work = {from};
    while (!work.empty()) {
      const Block* one = work.back();
      work.pop_back();
      for (const Block* next : llvm::successors(one)) {
        if (seen.insert(next).second) work.push_back(next);
      }
    }
    return seen;
  };
  for (const Block& block : from_) {
    if (!shapes_.parts(&block)) continue;
    const auto* branch = llvm::cast<llvm::BranchInst>(block.getTerminator());
    // Lanes that go the same way each time, or always the same one of them.
    const auto* condition = llvm::dyn_cast<llvm::Instruction>(branch->getCondition());
    const llvm::Loop* loop = shapes_.loops.getLoopFor(&block);
    bool same = !loop || !condition || !loop->getOutermostLoop()->contains(condition);
    if (const auto* part = llvm::dyn_cast_or_null<llvm::ExtractValueInst>(condition)) {
      const auto* elected = llvm::dyn_cast<llvm::CallInst>(part->getAggregateOperand());
      same |= elected && machine_call(*elected) == "warp_op" &&
              site_of(*elected).sem == isa::SemId::elect_sync;
    }
    for (unsigned s = 0; s < 2; ++s) {
      const Block* to = branch->getSuccessor(s);
      const llvm::BasicBlockEdge edge(&block, to);
      const auto inside = [&](const Block* one) { return shapes_.dominators.dominates(edge, one); };
      const bool awaits = std::any_of(waits.begin(), waits.end(), [&](const Block* one) {
        return inside(one) || (loop && shapes_.parts(loop) && loop->contains(one));
      });
      if (!awaits) continue;
      for (const Block* one : reached(branch->getSuccessor(1 - s))) {
        if (arrivals.count(one) && !(same && inside(one)))
          return "a wait of some threads of a warp, perhaps for others of it";
      }
    }
  }
  return {};
}

/// The warp comes back to the run-time, and goes on behind this place later.
void Vectorizer::end_region(llvm::Value* site, u32 why) {
  llvm::Type* word = builder_.getInt32Ty();
  auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {word, word}, false);
  llvm::FunctionCallee end = module_.getOrInsertFunction(kRegionEnd, type);
  llvm::cast<llvm::Function>(end.getCallee())->setDoesNotThrow();
  builder_.CreateCall(end, {site, builder_.getInt32(why)});
}

/// Barriers with thread counts, whose number is in a register, bar.red and bar.arrive (9.7.13.1).
void Vectorizer::emit_barrier(llvm::CallInst& call, const Halves& mask) {
  for (u32 i = 1; i < 3; ++i) {
    if (shapes_.of(call.getArgOperand(i)).is_uniform()) continue;
    if (why_.empty()) why_ = "threads of a warp that may name different barriers";
    return;
  }
  for (u32 i = 1; i < call.arg_size(); ++i) {
    if (call.getArgOperand(i)->getType()->isIntegerTy(1))
      pass_operand(call.getArgOperand(i), i - 1);
    else
      builder_.CreateStore(first(call.getArgOperand(i)), operand_address(i - 1));
  }
  call_helper(HelperId::arrive, call.getArgOperand(0), mask);
  if (call.getType()->isVoidTy()) return;
  end_region(call.getArgOperand(0), WarpState::kArrived);
  llvm::LoadInst* result = builder_.CreateLoad(
      builder_.getInt32Ty(),
      builder_.CreateInBoundsGEP(builder_.getInt32Ty(),
                                 field_address(offsetof(Context, barrier_result)), made_.team));
  result->setVolatile(true);  // not above the end of the region
  define_uniform(call, result);
}

void Vectorizer::emit_step(llvm::CallInst& call, HelperId helper, const Halves& mask) {
  Block* ask = nullptr;
  if (helper == HelperId::wait) {
    ask = new_block("ask");
    builder_.CreateBr(ask);
    go_to(ask);
  }
  u32 row = 0;
  for (u32 i = 1; i < call.arg_size(); ++i) {
    pass_operand(call.getArgOperand(i), row);
    row += rows_of(call.getArgOperand(i)->getType());
  }
  call_helper(helper, call.getArgOperand(0), mask);
  if (ask) {
    Block* wait = new_block("wait");
    Block* answered = new_block("answered");
    llvm::Value* again =
        builder_.CreateLoad(builder_.getInt32Ty(), field_address(offsetof(Context, again)));
    builder_.CreateCondBr(builder_.CreateICmpNE(again, builder_.getInt32(0)), wait, answered);
    go_to(wait);
    end_region(call.getArgOperand(0), WarpState::kYields);
    builder_.CreateBr(ask);
    go_to(answered);
  }
  if (call.getType()->isVoidTy()) return;
  if (shapes_.of(&call).is_uniform()) {  // a wait of all for the same
    llvm::Value* here = lane_mask(mask);
    llvm::Value* past = builder_.CreateLoad(builder_.getInt32Ty(), operand_address(0));
    return define_uniform(call, builder_.CreateICmpEQ(builder_.CreateAnd(past, here), here));
  }
  auto* record = llvm::dyn_cast<llvm::StructType>(call.getType());
  const u32 first = machine_call(call) == "system_call" ? row : 0;
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    if (!record) {
      both[h] = take_result(call.getType(), first, h);
      continue;
    }
    both[h] = llvm::PoisonValue::get(vector_of(record));
    row = first;
    for (unsigned i = 0; i < record->getNumElements(); ++i) {
      llvm::Type* type = record->getElementType(i);
      both[h] = builder_.CreateInsertValue(both[h], take_result(type, row, h), i);
      row += rows_of(type);
    }
  }
  define(call, both);
}

}  // namespace heddle::jit
