// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the warp function of a matrix instruction: puts the elements of its operands into the
// registers of a warp, and takes those of D from there.
#pragma once

#include <optional>

#include "inputs.h"
#include "isa/sem/matrix_fragments.h"

namespace heddle::matrices {

/// Where an element is in the registers of a warp.
struct Place {
  u32 product;  ///< of four quarters
  sem::MatrixElement element;
  u32 index, lane, shift;
};

/// Registers of a warp, of 16, 32 or 64 bits.
class RegisterFile {
 public:
  RegisterFile(u32 count, u32 bytes) : registers_(count), bytes_(bytes) {
    for (Register& one : registers_) pointers_.push_back(one.bytes);
  }
  u32 count() const { return static_cast<u32>(registers_.size()); }
  u64 get(u32 index, u32 lane) const;
  void set(u32 index, u32 lane, u64 value);
  void fill(u64 value);
  void* operand() { return pointers_.data(); }

 private:
  struct alignas(64) Register {
    u8 bytes[256];
  };
  std::vector<Register> registers_;
  std::vector<void*> pointers_;
  u32 bytes_;
};

class Caller {
 public:
  explicit Caller(const Instruction& instruction);

  struct Result {
    u32 product, row, column;
    u64 code;
  };
  /// Elements of D of the active lanes. None: a register of another lane has changed.
  std::optional<std::vector<Result>> call(const isa::TensorCore& core, std::span<const Case> cases,
                                          Random& random);

 private:
  void load_sparsity(const Case& of, Random& random);
  void load_scales(const Operands& of, Random& random);

  const Instruction& of_;
  std::vector<Place> places_a_, places_b_, places_c_, places_d_;
  RegisterFile a_, b_, c_, d_, metadata_, selector_, scale_a_, scale_b_, select_a_, select_b_;
};

/// The same of tcgen05.mma.
std::optional<std::vector<Caller::Result>> call_tensor(const Instruction& instruction,
                                                       const isa::TensorCore& core,
                                                       const Operands& operands, Random& random);

}  // namespace heddle::matrices
