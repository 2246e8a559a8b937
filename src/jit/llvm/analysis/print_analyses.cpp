// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// print<...>: prints an analysis's results, a line for each value, block or loop that has one.
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/raw_ostream.h>

#include <fmt/format.h>

#include "jit/llvm/analysis/bounds.h"
#include "jit/llvm/analysis/demanded_lanes.h"
#include "jit/llvm/analysis/waits.h"
#include "jit/llvm/barrier/accumulators.h"
#include "jit/llvm/dump.h"
#include "jit/llvm/pass.h"

namespace heddle::jit {
namespace {

/// The name in the code: %name, or the instruction if it has no name.
std::string name_of_value(const llvm::Value& value) {
  std::string text;
  llvm::raw_string_ostream out(text);
  value.printAsOperand(out, /*PrintType=*/false);
  return text;
}

/// Prints instructions with a value for which `describe` has a text.
template <class Describe>
std::string print_values(PassState& state, const char* title, const Describe& describe) {
  state.printed += fmt::format("{}:\n", title);
  for (llvm::Instruction& inst : llvm::instructions(*state.kernel.function)) {
    if (inst.getType()->isVoidTy()) continue;
    if (const std::string text = describe(inst); !text.empty())
      state.printed += fmt::format("  {}: {}\n", name_of_value(inst), text);
  }
  return {};
}

std::string print_shapes(PassState& state) {
  const Shapes& shapes = *state.shapes;
  print_values(state, "shapes",
               [&](const llvm::Instruction& inst) { return describe_shape(shapes.of(&inst)); });
  for (const llvm::BasicBlock& block : *state.kernel.function) {
    if (shapes.is_divergent(&block))
      state.printed += fmt::format("  the branch of {} is divergent\n", name_of_value(block));
    if (shapes.may_reconverge(&block))
      state.printed += fmt::format("  divergent lanes may meet in {}\n", name_of_value(block));
  }
  for (const llvm::Loop* loop : shapes.loops.getLoopsInPreorder()) {
    if (shapes.is_divergent(loop))
      state.printed += fmt::format("  lanes leave the loop at {} one by one\n",
                                   name_of_value(*loop->getHeader()));
  }
  return {};
}

std::string print_bounds(PassState& state) {
  BoundsAnalysis bounds(*state.kernel.function, state.analyses);
  return print_values(state, "bounds", [&](llvm::Instruction& inst) {
    if (!inst.getType()->isIntegerTy() || inst.getType()->getIntegerBitWidth() > 64)
      return std::string();
    llvm::Instruction* behind = inst.getNextNode();
    while (llvm::isa<llvm::PHINode>(behind)) behind = behind->getNextNode();
    const Bounds found = bounds.of(&inst, *behind);
    std::string text = fmt::format("{} to {}", found.least, found.largest);
    if (found.zeros)
      text += fmt::format(", a multiple of {}", u64{1} << std::min(found.zeros, 63u));
    return text;
  });
}

std::string print_waits(PassState& state) {
  state.printed += "waits:\n";
  const Shapes& shapes = *state.shapes;
  const WaitingLoops loops = find_waiting_loops(state.kernel, shapes);
  for (const llvm::Loop* loop : shapes.loops.getLoopsInPreorder()) {
    const auto found = loops.find(loop);
    if (found == loops.end()) continue;
    state.printed += fmt::format(
        "  the loop at {} may wait for what {} gives{}{}\n", name_of_value(*loop->getHeader()),
        name_of_value(*found->second.asks), found->second.writes ? ", and does more" : "",
        holds_answers_up(state.kernel, shapes, *loop) ? "; it holds others of its warp up" : "");
  }
  for (const DivergentBarrier& one : find_divergent_barriers(state.kernel, shapes)) {
    state.printed += "  from";
    for (const llvm::BasicBlock* block : one.blocks)
      state.printed += fmt::format(" {}", name_of_value(*block));
    state.printed += fmt::format(": {}\n", one.why);
  }
  return {};
}

std::string print_demanded_lanes(PassState& state) {
  const DemandedLanes demanded(state.kernel, *state.shapes);
  const u64 every = ~u64{0} >> (64 - state.shapes->team());
  return print_values(state, "demanded lanes", [&](const llvm::Instruction& inst) {
    const u64 lanes = demanded.lanes(&inst);
    return lanes == every ? std::string() : fmt::format("{:#x}", lanes);
  });
}

std::string print_accumulators(PassState& state) {
  state.printed += "accumulators:\n";
  for (const Accumulator& one : find_accumulators(state.vectorized)) {
    state.printed += " ";
    for (const llvm::PHINode* phi : one.phis)
      state.printed += fmt::format(" {}", name_of_value(*phi));
    state.printed += fmt::format(": {}\n", one.in_frame ? "kept in the frame" : "no single place");
  }
  return {};
}

const Pass kPrinting[] = {
    {"print<shapes>",
     "what values are over the lanes of a team",
     print_shapes,
     {Property::shapes},
     {},
     {},
     true,
     true},
    {"print<bounds>", "bounds of integers", print_bounds, {Property::inlined}, {}, {}, true, true},
    {"print<waits>",
     "loops that may wait, and barriers that only some lanes come to",
     print_waits,
     {Property::shapes},
     {},
     {},
     true,
     true},
    {"print<demanded-lanes>",
     "demanded lanes of values, where not all are",
     print_demanded_lanes,
     {Property::shapes},
     {},
     {},
     true,
     true},
    {"print<accumulators>",
     "accumulators of loops that have more of them than registers",
     print_accumulators,
     {Property::vectors},
     {},
     {},
     true,
     true},
};

}  // namespace

std::span<const Pass> printing_passes() { return kPrinting; }

}  // namespace heddle::jit
