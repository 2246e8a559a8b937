// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix instruction: what its mnemonic says, and the warp function that runs it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "isa/form.h"
#include "machine/warp_functions.h"

namespace heddle::matrices {

struct Instruction {
  enum class Unit : u8 { mma, wmma, wgmma, tcgen05 } unit;
  std::string mnemonic;
  u32 m, n, k;
  isa::Type a, b, c, d;
  bool row_a = true, row_b = false;  ///< of quarters
  bool sparse = false, saturates = false, counts_ands = false;
  std::string rounding;                             ///< of f64: "rn"
  std::string kind;                                 ///< "mxf4", or empty
  isa::Type scale{};                                ///< type of scale factors
  u32 scales = 0;                                   ///< scale factors of a row or column
  const machine::WarpFunction* function = nullptr;  ///< null: tcgen05
  std::array<u8, isa::kMaxSlots> modifiers{};       ///< that are passed at run time

  /// Four products of eight lanes each: mma.m8n8k4 of f16.
  bool is_quarters() const { return unit == Unit::mma && k == 4 && a == isa::Type::f16; }
  u32 products() const { return is_quarters() ? 4 : 1; }
  u32 stored_k() const { return sparse ? k / 2 : k; }
  /// Of a row of a sparse A: groups of elements with four bits of metadata each.
  u32 chunk() const { return bits_of_a() >= 16 ? 64 / bits_of_a() : 32 / bits_of_a(); }
  /// In a register.
  u32 bits_of_a() const;
  u32 bits_of_b() const;
};

/// Of tcgen05, the mnemonic has the shape and the types, which are in the instruction descriptor.
/// Exits with a message if there is no such instruction.
Instruction find_instruction(const std::string& mnemonic);

/// "x{a,b}{c,d}" stands for "xac", "xad", "xbc" and "xbd".
std::vector<std::string> expand(std::string_view pattern);

}  // namespace heddle::matrices
