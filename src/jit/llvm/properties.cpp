// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks whether a property of the code holds.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "jit/llvm/pass.h"
#include "jit/llvm/scalar/float_results.h"

namespace heddle::jit {
namespace {

/// Finds a function beside the kernel's that has a body; with `but_late`, none of
/// is_inlined_late().
std::string other_function(const PassState& state, bool but_late) {
  for (const llvm::Function& function : *state.kernel.module) {
    if (&function == state.kernel.function || function.isDeclaration()) continue;
    if (!but_late || !is_inlined_late(&function))
      return fmt::format("there is '{}'", function.getName().str());
  }
  return {};
}

std::string is_promoted(const llvm::Function& function) {
  for (const llvm::Instruction& inst : llvm::instructions(function)) {
    if (llvm::isa<llvm::AllocaInst>(inst))
      return fmt::format("'{}' is a variable", inst.getName().str());
  }
  return {};
}

std::string has_own_sites(const PassState& state) {
  std::set<const Site*> seen;
  for (const llvm::Instruction& inst : llvm::instructions(*state.kernel.function)) {
    if (is_access(inst) &&
        !seen.insert(&site_of(llvm::cast<llvm::CallInst>(inst), state.kernel.sites)).second)
      return "two accesses have the same Site";
  }
  return {};
}

std::string has_natural_loops(const llvm::Function& function) {
  const llvm::DominatorTree dominators(const_cast<llvm::Function&>(function));
  const llvm::LoopInfo loops(dominators);
  unsigned returns = 0;
  for (const llvm::BasicBlock& block : function) {
    const llvm::Instruction* end = block.getTerminator();
    if (llvm::isa<llvm::ReturnInst>(end))
      ++returns;
    else if (!llvm::isa<llvm::BranchInst, llvm::UnreachableInst>(end))
      return fmt::format("a block ends with '{}'", end->getOpcodeName());
  }
  if (returns > 1) return "there are several returns";
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isLoopSimplifyForm())
      return fmt::format("the loop at '{}' has several ways in or around, or shares an exit",
                         loop->getHeader()->getName().str());
  }
  return {};
}

std::string is_lcssa(const llvm::Function& function) {
  const llvm::DominatorTree dominators(const_cast<llvm::Function&>(function));
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops) {
    if (!loop->isRecursivelyLCSSAForm(dominators, loops))
      return fmt::format("a value that leaves the loop at '{}' is not at its exit",
                         loop->getHeader()->getName().str());
  }
  return {};
}

std::string has_scalar_phis(const llvm::Function& function) {
  for (const llvm::Instruction& inst : llvm::instructions(function)) {
    if (llvm::isa<llvm::PHINode>(inst) && inst.getType()->isStructTy())
      return "a phi node of a struct";
  }
  return {};
}

std::string has_no_region_ends(const PassState& state) {
  const llvm::Function* end = state.kernel.module->getFunction(kRegionEnd);
  return end && !end->use_empty() ? "a barrier is left" : "";
}

std::string if_not(bool holds, const char* why) { return holds ? "" : why; }

}  // namespace

const char* name_of(Property property) {
  static constexpr const char* kNames[] = {"thread", "one-function",  "inlined", "promoted",
                                           "sites",  "natural-loops", "lcssa",   "scalar-phis",
                                           "shapes", "vectors",       "regions", "image"};
  static_assert(std::size(kNames) == kProperties);
  return kNames[static_cast<unsigned>(property)];
}

std::string check_property(Property property, PassState& state) {
  switch (property) {
    case Property::thread:
      return if_not(state.kernel.function, "there is no function of a thread");
    case Property::one_function:
      return other_function(state, /*but_late=*/true);
    case Property::inlined:
      return other_function(state, /*but_late=*/false);
    case Property::promoted:
      return is_promoted(*state.kernel.function);
    case Property::sites:
      return has_own_sites(state);
    case Property::natural_loops:
      return has_natural_loops(*state.kernel.function);
    case Property::lcssa:
      return is_lcssa(*state.kernel.function);
    case Property::scalar_phis:
      return has_scalar_phis(*state.kernel.function);
    case Property::shapes:
      return if_not(state.shapes.has_value(), "there are no shapes");
    case Property::vectors:
      return if_not(state.vectorized.function, "there is no function of CTAs");
    case Property::regions:
      return has_no_region_ends(state);
    case Property::image:
      return if_not(!state.image.code.empty(), "there is no code");
  }
  HEDDLE_UNREACHABLE();
}

Properties find_properties(PassState& state) {
  Properties found;
  for (unsigned i = 0; i < kProperties; ++i) {
    const auto one = static_cast<Property>(i);
    const bool of_thread = one >= Property::one_function && one <= Property::scalar_phis;
    if ((of_thread && !state.kernel.function) ||
        (one == Property::regions && !state.vectorized.function))
      continue;
    if (check_property(one, state).empty()) found.add({one});
  }
  return found;
}

}  // namespace heddle::jit
