// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a matrix instruction computes, one element of D at a time, by the rules of docs/matrices.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "instruction.h"
#include "isa/tensor_core.h"
#include "numbers.h"

namespace heddle::matrices {

/// How a device adds products. `mma_narrow` of no products: by halves, as f16.
struct Device {
  std::string_view name;
  u32 sm;
  std::string_view profile;  ///< of the machine; empty: there is none
  isa::SumRule f16, tf32, narrow;
};
std::span<const Device> devices();
/// What warp functions read.
isa::TensorCore core_of(const Device& device);

/// The operands of a product, as codes.
struct Operands {
  std::vector<u64> a;                 ///< rows of k elements
  std::vector<bool> stored;           ///< which of them a sparse A has
  std::vector<u64> b;                 ///< columns of k elements
  std::vector<u64> c;                 ///< rows
  std::vector<u64> scale_a, scale_b;  ///< the factors of each row, of each column
};

/// D by rows.
std::vector<u64> multiply(const Instruction& instruction, const Device& device,
                          const Operands& operands);

}  // namespace heddle::matrices
