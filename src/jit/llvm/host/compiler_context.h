// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that compilations share, one at a time: LLVM's context, its description of the processor,
// lane functions that were parsed. Making these anew costs as much as compiling a small kernel.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <optional>
#include <string>

#include "base/types.h"
#include "jit/llvm/lower/semantics.h"

namespace heddle::jit {

struct CompilerContext {
  explicit CompilerContext(const std::string& processor);

  const std::string cpu;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> target;  ///< null: LLVM does not know the cpu
  std::optional<LaneFunctions> lanes;
  u32 uses = 0;

  /// Exclusive use of one, from a pool.
  class Loan {
   public:
    explicit Loan(const std::string& cpu);
    ~Loan();
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    CompilerContext* operator->() const { return context_.get(); }

   private:
    std::unique_ptr<CompilerContext> context_;
  };
};

}  // namespace heddle::jit
