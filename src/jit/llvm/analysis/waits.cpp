// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/analysis/waits.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <set>

#include "isa/groups.h"
#include "isa/sem/atom.h"

namespace heddle::jit {
namespace {

using Block = llvm::BasicBlock;

const Site& site_of_call(const llvm::Instruction& inst, const ScalarKernel& kernel) {
  return site_of(llvm::cast<llvm::CallInst>(inst), kernel.sites);
}

/// Whether the instruction asks for a phase of a barrier object.
bool asks_object(const llvm::Instruction& inst, const ScalarKernel& kernel) {
  const MachineOp op = machine_op(inst);
  if (op != MachineOp::step && op != MachineOp::wait) return false;
  return isa::effects_of(site_of_call(inst, kernel).sem).polls;
}

/// Whether an instruction that the fallback engine runs may be what other threads wait for.
bool arrives(isa::SemId sem) {
  const isa::Effects& what = isa::effects_of(sem);
  return what.signals || what.access == isa::Access::store || what.access == isa::Access::atomic;
}

/// Whether a loop that reads memory may wait for the instruction.
bool writes(const llvm::Instruction& inst, const ScalarKernel& kernel) {
  const MachineOp op = machine_op(inst);
  if (op == MachineOp::store) return site_of_call(inst, kernel).space != ir::Space::local;
  if (op == MachineOp::step) return !asks_object(inst, kernel);
  if (op == MachineOp::warp_op) return isa::effects_of(site_of_call(inst, kernel).sem).signals;
  return op == MachineOp::atomic || op == MachineOp::system_call;
}

/// Whether another thread may notice that the instruction ran, or its result depends on other
/// threads.
bool is_noticed(const llvm::Instruction& inst, const ScalarKernel& kernel) {
  const MachineOp op = machine_op(inst);
  if (op == MachineOp::load || op == MachineOp::special) return true;
  const bool sleeps =
      op == MachineOp::step && site_of_call(inst, kernel).sem == isa::SemId::nanosleep;
  return !sleeps && !asks_object(inst, kernel) && inst.mayHaveSideEffects();
}

/// Whether all threads of the warp, or of the CTA, reach the instruction before any continues.
bool is_barrier(const llvm::Instruction& inst) {
  const MachineOp op = machine_op(inst);
  if (op == MachineOp::warp_barrier) {
    const auto* members = llvm::dyn_cast<llvm::ConstantInt>(inst.getOperand(1));
    return members && members->isMinusOne();
  }
  return op == MachineOp::barrier || op == MachineOp::barrier_wait ||
         op == MachineOp::barrier_cluster_wait;
}

}  // namespace

bool gathers(const llvm::Instruction& inst, const ScalarKernel& kernel) {
  if (is_barrier(inst)) return true;
  if (machine_op(inst) != MachineOp::warp_op || !site_of_call(inst, kernel).has_members)
    return false;
  const auto& call = llvm::cast<llvm::CallInst>(inst);
  const auto* members = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(call.arg_size() - 1));
  return members && members->isMinusOne();
}

namespace {

/// The compare-and-swap of a loop that retries it with the value found. It repeats only if another
/// thread's operation succeeded, so it waits for no thread. Null: there is none.
const llvm::Instruction* retried(const llvm::Loop& loop, const ScalarKernel& kernel,
                                 const Shapes& shapes) {
  const Block* latch = loop.getLoopLatch();
  if (!latch) return nullptr;
  llvm::SmallVector<Block*, 4> exiting;
  loop.getExitingBlocks(exiting);
  for (const llvm::PHINode& expected : loop.getHeader()->phis()) {
    const auto* swap = llvm::dyn_cast<llvm::CallInst>(expected.getIncomingValueForBlock(latch));
    if (!swap || machine_op(*swap) != MachineOp::atomic || swap->getArgOperand(2) != &expected)
      continue;
    if (site_of(*swap, kernel.sites).op != static_cast<u8>(sem::Atomop::cas)) continue;
    for (const Block* block : exiting) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional()) continue;
      const auto* same = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
      if (!same || !same->isEquality()) continue;
      const bool these = (same->getOperand(0) == swap && same->getOperand(1) == &expected) ||
                         (same->getOperand(1) == swap && same->getOperand(0) == &expected);
      const bool equal = same->getPredicate() == llvm::CmpInst::ICMP_EQ;
      if (these && !loop.contains(branch->getSuccessor(equal ? 0 : 1)) &&
          shapes.dominators.dominates(block, latch))
        return swap;
    }
  }
  return nullptr;
}

/// The access that decides, by what other threads do, whether the loop is left. Null: none does.
const llvm::CallInst* find_asking(const llvm::Loop& loop, const ScalarKernel& kernel,
                                  const Shapes& shapes) {
  // Dependent values, by the access that they depend on.
  llvm::DenseMap<const llvm::Value*, const llvm::CallInst*> told;
  std::vector<const llvm::Value*> work;
  const auto add = [&](const llvm::Value* value, const llvm::CallInst* by) {
    if (told.try_emplace(value, by).second) work.push_back(value);
  };
  const llvm::Instruction* swap = retried(loop, kernel, shapes);
  std::vector<const llvm::CallInst*> shared_loads;
  bool has_barrier = false;
  const auto is_shared = [&](const llvm::Instruction& inst) {
    const ir::Space space = site_of_call(inst, kernel).space;
    return space == ir::Space::shared || space == ir::Space::generic;
  };
  for (const Block* block : loop.blocks()) {
    for (const llvm::Instruction& inst : *block) {
      has_barrier |= is_barrier(inst);
      const MachineOp op = machine_op(inst);
      // The fallback engine accesses shared memory of other CTAs.
      const isa::Access access = op == MachineOp::step
                                     ? isa::effects_of(site_of_call(inst, kernel).sem).access
                                     : isa::Access::none;
      const bool asks = access == isa::Access::load || access == isa::Access::atomic ||
                        (op == MachineOp::step && asks_object(inst, kernel));
      if (op != MachineOp::atomic && op != MachineOp::load && !asks) continue;
      const auto& call = llvm::cast<llvm::CallInst>(inst);
      if (op == MachineOp::load && is_shared(inst)) shared_loads.push_back(&call);
      if (op == MachineOp::load && !site_of(call, kernel.sites).strong) continue;
      if (&inst != swap) add(&call, &call);
    }
  }
  while (!work.empty()) {
    const llvm::Value* value = work.back();
    work.pop_back();
    const llvm::CallInst* by = told.at(value);
    for (const llvm::Use& use : value->uses()) {
      const auto* inst = llvm::cast<llvm::Instruction>(use.getUser());
      if (!loop.contains(inst)) continue;
      const llvm::Loop* inner = shapes.loops.getLoopFor(inst->getParent());
      if (inst->isTerminator()) {
        if (inner == &loop || !retried(*inner, kernel, shapes)) return by;
        continue;
      }
      // One thread polls, and stores the result for the others.
      if (has_barrier && machine_op(*inst) == MachineOp::store && use.getOperandNo() > 1 &&
          is_shared(*inst)) {
        for (const llvm::CallInst* load : shared_loads) add(load, by);
      }
      add(inst, by);
    }
  }
  return nullptr;
}

/// The call of heddle.round_end at which interleaved lanes of the loop reconverge. Null: the loop
/// interleaves no lanes.
const llvm::CallInst* find_round_end(const llvm::Loop& loop, const Shapes& shapes) {
  for (const Block* block : loop.blocks()) {
    if (shapes.loops.getLoopFor(block) != &loop) continue;
    for (const llvm::Instruction& inst : *block) {
      if (machine_op(inst) == MachineOp::round_end) return llvm::cast<llvm::CallInst>(&inst);
    }
  }
  return nullptr;
}

/// Whether the condition is true for one lane of a warp, always the same (elect.sync).
bool is_elected(const llvm::Value* condition, const ScalarKernel& kernel) {
  const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(condition);
  const auto* call = part ? llvm::dyn_cast<llvm::CallInst>(part->getAggregateOperand()) : nullptr;
  return call && machine_op(*call) == MachineOp::warp_op &&
         site_of(*call, kernel.sites).sem == isa::SemId::elect;
}

/// Whether the condition is true for at most one lane of a warp.
bool excludes_others(const llvm::Value* condition, const ScalarKernel& kernel) {
  using namespace llvm::PatternMatch;
  const llvm::Value *one = nullptr, *other = nullptr;
  if (match(condition, m_LogicalAnd(m_Value(one), m_Value(other))))
    return excludes_others(one, kernel) || excludes_others(other, kernel);
  return is_elected(condition, kernel);
}

/// Whether at most one lane of a warp may be in the block at a time.
bool is_of_one_lane(const Block* block, const ScalarKernel& kernel, const Shapes& shapes) {
  for (const auto* node = shapes.dominators.getNode(block)->getIDom(); node;
       node = node->getIDom()) {
    const Block* above = node->getBlock();
    if (!shapes.is_divergent(above)) continue;
    const auto* branch = llvm::cast<llvm::BranchInst>(above->getTerminator());
    for (unsigned s = 0; s < 2; ++s) {
      const bool one =
          shapes.lane_test(above, s) || (s == 0 && excludes_others(branch->getCondition(), kernel));
      const llvm::BasicBlockEdge edge(above, branch->getSuccessor(s));
      if (one && shapes.dominators.dominates(edge, block)) return true;
    }
  }
  return false;
}

/// Blocks that lanes reach from `from` before they reconverge at `together`.
std::set<const Block*> apart(const Block* from, const Block* together) {
  std::set<const Block*> seen;
  std::vector<const Block*> work = {from};
  while (!work.empty()) {
    const Block* one = work.back();
    work.pop_back();
    if (one == together || !seen.insert(one).second) continue;
    work.insert(work.end(), llvm::succ_begin(one), llvm::succ_end(one));
  }
  return seen;
}

/// Whether lanes that wait at one of the `places` may wait for divergent lanes of their warp: for
/// an instruction that `answers` on the other side of a branch, or behind the reconvergence point,
/// but not behind a barrier.
bool hold_answers_up(const ScalarKernel& kernel, const Shapes& shapes,
                     const std::set<const Block*>& places, const auto& answers) {
  for (const Block& block : *kernel.function) {
    if (!shapes.is_divergent(&block) || is_of_one_lane(&block, kernel, shapes)) continue;
    const auto* branch = llvm::cast<llvm::BranchInst>(block.getTerminator());
    // Each lane takes the same side in each iteration, or one elected lane does.
    const auto* condition = llvm::dyn_cast<llvm::Instruction>(branch->getCondition());
    const llvm::Loop* loop = shapes.loops.getLoopFor(&block);
    const bool same = !loop || !condition || !loop->getOutermostLoop()->contains(condition) ||
                      is_elected(condition, kernel);
    for (unsigned s = 0; s < 2; ++s) {
      const auto waiting = apart(branch->getSuccessor(s), shapes.reconvergence_of(&block));
      if (std::ranges::none_of(waiting, [&](const Block* one) { return places.count(one) != 0; }))
        continue;
      const llvm::BasicBlockEdge edge(&block, branch->getSuccessor(s));
      std::set<const Block*> seen;
      std::vector<const Block*> work = {branch->getSuccessor(1 - s)};
      while (!work.empty()) {
        const Block* one = work.back();
        work.pop_back();
        if (!seen.insert(one).second || (same && shapes.dominators.dominates(edge, one))) continue;
        const auto stop = std::ranges::find_if(*one, [&](const llvm::Instruction& inst) {
          return gathers(inst, kernel) || answers(inst);
        });
        if (stop == one->end())
          work.insert(work.end(), llvm::succ_begin(one), llvm::succ_end(one));
        else if (!gathers(*stop, kernel))
          return true;
      }
    }
  }
  return false;
}

}  // namespace

WaitingLoops find_waiting_loops(const ScalarKernel& kernel, const Shapes& shapes) {
  WaitingLoops found;
  for (const llvm::Loop* loop : shapes.loops.getLoopsInPreorder()) {
    if (const llvm::CallInst* end = find_round_end(*loop, shapes)) {
      found[loop] = {end, true};
      continue;
    }
    const llvm::CallInst* asks = find_asking(*loop, kernel, shapes);
    if (!asks) continue;
    const bool more = std::ranges::any_of(loop->blocks(), [&](const Block* block) {
      return std::ranges::any_of(*block, [&](const llvm::Instruction& inst) {
        return is_barrier(inst) || (writes(inst, kernel) && &inst != asks);
      });
    });
    found[loop] = {asks, more};
  }
  return found;
}

bool holds_answers_up(const ScalarKernel& kernel, const Shapes& shapes, const llvm::Loop& loop) {
  return hold_answers_up(kernel, shapes, {loop.getHeader()},
                         [&](const auto& inst) { return writes(inst, kernel); });
}

bool only_asks(const llvm::Loop& loop, const ScalarKernel& kernel) {
  return llvm::none_of(loop.blocks(), [&](const Block* block) {
    return llvm::any_of(*block, [&](const auto& inst) { return is_noticed(inst, kernel); });
  });
}

void find_lone_waits(ScalarKernel& kernel, const Shapes& shapes) {
  for (const Block& block : *kernel.function) {
    for (const llvm::Instruction& inst : block) {
      if (machine_op(inst) != MachineOp::wait) continue;
      Site& site = site_of(llvm::cast<llvm::CallInst>(inst), kernel.sites);
      const llvm::Loop* loop = shapes.loops.getLoopFor(&block);
      site.alone = !loop || only_asks(*loop, kernel);
    }
  }
}

bool needs_all(const llvm::Instruction& inst, const ScalarKernel& kernel) {
  const MachineOp op = machine_op(inst);
  if (op == MachineOp::warp_barrier) return true;
  if (op != MachineOp::warp_op && !is_barrier_op(op)) return false;
  const Site& site = site_of_call(inst, kernel);
  return (site.has_members || op != MachineOp::warp_op) && !site.gathered;
}

std::vector<DivergentBarrier> find_divergent_barriers(const ScalarKernel& kernel,
                                                      const Shapes& shapes, bool for_all) {
  std::vector<DivergentBarrier> found;
  llvm::SetVector<const Block*> barriers;
  for (const Block& block : *kernel.function) {
    if (std::ranges::any_of(block, [&](const llvm::Instruction& inst) {
          return needs_all(inst, kernel) && (!for_all || gathers(inst, kernel));
        }))
      barriers.insert(&block);
  }
  for (const Block* block : barriers) {
    for (const llvm::Loop* loop = shapes.loops.getLoopFor(block); loop;
         loop = loop->getParentLoop()) {
      if (shapes.is_divergent(loop))
        found.push_back({{loop->getHeader()},
                         "a barrier in a loop that threads of a warp may leave one by one"});
    }
  }
  if (barriers.empty()) return {};
  const auto has_barrier = [&](const llvm::Loop& loop) {
    return std::ranges::any_of(loop.blocks(), [&](Block* one) { return barriers.count(one); });
  };
  for (const Block& block : *kernel.function) {
    if (!shapes.is_divergent(&block)) continue;
    // In a loop with both sides, a lane that goes around reaches the barriers an iteration later
    // than a lane that meets them on its side.
    std::set<const Block*> around;
    for (const llvm::Loop* loop = shapes.loops.getLoopFor(&block); loop;
         loop = loop->getParentLoop()) {
      if (has_barrier(*loop)) around.insert(loop->getHeader());
    }
    std::vector<std::set<const Block*>> reached;
    for (const Block* successor : llvm::successors(&block)) {
      std::set<const Block*> seen = {successor}, met;
      std::vector<const Block*> work = {successor};
      while (!work.empty()) {
        const Block* one = work.back();
        work.pop_back();
        if (barriers.count(one) || around.count(one)) met.insert(one);
        if (around.count(one)) continue;
        for (const Block* next : llvm::successors(one)) {
          if (seen.insert(next).second) work.push_back(next);
        }
      }
      reached.push_back(std::move(met));
    }
    if (reached[0] == reached[1] || reached[0].empty() || reached[1].empty()) continue;
    const llvm::Instruction& branch = *block.getTerminator();
    found.push_back({{branch.getSuccessor(0), branch.getSuccessor(1)},
                     "a barrier that only some threads of a warp may come to"});
  }
  return found;
}

namespace {

/// Whether lanes that wait for a barrier object may wait for divergent lanes of their warp to
/// arrive.
bool holds_arrivals_up(const ScalarKernel& kernel, const Shapes& shapes) {
  std::set<const Block*> objects;
  for (const llvm::Instruction& inst : llvm::instructions(*kernel.function)) {
    if (machine_op(inst) == MachineOp::wait) objects.insert(inst.getParent());
  }
  return !objects.empty() && hold_answers_up(kernel, shapes, objects, [&](const auto& inst) {
    return machine_op(inst) == MachineOp::step && arrives(site_of_call(inst, kernel).sem);
  });
}

}  // namespace

void ask_instead(ScalarKernel& kernel, const Shapes& shapes) {
  if (!holds_arrivals_up(kernel, shapes)) return;
  for (llvm::Instruction& inst : llvm::instructions(*kernel.function)) {
    if (machine_op(inst) != MachineOp::wait) continue;
    auto& call = llvm::cast<llvm::CallInst>(inst);
    llvm::Function& wait = *call.getCalledFunction();
    std::string name = wait.getName().str();
    name.replace(name.find("wait"), 4, "step");
    auto step = kernel.module->getOrInsertFunction(name, wait.getFunctionType());
    llvm::cast<llvm::Function>(step.getCallee())->copyAttributesFrom(&wait);
    call.setCalledFunction(step);
  }
}

std::string check_waits(const ScalarKernel& kernel, const Shapes& shapes,
                        const WaitingLoops& loops) {
  if (holds_arrivals_up(kernel, shapes))
    return "a wait of some threads of a warp, perhaps for others of it";
  if (std::ranges::any_of(
          loops, [&](const auto& one) { return holds_answers_up(kernel, shapes, *one.first); }))
    return "a loop that may wait for other threads of the warp";
  return {};
}

}  // namespace heddle::jit
