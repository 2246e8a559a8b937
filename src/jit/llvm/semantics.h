// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of lane instructions as LLVM IR: the functions of isa/sem/, compiled to bitcode when
// Heddle is built, one module a family.
#pragma once

#include <llvm/IR/Module.h>

#include <array>
#include <map>
#include <memory>
#include <string>

#include "base/types.h"

namespace heddle::jit {

/// A lane function: void(result*, operand*...). A second result lies `second_offset` bytes behind
/// the first one.
struct LaneFunction {
  llvm::Function* function = nullptr;  ///< declared in the kernel's module
  u32 result_bytes = 0, second_offset = 0, second_bytes = 0;
  bool late_canonical = false;  ///< a NaN in the result is not the canonical one yet
  u32 operands = 0;
  std::array<u32, 12> operand_bytes{};
};

class Semantics {
 public:
  explicit Semantics(llvm::Module& kernel) : kernel_(kernel) {}
  /// By isa::dispatch_index(). The function has no body until link().
  const LaneFunction& lane(u32 index);
  /// Brings the bodies of what was asked for into the kernel's module. Returns why it cannot.
  std::string link();

 private:
  struct Family {
    std::unique_ptr<llvm::Module> module;
    const llvm::Constant* table = nullptr;
  };
  Family& family(u32 number);

  llvm::Module& kernel_;
  std::map<u32, Family> families_;
  std::map<u32, LaneFunction> lanes_;
};

}  // namespace heddle::jit
