// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of lane instructions as LLVM IR: the functions of isa/sem/, compiled to bitcode when
// Heddle is built, one module a family. Such a function is void(result*, operand*...); here it
// becomes code between values at once, so that neither calls nor memory have to be removed again.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/types.h"

namespace llvm {
class TargetMachine;
}

namespace heddle::jit {

struct LaneFunction {
  llvm::Function* function = nullptr;                         ///< in its family's module
  u32 result_bytes = 0, second_offset = 0, second_bytes = 0;  ///< second_bytes: 0 if there is none
  bool is_long = false;  ///< with all that it calls: as code for each lane it would be very long
  bool late_canonical = false;  ///< a NaN in the result, a float, is not the canonical one yet
  u32 operands = 0;
  std::array<u32, 12> operand_bytes{};
};

/// The functions that some kernel wanted, for all kernels of one context.
class LaneFunctions {
 public:
  LaneFunctions(llvm::LLVMContext& context, const llvm::TargetMachine& target)
      : context_(context), target_(target) {}
  /// By isa::dispatch_index().
  const LaneFunction& get(u32 index);

 private:
  struct Family {
    std::unique_ptr<llvm::Module> module;
    const llvm::Constant* table = nullptr;
  };
  Family& family(u32 number);

  llvm::LLVMContext& context_;
  const llvm::TargetMachine& target_;
  std::map<u32, Family> families_;
  std::map<u32, LaneFunction> lanes_;
};

/// Their code in one kernel.
class Semantics {
 public:
  Semantics(llvm::Module& kernel, LaneFunctions& lanes);
  ~Semantics();
  const LaneFunction& lane(u32 index) { return lanes_.get(index); }
  /// The function's code, behind what `builder` has made; `variables` is at the start of the
  /// kernel's function. Operands and results are integers of the sizes that `lane` has. `mark`:
  /// metadata of that name for its instructions, or none.
  std::vector<llvm::Value*> emit(const LaneFunction& lane, std::span<llvm::Value* const> operands,
                                 llvm::IRBuilder<>& builder, llvm::IRBuilder<>& variables,
                                 const char* mark = nullptr);

 private:
  class Globals;
  class Inliner;

  LaneFunctions& lanes_;
  std::unique_ptr<Globals> globals_;
};

}  // namespace heddle::jit
