// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler, from the top.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <atomic>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "base/check.h"
#include "jit/compiler.h"
#include "jit/llvm/analyses.h"
#include "jit/llvm/broadcasts.h"
#include "jit/llvm/codegen.h"
#include "jit/llvm/cold_calls.h"
#include "jit/llvm/dump.h"
#include "jit/llvm/fixups.h"
#include "jit/llvm/lane_turns.h"
#include "jit/llvm/regions.h"
#include "jit/llvm/scalar.h"
#include "jit/llvm/shape.h"
#include "jit/llvm/team.h"
#include "jit/llvm/turns.h"
#include "jit/llvm/vectorize.h"
#include "jit/llvm/verify.h"
#include "jit/llvm/verify_accesses.h"
#include "jit/llvm/whole_ways.h"
#include "jit/llvm/workshop.h"

namespace heddle::jit {

bool verifies() {
#ifdef NDEBUG
  static const bool asked_for = std::getenv("HEDDLE_VERIFY_JIT") != nullptr;
  return asked_for;
#else
  return true;
#endif
}

namespace {

/// Bugs of ours end here and not in wrong code.
void verify(const llvm::Function& function) {
  if (!verifies()) return;
  std::string why;
  llvm::raw_string_ostream out(why);
  if (llvm::verifyFunction(function, &out)) {
    llvm::errs() << why << function;
    HEDDLE_CHECK(!"the code that was made is not valid");
  }
}

/// The same of a thread's code for the vectorizer: what leaves a loop goes by phi nodes at its
/// exits, which take what each lane leaves with; the lanes that are gone go on to compute.
void verify_thread(llvm::Function& function) {
  verify(function);
  if (!verifies()) return;
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops) {
    if (loop->isRecursivelyLCSSAForm(dominators, loops)) continue;
    llvm::errs() << function;
    HEDDLE_CHECK(!"a value that leaves a loop is not at its exit");
  }
}

/// LLVM takes some 40 us for each.
constexpr unsigned kMostVectorInstructions = 400'000;
constexpr std::size_t kMostCode = std::size_t{16} << 20;

/// Of LLVM's code generation, passes that need not run do not when nobody wants the code.
class Gate final : public llvm::OptPassGate {
 public:
  Gate(llvm::LLVMContext& context, const std::atomic<bool>* abandoned)
      : context_(context), abandoned_(abandoned) {
    context.setOptPassGate(*this);
  }
  ~Gate() override { context_.setOptPassGate(llvm::getGlobalPassGate()); }
  bool isEnabled() const override { return abandoned_ && *abandoned_; }
  bool shouldRunPass(llvm::StringRef, llvm::StringRef) override { return false; }

 private:
  llvm::LLVMContext& context_;
  const std::atomic<bool>* const abandoned_;
};

/// LLVM 19 takes a comparison of a magnitude with zero for one of the number itself, `|x| > 0` for
/// `x > 0`, when it joins it with a test for NaN (InstCombine's classes of numbers). It does so
/// only where it believes that it knows what becomes of subnormal numbers.
void compute_as_written(llvm::Function& function) {
  function.addFnAttr("denormal-fp-math", "dynamic,dynamic");
}

}  // namespace

Result<Compiled> compile_here(const Request& request) {
  Compiled compiled;
  StageClock clock(compiled.stages);
  const Workshop::Loan workshop(request.cpu);
  llvm::TargetMachine* const target = workshop->target.get();
  if (!target) return Error{"LLVM does not know this processor"};
  llvm::LLVMContext& context = workshop->context;
  ScalarKernel kernel;
  kernel.module = std::make_unique<llvm::Module>("kernel", context);
  kernel.module->setTargetTriple(target->getTargetTriple().str());
  kernel.module->setDataLayout(target->createDataLayout());
  const ir::Module& module = *request.module;
  Analyses analyses(*target);
  kernel.semantics = std::make_unique<Semantics>(*kernel.module, *workshop->lanes);
  clock.end("target");

  if (std::string why = lower(request, context, kernel); !why.empty()) return Error{why};
  kernel.semantics.reset();
  clock.end("lower");
  const auto is_abandoned = [&] { return request.abandoned && *request.abandoned; };
  const Error nobody{"nobody wants it any more"};
  verify(*kernel.function);
  compute_as_written(*kernel.function);
  if (std::string why = tidy(kernel, analyses); !why.empty()) return Error{why};
  part_broadcasts(kernel, analyses, request.block);
  if (is_abandoned()) return nobody;
  clock.end("tidy");
  verify_thread(*kernel.function);
  if (request.dump == Dump::scalar) compiled.dump = dump(*kernel.function, kernel, module);

  analyses.functions.clear(*kernel.function, kernel.function->getName());
  std::optional<Shapes> shapes;
  if (request.block.volume() % (kMostWarps * kLanes) == 0)
    shapes.emplace(kernel, request.block, kMostWarps);
  if (!shapes || !why_alone(kernel, *shapes, request.block).empty())
    shapes.emplace(kernel, request.block, 1);
  if (make_whole_ways(kernel, *shapes, request.block)) {
    verify_thread(*kernel.function);
    shapes.emplace(kernel, request.block, shapes->team() / kLanes);
    analyses.functions.clear(*kernel.function, kernel.function->getName());
  }
  clock.end("shape");
  std::string why;
  Vectorized made = vectorize(kernel, *shapes, analyses, request.block, why);
  const auto try_one_warp = [&] {
    shapes.emplace(kernel, request.block, 1);
    made = vectorize(kernel, *shapes, analyses, request.block, why);
  };
  // A barrier where two warps part, for one.
  if (!made.function && shapes->team() > kLanes) try_one_warp();
  if (!made.function && take_turns(kernel, *shapes, analyses)) {
    verify_thread(*kernel.function);
    try_one_warp();
  }
  if (!made.function) return Error{why};
  if (is_abandoned()) return nobody;
  clock.end("vectorize");
  if (request.dump == Dump::uniform)
    compiled.dump = dump(*kernel.function, kernel, module, &*shapes);
  made.turns = !made.waits && reads_columns(kernel, *shapes);
  llvm::Function& cta = *made.function;
  verify(cta);
  analyses.functions.clear(*kernel.function, kernel.function->getName());
  kernel.function->eraseFromParent();
  kernel.function = nullptr;
  compute_as_written(cta);
  cta.addFnAttr("prefer-vector-width", "512");
  cta.addFnAttr("min-legal-vector-width", "512");
  // Vectors that do not fit into registers lie on the stack; across cache lines they cost twice.
  cta.addFnAttr("stackrealign");
  cta.addFnAttr(llvm::Attribute::getWithStackAlignment(context, llvm::Align(64)));
  tidy_vectors(cta, analyses, false);
  if (is_abandoned()) return nobody;
  clock.end("tidy vectors");
  compiled.image.frame_bytes = split_regions(made);
  clock.end("regions");
  verify(cta);
  analyses.functions.clear(cta, cta.getName());
  tidy_vectors(cta, analyses, true);
  use_fixups(cta, *target, kernel.zeroes_subnormals);
  part_choices(cta, *target);
  part_carries(cta, *target);
  if (is_abandoned()) return nobody;
  clock.end("tidy vectors again");
  if (cta.getInstructionCount() > kMostVectorInstructions)
    return Error{fmt::format("more than {} instructions of vector code", kMostVectorInstructions)};
  if (verifies() && request.dump == Dump::none) verify_accesses(cta);
  make_cold_calls(cta, *target);
  if (request.dump == Dump::vector) {
    compiled.dump = dump(cta, kernel, module);
    return compiled;
  }
  if (request.dump == Dump::code) {
    compiled.dump = assembly(kernel, *target, module);
    return compiled;
  }
  const Gate gate(context, request.abandoned);
  if (why = generate(kernel, *target, compiled.image); !why.empty()) return Error{why};
  if (is_abandoned()) return nobody;
  if (compiled.image.code.size() > kMostCode)
    return Error{fmt::format("more than {} MB of code", kMostCode >> 20)};
  clock.end("codegen");
  compiled.image.loops = !shapes->loops.empty();
  compiled.image.waits = made.waits;
  compiled.image.columns = made.turns;
  compiled.image.zeroes_subnormals = kernel.zeroes_subnormals;
  compiled.image.team = shapes->team();
  compiled.image.local_bytes = kernel.local_size();
  compiled.image.frame_of_call = kernel.frame_of_call;
  compiled.image.allocates = kernel.stack_pointer.has_value();
  compiled.image.symbols = kernel.symbols;
  compiled.image.sites = kernel.sites;
  return compiled;
}

}  // namespace heddle::jit
