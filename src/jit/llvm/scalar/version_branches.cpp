// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/scalar/version_branches.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "jit/llvm/analysis/branch_weights.h"

namespace heddle::jit {
namespace {

using Block = llvm::BasicBlock;

/// The most instructions of a version: in all, and for each of its consecutive accesses to global
/// memory. Beyond that masks cost little of the whole, and each copy takes time to compile.
constexpr unsigned kMostInstructions = 120, kMostForEach = 20;

bool is_same(const Shape& shape) {
  return shape.is_affine() && shape.stride == 0 && shape.widened.empty();
}

/// Whether the first and last lanes determine the comparison in all lanes.
bool is_by_ends(const llvm::ICmpInst& compare, bool holds, const Shapes& shapes) {
  const llvm::Value &a = *compare.getOperand(0), &b = *compare.getOperand(1);
  const auto predicate = holds ? compare.getPredicate() : compare.getInversePredicate();
  if (predicate == llvm::ICmpInst::ICMP_EQ || !a.getType()->isIntegerTy()) return false;
  return (is_in_line(a, shapes) && is_same(shapes.of(&b))) ||
         (is_in_line(b, shapes) && is_same(shapes.of(&a)));
}

/// A path of branches, and the edge that each takes.
using Steps = llvm::MapVector<Block*, unsigned>;

/// Whether all lanes of a team come to the block together, if all follow the path.
bool all_come(const Block* block, const Steps& steps, const Shapes& shapes) {
  for (const llvm::Loop* loop = shapes.loops.getLoopFor(block); loop; loop = loop->getParentLoop())
    if (shapes.is_divergent(loop)) return false;
  for (const auto* node = shapes.dominators.getNode(block); node->getIDom();
       node = node->getIDom()) {
    Block *one = node->getBlock(), *above = node->getIDom()->getBlock();
    if (shapes.always_leads(above, one)) continue;
    const bool alone = one->getSinglePredecessor() == above;
    const bool part = shapes.is_divergent(above) && !steps.contains(above);
    if (part || !alone) return false;
  }
  return true;
}

/// Whether the access is to global memory, and consecutive.
bool is_line(const llvm::CallInst& access, const Site& site, const Shapes& shapes) {
  const Shape address = shapes.of(access.getArgOperand(1));
  return (site.space == ir::Space::global || site.space == ir::Space::generic) && !site.ordered &&
         address.is_affine() && address.stride == s64{site.bytes} * site.count;
}

/// The blocks that are copied: those of the path, without edges that leave it.
struct Choice {
  Steps steps;
  std::vector<Block*> way;
};

/// Whether the version pays: the blocks that all lanes execute together have consecutive accesses.
bool pays(const Choice& choice, const ScalarKernel& kernel, const Shapes& shapes) {
  unsigned instructions = 0, lines = 0;
  for (const Block* block : choice.way) {
    unsigned own_lines = 0;
    for (const llvm::Instruction& inst : *block) {
      if (const MachineOp op = machine_op(inst); op == MachineOp::load || op == MachineOp::store) {
        const auto& call = llvm::cast<llvm::CallInst>(inst);
        own_lines += is_line(call, site_of(call, kernel.sites), shapes);
      } else if (inst.mayHaveSideEffects() && op != MachineOp::atomic) {
        return false;  // other code may depend on its block
      }
      instructions += !llvm::isa<llvm::PHINode>(inst) && !inst.isTerminator();
    }
    if (instructions > kMostInstructions) return false;
    if (own_lines && all_come(block, choice.steps, shapes)) lines += own_lines;
  }
  return lines != 0 && instructions <= lines * kMostForEach;
}

/// The blocks behind the first edge that it dominates and that lanes reach, if all follow the path.
std::vector<Block*> way_behind(const Steps& steps, const Shapes& shapes) {
  const auto& [from, successor] = steps.front();
  Block* first = from->getTerminator()->getSuccessor(successor);
  llvm::SmallSetVector<Block*, 8> way;
  way.insert(first);
  for (std::size_t i = 0; i < way.size(); ++i) {
    const auto step = steps.find(way[i]);
    for (const auto& [s, next] : llvm::enumerate(llvm::successors(way[i]))) {
      if ((step == steps.end() || s == step->second) && shapes.dominators.dominates(first, next))
        way.insert(next);
    }
  }
  return {way.begin(), way.end()};
}

/// Whether a block on the path continues a loop whose header is not on it.
bool leads_around(const std::vector<Block*>& way, const Shapes& shapes) {
  return std::ranges::any_of(way, [&](const Block* block) {
    return llvm::any_of(llvm::successors(block), [&](const Block* next) {
      const llvm::Loop* loop = shapes.loops.getLoopFor(next);
      return loop && loop->getHeader() == next && !llvm::is_contained(way, next) &&
             loop->contains(block);
    });
  });
}

/// Ends the block with a branch on whether all lanes take that edge.
void ask(Block* block, llvm::BranchInst& branch, unsigned successor, Block* whole, Block* rest) {
  llvm::IRBuilder<> builder(block);
  builder.SetCurrentDebugLocation(branch.getDebugLoc());
  llvm::Value* condition = branch.getCondition();
  llvm::CallInst* asked = call_machine(builder, MachineOp::all_lanes, builder.getInt1Ty(),
                                       {condition, builder.getInt1(successor == 0)});
  expect(builder.CreateCondBr(asked, whole, rest));
  // The condition holds for each lane there.
  builder.SetInsertPoint(whole, whole->getFirstInsertionPt());
  builder.SetCurrentDebugLocation(llvm::DebugLoc());
  builder.CreateAssumption(successor == 0 ? condition : builder.CreateNot(condition));
}

void copy_version(ScalarKernel& kernel, const Choice& choice) {
  llvm::ValueToValueMapTy copies;
  const auto copy_of = [&](Block* block) { return llvm::cast<Block>(copies[block]); };
  for (Block* block : choice.way)
    copies[block] = llvm::CloneBasicBlock(block, copies, ".whole", kernel.function);
  for (Block* block : choice.way) {
    const auto comes_from = [&](Block* other) {
      const auto step = choice.steps.find(other);
      return step == choice.steps.end()
                 ? copies.count(other) != 0
                 : other->getTerminator()->getSuccessor(step->second) == block;
    };
    for (llvm::PHINode& phi : copy_of(block)->phis())
      phi.removeIncomingValueIf([&](unsigned i) { return !comes_from(phi.getIncomingBlock(i)); },
                                /*DeletePHIIfEmpty=*/false);
    for (llvm::Instruction& inst : *copy_of(block)) {
      llvm::RemapInstruction(&inst, copies,
                             llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges);
      if (!is_access(inst)) continue;
      auto& call = llvm::cast<llvm::CallInst>(inst);
      const u32 site = kernel.add_site(Site(site_of(call, kernel.sites)));
      call.setArgOperand(0, llvm::ConstantInt::get(call.getArgOperand(0)->getType(), site));
    }
    if (choice.steps.count(block)) continue;
    for (Block* next : llvm::successors(block)) {
      if (copies.count(next)) continue;
      for (llvm::PHINode& phi : next->phis()) {
        llvm::Value* value = phi.getIncomingValueForBlock(block);
        if (copies.count(value)) value = copies[value];
        if (phi.getBasicBlockIndex(copy_of(block)) < 0) phi.addIncoming(value, copy_of(block));
      }
    }
  }
  // The original branch moves to a block of its own, for divergent teams.
  const auto& [from, successor] = choice.steps.front();
  auto* branch = llvm::cast<llvm::BranchInst>(from->getTerminator());
  Block* rest = from->splitBasicBlock(branch, "rest");
  from->getTerminator()->eraseFromParent();
  ask(from, *branch, successor, copy_of(branch->getSuccessor(successor)), rest);
  for (const auto& [block, s] : llvm::drop_begin(choice.steps)) {
    auto* parts = llvm::cast<llvm::BranchInst>(copy_of(block)->getTerminator());
    parts->removeFromParent();
    ask(copy_of(block), *parts, s, parts->getSuccessor(s), rest);
    parts->deleteValue();
  }
}

/// Whether the edge is likely, the only one to its block, and a test that all lanes of a team take
/// it exists.
bool may_be_whole(const Block* block, unsigned successor, const Shapes& shapes) {
  const auto* branch = llvm::cast<llvm::BranchInst>(block->getTerminator());
  const Block* next = branch->getSuccessor(successor);
  return next->getSinglePredecessor() == block && !is_unlikely(block, next) &&
         requirements_of_team({branch->getCondition(), successor == 0}, shapes);
}

/// The longest path that begins with that edge and is worth a copy; without steps: none is.
Choice choose(Block* from, unsigned successor, const ScalarKernel& kernel, const Shapes& shapes) {
  Choice best, now;
  while (may_be_whole(from, successor, shapes)) {
    now.steps[from] = successor;
    now.way = way_behind(now.steps, shapes);
    from = from->getTerminator()->getSuccessor(successor);
    if (pays(now, kernel, shapes) && !leads_around(now.way, shapes)) best = now;
    // A block with side effects is not executed twice.
    const auto acts = [](const llvm::Instruction& inst) {
      return inst.mayHaveSideEffects() || llvm::isa<llvm::PHINode>(inst);
    };
    if (!shapes.is_divergent(from) || llvm::any_of(*from, acts)) break;
    successor = may_be_whole(from, 0, shapes) ? 0 : 1;
  }
  return best;
}

/// The paths to copy. None is within another, where not all lanes come.
std::vector<Choice> choose(const ScalarKernel& kernel, const Shapes& shapes) {
  std::vector<Choice> found;
  for (Block& block : *kernel.function) {
    if (!shapes.is_divergent(&block)) continue;
    Choice choice = choose(&block, 0, kernel, shapes);
    if (choice.steps.empty()) choice = choose(&block, 1, kernel, shapes);
    if (choice.steps.empty() || !all_come(&block, {}, shapes)) continue;
    found.push_back(std::move(choice));
  }
  return found;
}

}  // namespace

bool is_in_line(const llvm::Value& number, const Shapes& shapes) {
  const Shape shape = shapes.of(&number);
  const unsigned bits = number.getType()->getScalarSizeInBits();
  return shape.is_affine() && shape.stride != 0 && shape.widened.empty() && bits <= 64 &&
         std::abs(shapes.reach(shape)) < s64{1} << (bits - 2);
}

std::optional<std::vector<Requirement>> requirements_of_team(const Requirement& requirement,
                                                             const Shapes& shapes) {
  namespace match = llvm::PatternMatch;
  std::vector<Requirement> found, work = {requirement};
  std::set<Requirement> seen;
  while (!work.empty()) {
    const auto [condition, holds] = work.back();
    work.pop_back();
    if (!seen.insert({condition, holds}).second) continue;
    llvm::Value *a = nullptr, *b = nullptr;
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
    if (match::match(condition, match::m_Not(match::m_Value(a)))) {
      work.emplace_back(a, !holds);
    } else if (is_same(shapes.of(condition)) || (compare && is_by_ends(*compare, holds, shapes))) {
      found.emplace_back(condition, holds);
    } else if (holds ? match::match(condition,
                                    match::m_LogicalAnd(match::m_Value(a), match::m_Value(b)))
                     : match::match(condition,
                                    match::m_LogicalOr(match::m_Value(a), match::m_Value(b)))) {
      work.emplace_back(a, holds);
      work.emplace_back(b, holds);
    } else {
      return std::nullopt;
    }
  }
  return found;
}

bool make_unmasked_versions(ScalarKernel& kernel, const Shapes& shapes,
                            const machine::Dim3& block) {
  if (block.volume() % shapes.team() != 0) return false;
  const std::vector<Choice> choices = choose(kernel, shapes);
  for (const Choice& choice : choices) copy_version(kernel, choice);
  return !choices.empty();
}

}  // namespace heddle::jit
