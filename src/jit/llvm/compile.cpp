// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler, from the top.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/OptBisect.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "base/check.h"
#include "jit/compiler.h"
#include "jit/llvm/codegen.h"
#include "jit/llvm/dump.h"
#include "jit/llvm/pass.h"
#include "jit/llvm/verify.h"
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

/// The pass behind which a dump shows the code.
const char* last_pass(Dump dump) {
  switch (dump) {
    case Dump::none:
      return nullptr;
    case Dump::scalar:
      return "separate-broadcasts";
    case Dump::uniform:
      return "resolve-waits";
    case Dump::vector:
    case Dump::code:
      return "cold-calls";
  }
  HEDDLE_UNREACHABLE();
}

std::string show(Dump what, PassState& state) {
  const ir::Module& module = *state.request->module;
  if (what == Dump::code) return assembly(state.kernel, state.analyses.target, module);
  return dump(state.code(), state.kernel, module, state.shapes ? &*state.shapes : nullptr);
}

}  // namespace

Result<Compiled> compile_here(const Request& request) {
  Compiled compiled;
  StageClock clock(compiled.stages);
  const Workshop::Loan workshop(request.cpu);
  if (!workshop->target) return Error{"LLVM does not know this processor"};
  PassState state(workshop->context, *workshop->target);
  state.request = &request;
  state.lanes = &*workshop->lanes;
  state.block = request.block;
  state.verifies_accesses = verifies() && request.dump == Dump::none;
  clock.end("target");

  const char* const last = last_pass(request.dump);
  const Gate gate(workshop->context, request.abandoned);
  Driver driver{&compiled.stages, request.abandoned, [&](const Pass& pass, PassState& now) {
                  if (!last || std::string_view(last) != pass.name) return true;
                  compiled.dump = show(request.dump, now);
                  return request.dump == Dump::scalar || request.dump == Dump::uniform;
                }};
  std::vector<const Pass*> passes;
  for (const Pass& pass : all_passes()) passes.push_back(&pass);
  if (std::string why = run_passes(passes, state, {}, driver); !why.empty()) return Error{why};
  compiled.image = std::move(state.image);
  return compiled;
}

}  // namespace heddle::jit
