// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler, from the top.
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "base/check.h"
#include "jit/compiler.h"
#include "jit/llvm/codegen.h"
#include "jit/llvm/dump.h"
#include "jit/llvm/regions.h"
#include "jit/llvm/scalar.h"
#include "jit/llvm/shape.h"
#include "jit/llvm/vectorize.h"

namespace heddle::jit {
namespace {

/// Bugs of ours end here and not in wrong code.
void verify(const llvm::Function& function) {
#ifndef NDEBUG
  constexpr bool kAlways = true;
#else
  static const bool kAlways = std::getenv("HEDDLE_VERIFY_JIT") != nullptr;
#endif
  if (!kAlways) return;
  std::string why;
  llvm::raw_string_ostream out(why);
  if (llvm::verifyFunction(function, &out)) {
    llvm::errs() << why << function;
    HEDDLE_CHECK(!"the code that was made is not valid");
  }
}

}  // namespace

Result<Compiled> compile_here(const Request& request) {
  const auto target = make_target(request.cpu);
  if (!target) return Error{"LLVM does not know this processor"};
  llvm::LLVMContext context;
  ScalarKernel kernel;
  kernel.module = std::make_unique<llvm::Module>("kernel", context);
  kernel.module->setTargetTriple(target->getTargetTriple().str());
  kernel.module->setDataLayout(target->createDataLayout());
  const ir::Module& module = *request.module;
  Compiled compiled;

  if (std::string why = lower(request, context, kernel); !why.empty()) return Error{why};
  verify(*kernel.function);
  if (std::string why = tidy(kernel, target.get()); !why.empty()) return Error{why};
  if (request.dump == Dump::scalar) compiled.dump = dump(*kernel.function, kernel, module);

  const Shapes shapes(kernel, request.block);
  if (request.dump == Dump::uniform)
    compiled.dump = dump(*kernel.function, kernel, module, &shapes);
  std::string why;
  const Vectorized made = vectorize(kernel, shapes, request.block, why);
  if (!made.function) return Error{why};
  llvm::Function& cta = *made.function;
  verify(cta);
  kernel.function->eraseFromParent();
  kernel.function = nullptr;
  cta.addFnAttr("prefer-vector-width", "512");
  cta.addFnAttr("min-legal-vector-width", "512");
  // Vectors that do not fit into registers lie on the stack; across cache lines they cost twice.
  cta.addFnAttr("stackrealign");
  cta.addFnAttr(llvm::Attribute::getWithStackAlignment(context, llvm::Align(64)));
  tidy_vectors(cta, *target, false);
  compiled.image.frame_bytes = split_regions(made);
  verify(cta);
  tidy_vectors(cta, *target, true);
  if (request.dump == Dump::vector) compiled.dump = dump(cta, kernel, module);
  if (request.dump == Dump::code) {
    compiled.dump = assembly(kernel, *target, module);
    return compiled;
  }
  if (why = generate(kernel, *target, compiled.image); !why.empty()) return Error{why};
  compiled.image.loops = !shapes.loops.empty();
  compiled.image.local_bytes = kernel.local_bytes;
  compiled.image.symbols = kernel.symbols;
  compiled.image.sites = kernel.sites;
  return compiled;
}

}  // namespace heddle::jit
