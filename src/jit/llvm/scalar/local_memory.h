// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits loads and stores of a thread's local memory that no instruction of the kernel names.
#pragma once

#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// Emits at the insertion point of `builder`, for the instruction of its debug location.
class LocalMemory {
 public:
  LocalMemory(ScalarKernel& kernel, llvm::IRBuilder<>& builder)
      : kernel_(kernel), layout_(kernel.module->getDataLayout()), builder_(builder) {}

  /// In words as large as the alignment admits. `at`: an i64 offset.
  llvm::Value* load(llvm::Type* type, llvm::Value* at, u64 align);
  void store(llvm::Value* value, llvm::Value* at, u64 align);
  /// A site of that instruction.
  u32 site(u64 bytes);
  /// ScalarKernel::stack_pointer.
  llvm::Value* load_pointer() { return load(builder_.getInt64Ty(), pointer_place(), 8); }
  void store_pointer(llvm::Value* offset) { store(offset, pointer_place(), 8); }
  llvm::Value* beyond(llvm::Value* at, u64 bytes) {
    return bytes ? builder_.CreateAdd(at, builder_.getInt64(bytes)) : at;
  }

 private:
  llvm::Type* word_of(u64 bytes) { return builder_.getIntNTy(static_cast<unsigned>(bytes * 8)); }
  llvm::Value* pointer_place();

  ScalarKernel& kernel_;
  const llvm::DataLayout& layout_;
  llvm::IRBuilder<>& builder_;
};

}  // namespace heddle::jit
