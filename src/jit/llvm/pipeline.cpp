// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's passes, in order, and the driver that runs them.
//
// Most passes work on the code of one thread: there a pass costs a thirty-second of its cost on
// vectors, and uniform values are visible. `vectorize` makes the code of CTAs of it, on which the
// rest of the table works.
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

#include <fmt/format.h>

#include "base/check.h"
#include "jit/llvm/analysis/fixed_point.h"
#include "jit/llvm/analysis/team.h"
#include "jit/llvm/barrier/cta_switching.h"
#include "jit/llvm/barrier/regions.h"
#include "jit/llvm/host/codegen.h"
#include "jit/llvm/host/cold_calls.h"
#include "jit/llvm/host/scalarize_masked.h"
#include "jit/llvm/host/target_rewrites.h"
#include "jit/llvm/host/verify_accesses.h"
#include "jit/llvm/pass.h"
#include "jit/llvm/scalar/broadcasts.h"
#include "jit/llvm/scalar/cleanup.h"
#include "jit/llvm/scalar/float_results.h"
#include "jit/llvm/scalar/inlining.h"
#include "jit/llvm/scalar/interleave_lanes.h"
#include "jit/llvm/scalar/join_pairs.h"
#include "jit/llvm/scalar/unroll.h"
#include "jit/llvm/scalar/version_branches.h"
#include "jit/llvm/vector/plan.h"
#include "jit/llvm/verify.h"

namespace heddle::jit {
namespace {

/// Code generation takes some 40 us for each.
constexpr unsigned kMostVectorInstructions = 400'000;
constexpr std::size_t kMostCode = std::size_t{16} << 20;

// --- LLVM's passes ---

template <class... Passes>
std::string run_llvm(PassState& state, Passes... passes) {
  llvm::FunctionPassManager all;
  (all.addPass(std::move(passes)), ...);
  all.run(state.code(), state.analyses.functions);
  return {};
}

/// Loops keep their latches, and switches over a range become comparisons.
llvm::SimplifyCFGPass simplify_thread() {
  llvm::SimplifyCFGOptions options;
  options.needCanonicalLoops(true).convertSwitchRangeToICmp(true);
  return llvm::SimplifyCFGPass(options);
}

/// Without partial redundancy elimination, which adds phi nodes: see sink_common().
llvm::GVNPass eliminate_redundant() {
  llvm::GVNOptions options;
  options.setPRE(false).setLoadPRE(false);
  return llvm::GVNPass(options);
}

auto hoist_from_loops() {
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  return llvm::createFunctionToLoopPassAdaptor(std::move(loops), true);
}

std::string promote(PassState& state) {
  return run_llvm(state, llvm::SROAPass(llvm::SROAOptions::ModifyCFG), llvm::EarlyCSEPass(),
                  simplify_thread(), llvm::InstCombinePass());
}

// --- ours, where they are more than a call ---

std::string lower_ptx(PassState& state) {
  ScalarKernel& kernel = state.kernel;
  kernel.semantics = std::make_unique<Semantics>(*kernel.module, *state.lanes);
  std::string why = lower(*state.request, kernel.module->getContext(), kernel);
  kernel.semantics.reset();
  if (why.empty()) compute_as_written(*kernel.function);
  return why;
}

/// Addresses of local variables that lie in other variables become known when those are values.
std::string promote_locals(PassState& state) {
  until_stable(state.kernel.locals.size(), [&] {
    const bool promoted = keep_local_variables(state.kernel);
    if (promoted) promote(state);
    return promoted;
  });
  return {};
}

std::string unroll_accumulators(PassState& state) {
  if (!unroll_accumulators(state.code(), state.analyses)) return {};
  return run_llvm(state, llvm::EarlyCSEPass(), llvm::ADCEPass(), llvm::LCSSAPass());
}

/// Teams of two warps, where the block is a whole number of pairs and that is faster.
std::string choose_team(PassState& state) {
  const auto choose = [&](u32 warps) { state.shapes.emplace(state.kernel, state.block, warps); };
  choose(state.block.volume() % (kMostWarps * kLanes) == 0 ? kMostWarps : 1);
  if (state.shapes->team() > kLanes && !why_alone(state.kernel, *state.shapes, state.block).empty())
    choose(1);
  return {};
}

std::string version_branches(PassState& state) {
  if (make_unmasked_versions(state.kernel, *state.shapes, state.block))
    state.shapes.emplace(state.kernel, state.block, state.shapes->team() / kLanes);
  return {};
}

/// A kernel that teams of two warps cannot run is tried with one warp, and then with interleaved
/// lanes, if lanes wait for each other.
std::string resolve_waits(PassState& state) {
  const auto why_not = [&] {
    find_lone_waits(state.kernel, *state.shapes);
    return why_not_vectorized(state.kernel, *state.shapes);
  };
  std::string why = why_not();
  const auto try_one_warp = [&] {
    state.shapes.emplace(state.kernel, state.block, 1);
    why = why_not();
  };
  if (!why.empty() && state.shapes->team() > kLanes) try_one_warp();
  if (!why.empty() && interleave_lanes(state.kernel, *state.shapes)) {
    llvm::Function& function = state.code();
    llvm::FunctionAnalysisManager& analyses = state.analyses.functions;
    analyses.clear(function, function.getName());
    run_llvm(state, llvm::EarlyCSEPass(), llvm::ADCEPass(), llvm::LowerSwitchPass());
    llvm::removeUnreachableBlocks(function);
    analyses.clear(function, function.getName());
    run_llvm(state, llvm::LoopSimplifyPass(), llvm::LCSSAPass());
    scalarize_phis(function);
    analyses.clear(function, function.getName());
    try_one_warp();
  }
  return why;
}

std::string make_vectors(PassState& state) {
  ScalarKernel& kernel = state.kernel;
  const Plan plan(kernel, *state.shapes);
  Vectorized made = vectorize(kernel, plan, state.analyses, state.block);
  made.switches_ctas = !made.waits && reads_by_column(kernel, *state.shapes);
  state.image.loops = !state.shapes->loops.empty();
  state.image.team = state.shapes->team();
  state.analyses.functions.clear(*kernel.function, kernel.function->getName());
  kernel.function->eraseFromParent();
  kernel.function = nullptr;
  state.vectorized = made;
  llvm::Function& cta = *made.function;
  compute_as_written(cta);
  cta.addFnAttr("prefer-vector-width", "512");
  cta.addFnAttr("min-legal-vector-width", "512");
  // Spilled vectors are aligned: across cache lines they cost twice.
  cta.addFnAttr("stackrealign");
  cta.addFnAttr(llvm::Attribute::getWithStackAlignment(cta.getContext(), llvm::Align(64)));
  return {};
}

std::string cut_at_barriers(PassState& state) {
  const Vectorized& cta = state.vectorized;
  // For a text that other passes have changed.
  if (!cta.entry || !cta.cta || !cta.head || !cta.next || !cta.done || !cta.finished)
    return "the function has lost the blocks by which regions are found";
  state.image.frame_bytes = split_regions(cta);
  return {};
}

std::string limit_size(PassState& state) {
  if (state.code().getInstructionCount() <= kMostVectorInstructions) return {};
  return fmt::format("more than {} instructions of vector code", kMostVectorInstructions);
}

std::string generate_code(PassState& state) {
  ScalarKernel& kernel = state.kernel;
  Image& image = state.image;
  if (std::string why = generate(kernel, state.analyses.target, image); !why.empty()) return why;
  if (image.code.size() > kMostCode) return fmt::format("more than {} MB of code", kMostCode >> 20);
  image.waits = state.vectorized.waits;
  image.switches_ctas = state.vectorized.switches_ctas;
  image.zeroes_subnormals = kernel.zeroes_subnormals;
  image.local_bytes = kernel.local_size();
  image.frame_of_call = kernel.frame_of_call;
  image.allocates = kernel.stack_pointer.has_value();
  image.symbols = kernel.symbols;
  image.sites = kernel.sites;
  return {};
}

/// Makes a function without a result a pass.
template <auto function>
std::string apply(PassState& state) {
  if constexpr (std::is_invocable_v<decltype(function), llvm::Function&>)
    function(state.code());
  else if constexpr (std::is_invocable_v<decltype(function), llvm::Function&, Analyses&>)
    function(state.code(), state.analyses);
  else if constexpr (std::is_invocable_v<decltype(function), llvm::Function&, llvm::TargetMachine&>)
    function(state.code(), state.analyses.target);
  else if constexpr (std::is_invocable_r_v<std::string, decltype(function), ScalarKernel&>)
    return function(state.kernel);
  else if constexpr (std::is_invocable_v<decltype(function), ScalarKernel&>)
    function(state.kernel);
  else if constexpr (std::is_invocable_r_v<std::string, decltype(function), ScalarKernel&,
                                           Analyses&>)
    return function(state.kernel, state.analyses);
  else
    function(state.kernel, state.analyses);
  return {};
}

using enum Property;
constexpr Properties kThread = {thread, one_function,  inlined, promoted,
                                sites,  natural_loops, lcssa,   scalar_phis};

#define LLVM_PASS(...) [](PassState& state) { return run_llvm(state, __VA_ARGS__); }

const Pass kPasses[] = {
    // PTX becomes one function of one thread. Registers are variables, and operations of the
    // machine are calls of heddle.* (scalar.h).
    {"lower", "PTX to the code of one thread", lower_ptx, {}, {thread}},
    {"use-instructions",
     "semantics that the processor has an instruction for",
     apply<use_instructions>,
     {thread}},
    {"mark-any-mode",
     "marks what flushing of operands does not change",
     apply<mark_any_mode>,
     {thread}},
    {"inline", "inlines functions that do not call themselves", apply<inline_functions>, {thread}},
    {"inline-recursion",
     "recursive functions become loops with frames in local memory",
     apply<inline_recursion>,
     {thread},
     {one_function}},

    // Registers become values.
    {"drop-first-writes",
     "removes initial zeroes of registers that no load sees",
     apply<drop_first_writes>,
     {one_function}},
    {"promote",
     "LLVM's SROA, EarlyCSE, SimplifyCFG and InstCombine: registers become values",
     promote,
     {one_function},
     {},
     {},
     true},
    {"promote-locals",
     "local variables whose accesses are all known become values",
     promote_locals,
     {one_function}},
    {"place-locals",
     "the other local variables get offsets in local memory",
     apply<place_local_variables>,
     {one_function}},
    {"number-accesses",
     "each access gets a Site of its own",
     apply<number_accesses>,
     {one_function},
     {sites}},
    {"infer-spaces",
     "generic addresses that come from a cvta get their state space",
     apply<infer_spaces>,
     {one_function, sites}},

    // PTX's rules for floating-point results, where they can be observed.
    {"canonical-nans",
     "NaNs become canonical where their bits are used",
     apply<place_canonical_nans>,
     {one_function}},
    {"place-flushes",
     "removes flushes of flushed operands, and those that the processor does",
     [](PassState& state) {
       place_flushes(state.kernel, state.analyses.target);
       return std::string();
     },
     {one_function}},
    {"inline-late",
     "inlines flushes and tests for normal numbers",
     apply<inline_late>,
     {one_function},
     {inlined}},

    // Clean code with natural loops.
    {"sink-common",
     "common instructions of all predecessors move to their successor",
     apply<sink_common>,
     {inlined}},
    {"add-masked", "2 x - (x & c) becomes x + (x & ~c)", apply<add_masked>, {inlined}},
    {"early-cse", "LLVM's", LLVM_PASS(llvm::EarlyCSEPass()), {}, {}, {}, true},
    {"instcombine", "LLVM's", LLVM_PASS(llvm::InstCombinePass()), {}, {}, {}, true},
    {"simplifycfg<keep-loops>",
     "LLVM's; loops stay what they are. It may copy a block with accesses into its predecessors",
     LLVM_PASS(simplify_thread()),
     {},
     {},
     {sites},
     true},
    {"loop-simplify", "LLVM's", LLVM_PASS(llvm::LoopSimplifyPass()), {}, {}, {}, true},
    {"lcssa", "LLVM's", LLVM_PASS(llvm::LCSSAPass()), {}, {}, {}, true},
    {"licm", "LLVM's", LLVM_PASS(hoist_from_loops()), {}, {}, {}, true},
    {"gvn",
     "LLVM's, without partial redundancy",
     LLVM_PASS(eliminate_redundant()),
     {},
     {},
     {},
     true},
    {"adce", "LLVM's", LLVM_PASS(llvm::ADCEPass()), {}, {}, {}, true},
    {"simplifycfg<keep-loops>",
     "LLVM's; loops stay what they are. It may copy a block with accesses into its predecessors",
     LLVM_PASS(simplify_thread()),
     {},
     {},
     {sites},
     true},
    {"lower-switch", "LLVM's", LLVM_PASS(llvm::LowerSwitchPass()), {}, {}, {}, true},
    {"mergereturn", "LLVM's", LLVM_PASS(llvm::UnifyFunctionExitNodesPass()), {}, {}, {}, true},
    {"fix-irreducible", "LLVM's", LLVM_PASS(llvm::FixIrreduciblePass()), {}, {}, {}, true},
    {"loop-simplify", "LLVM's", LLVM_PASS(llvm::LoopSimplifyPass()), {}, {natural_loops}, {}, true},
    {"lcssa", "LLVM's", LLVM_PASS(llvm::LCSSAPass()), {natural_loops}, {lcssa}, {}, true},

    // The form that the vectorizer takes.
    {"unroll-accumulators",
     "unrolls loops with more accumulators than registers by two",
     unroll_accumulators,
     {natural_loops, lcssa},
     {},
     {sites}},
    {"scalarize-phis",
     "phi nodes of structs become phi nodes of their elements",
     apply<scalarize_phis>,
     {inlined},
     {scalar_phis}},
    {"sign-extend-indices",
     "indices that are not negative are sign-extended",
     apply<sign_extend_indices>,
     {inlined}},
    {"number-accesses",
     "each access gets a Site of its own",
     apply<number_accesses>,
     {inlined},
     {sites}},
    {"join-pairs",
     "equal operations on both halves of a word become one on <2 x half>",
     [](PassState& state) {
       if (has_halves(state.analyses.target)) join_pairs(state.code());
       return std::string();
     },
     {inlined}},
    {"locals-to-memory",
     "variables that are indexed at run time go into local memory",
     apply<move_to_memory>,
     {inlined},
     {promoted, sites}},
    {"separate-broadcasts", "a barrier where a warp overwrites what all warps read",
     [](PassState& state) {
       separate_broadcasts(state.kernel, state.analyses, state.block);
       return std::string();
     },
     kThread},

    // Shapes of values over the lanes, and transformations by them.
    {"choose-team",
     "how many warps run together; shapes of values over their lanes",
     choose_team,
     kThread,
     {shapes}},
    {"version-branches",
     "loop versioning for branches: unmasked code behind divergent branches",
     version_branches,
     {shapes},
     {shapes},
     {sites}},
    {"resolve-waits",
     "teams of one warp, or interleaved lanes, where lanes wait for each other",
     resolve_waits,
     {shapes},
     {shapes}},
    {"vectorize",
     "the code of one thread becomes the code of CTAs",
     make_vectors,
     {shapes},
     {vectors},
     kThread},

    // Vectors.
    {"sroa<preserve-cfg>",
     "LLVM's; blocks stay what they are",
     LLVM_PASS(llvm::SROAPass(llvm::SROAOptions::PreserveCFG)),
     {},
     {},
     {},
     true},
    {"early-cse", "LLVM's", LLVM_PASS(llvm::EarlyCSEPass(false)), {}, {}, {}, true},
    {"adce", "LLVM's", LLVM_PASS(llvm::ADCEPass()), {}, {}, {}, true},
    {"split-regions",
     "barriers cut the code into regions, which warps execute one after the other",
     cut_at_barriers,
     {vectors},
     {regions}},
    {"early-cse", "LLVM's", LLVM_PASS(llvm::EarlyCSEPass(false)), {}, {}, {}, true},
    {"simplifycfg", "LLVM's", LLVM_PASS(llvm::SimplifyCFGPass()), {}, {}, {}, true},
    {"adce", "LLVM's", LLVM_PASS(llvm::ADCEPass()), {}, {}, {}, true},

    // Work-arounds for what LLVM's code generation does slowly, or wrongly.
    {"drop-undefined-gathers",
     "removes gathers of lanes that are never active",
     apply<drop_undefined_gathers>,
     {regions}},
    {"widen-halves",
     "arithmetic on vectors of halves becomes arithmetic on floats",
     [](PassState& state) {
       widen_halves(state.code(), state.analyses.target);
       return std::string();
     },
     {regions}},
    {"scalarize-masked",
     "masked accesses that the processor lacks become loops over lanes",
     [](PassState& state) {
       llvm::Function& cta = state.code();
       scalarize_masked(cta, state.analyses.functions.getResult<llvm::TargetIRAnalysis>(cta));
       return std::string();
     },
     {regions}},
    {"use-fixupimm",
     "vfixupimm and vfpclass for canonical NaNs and classes of numbers",
     [](PassState& state) {
       use_fixupimm(state.code(), state.analyses.target, state.kernel.zeroes_subnormals);
       return std::string();
     },
     {regions}},
    {"separate-choices",
     "keeps LLVM 19 from joining bits of two vectors wrongly",
     [](PassState& state) {
       separate_choices(state.code(), state.analyses.target);
       return std::string();
     },
     {regions}},
    {"separate-carries",
     "keeps LLVM 19 from an endless loop between two forms of a carry",
     [](PassState& state) {
       separate_carries(state.code(), state.analyses.target);
       return std::string();
     },
     {regions}},
    {"limit-size", "refuses very long code", limit_size, {regions}},
    {"verify-accesses",
     "the code verifies its accesses at run time (HEDDLE_VERIFY_JIT)",
     [](PassState& state) {
       if (state.verifies_accesses) verify_accesses(state.code());
       return std::string();
     },
     {regions}},
    {"cold-calls",
     "unlikely calls of the run-time preserve all registers",
     [](PassState& state) {
       make_cold_calls(state.code(), state.analyses.target);
       return std::string();
     },
     {regions}},
    {"codegen", "LLVM IR to machine code", generate_code, {regions}, {image}},
};

#undef LLVM_PASS

/// Bugs of the compiler end here and not in wrong code.
void verify(PassState& state, Properties have, const Pass& behind) {
  const auto fail = [&](std::string_view why) {
    llvm::errs() << state.code() << fmt::format("\nbehind {}: {}\n", behind.name, why);
    HEDDLE_CHECK(!"the code that was made is not valid");
  };
  std::string why;
  llvm::raw_string_ostream out(why);
  if (llvm::verifyFunction(state.code(), &out)) fail(why);
  for (unsigned i = 0; i < kProperties; ++i) {
    const auto one = static_cast<Property>(i);
    if (!have.has(one)) continue;
    if (std::string wrong = check_property(one, state); !wrong.empty())
      fail(fmt::format("{}: {}", name_of(one), wrong));
  }
}

}  // namespace

PassState::PassState(llvm::LLVMContext& context, llvm::TargetMachine& target) : analyses(target) {
  kernel.module = std::make_unique<llvm::Module>("kernel", context);
  kernel.module->setTargetTriple(target.getTargetTriple().str());
  kernel.module->setDataLayout(target.createDataLayout());
}

std::span<const Pass> all_passes() { return kPasses; }

std::string run_passes(std::span<const Pass* const> passes, PassState& state, Properties have,
                       const Driver& driver) {
  std::optional<StageTimer> clock;
  if (driver.stages) clock.emplace(*driver.stages);
  for (const Pass* pass : passes) {
    if (driver.abandoned && *driver.abandoned) return "the code is no longer wanted";
    for (unsigned i = 0; i < kProperties; ++i) {
      const auto one = static_cast<Property>(i);
      if (pass->needs.has(one) && !have.has(one))
        return fmt::format("{} needs code of which '{}' holds", pass->name, name_of(one));
    }
    if (std::string why = pass->run(state); !why.empty()) return why;
    have.remove(pass->breaks);
    have.add(pass->gives);
    if (!pass->is_analysis && !pass->gives.has(shapes)) {
      state.shapes.reset();
      have.remove({shapes});
    }
    if (driver.finds_properties) have = find_properties(state);
    if (!pass->is_llvm && !have.has(image)) {
      llvm::Function& code = state.code();
      state.analyses.functions.clear(code, code.getName());
    }
    if (clock) clock->end(pass->name);
    if (verifies() && !have.has(image)) verify(state, have, *pass);
    if (driver.after && !driver.after(*pass, state)) return {};
    if (clock) clock->restart();
  }
  return {};
}

}  // namespace heddle::jit
