// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// matrices.txt: mma, mma.sp, wmma and wgmma instructions as subjects. A block computes a case: one
// set of matrices.
#pragma once

#include <string_view>

#include "base/result.h"
#include "matrix_value.h"
#include "subject.h"

namespace heddle::golden {

enum class Unit { kMma, kWmma, kWgmma };

/// An instruction of matrices.txt. "Words" are of 32 bits.
struct MatrixInstruction {
  std::string name;         ///< the line
  std::string instruction;  ///< without operands
  Unit unit = Unit::kMma;
  u32 m = 0, n = 0, k = 0;
  Element a{}, b{}, c{}, d{};
  bool sparse = false;
  u32 selector = 0;             ///< for mma.sp
  bool a_in_registers = false;  ///< for wgmma, as swizzle, scale_d and operands
  u32 swizzle = 0;
  u32 scale_d = 1;
  std::string operands;

  u32 threads() const { return unit == Unit::kWgmma ? 128 : 32; }
  /// The words of a case. For matrices in registers, register r of thread t is word r * threads() +
  /// t (f64: elements of two words); wmma's matrices are stored row by row, wgmma's A and B in
  /// their layout in shared memory.
  u32 words_of_a() const, words_of_b() const, words_of_c() const, words_of_d() const;
};

/// The error is "line 12: REASON".
Result<std::vector<MatrixInstruction>> read_matrices(std::string_view text);

/// `entry`: the kernel's name.
Subject make_subject(const MatrixInstruction& matrix, const std::string& entry);

}  // namespace heddle::golden
