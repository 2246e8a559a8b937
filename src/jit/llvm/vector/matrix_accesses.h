// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix and stmatrix (PTX ISA 9.7.14.5.15, 9.7.14.5.16). A row of a matrix, 16 bytes in shared
// memory, is a quarter of a half-warp's lanes of a register. Where all lanes are active and all
// rows legal, rows are loaded and stored as they are; elsewhere the fallback engine executes the
// instruction. It also loads and stores the matrices of wmma, and those of 8-bit elements.
#pragma once

#include <functional>

#include "jit/llvm/vector/fallback_operations.h"
#include "jit/llvm/vector/memory_windows.h"

namespace heddle::jit {

/// Both halves of a register that holds an 8x8 matrix of 16-bit elements.
using MatrixRegister = std::array<llvm::Value*, kHalves>;

MatrixRegister transposed_matrix(llvm::IRBuilder<>& builder, const MatrixRegister& matrix);

class MatrixAccesses : Emitter {
 public:
  MatrixAccesses(CtaFunction& function, LaneValues& values, RuntimeCalls& runtime,
                 MemoryWindows& windows, FallbackOperations& fallback)
      : Emitter(function),
        values_(values),
        runtime_(runtime),
        windows_(windows),
        fallback_(fallback) {}

  void emit(llvm::CallInst& call, const Site& site, const Halves& mask);

 private:
  /// The rows of an access.
  struct Rows {
    llvm::Value* legal;                                ///< i1
    std::function<llvm::Value*(unsigned lane)> place;  ///< emits a pointer; only where legal
  };
  Rows find_rows(const llvm::CallInst& call, const Site& site, const Halves& mask);
  Rows rows_at_offsets(llvm::Value* address, const std::vector<s64>& offsets, const Site& site,
                       const Window& window);
  Rows rows_of_lanes(llvm::Value* address, const Site& site, const Window& window,
                     const Halves& mask);
  Halves load(const llvm::CallInst& call, const Site& site, const Rows& rows);
  void store(const llvm::CallInst& call, const Site& site, const Rows& rows);

  LaneValues& values_;
  RuntimeCalls& runtime_;
  MemoryWindows& windows_;
  FallbackOperations& fallback_;
};

}  // namespace heddle::jit
