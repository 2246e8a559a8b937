// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory (PTX ISA 9.7.16.1): for each CTA 128 lanes of 512 columns of 32 bits, which kernels
// allocate by columns. The CTAs of a pair (9.7.16.5.1) allocate together with `.cta_group::2`.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "isa/tensor_product.h"

namespace heddle::machine {

using isa::kTensorColumns;
using isa::kTensorLanes;
using isa::kTensorUnit;

/// Whether tcgen05.alloc and dealloc accept this number of columns.
constexpr bool is_tensor_size(u32 columns) {
  return columns >= kTensorUnit && columns <= kTensorColumns && (columns & (columns - 1)) == 0;
}

/// A tensor memory address.
struct TensorAddress {
  u32 lane = 0, column = 0;
  static constexpr TensorAddress of(u32 word) { return {word >> 16, word & 0xffff}; }
};

/// Where an allocation was made: a function, an instruction of it, and the thread number in the
/// CTA.
struct TensorAllocator {
  u32 function = 0, inst = 0, thread = 0;
};

class TensorMemory {
 public:
  struct Allocation {
    u32 column = 0, columns = 0;
    TensorAllocator by;
  };

  /// Allocates the first free columns and fills them with zeros. Returns the first of them; none:
  /// not so many neighbouring columns are free.
  std::optional<u32> allocate(u32 columns, TensorAllocator by);
  /// False: there is no such allocation.
  bool free(u32 column, u32 columns);
  const std::vector<Allocation>& allocations() const { return allocations_; }
  u32 allocated_columns() const;
  /// A bit for each kTensorUnit columns that are allocated.
  u32 allocated_units() const { return used_; }

  /// tcgen05.relinquish_alloc_permit: the CTA allocates no more.
  void relinquish() { has_permit_ = false; }
  bool has_permit() const { return has_permit_; }

  /// The first column of [first, first + count) that is not allocated; none: all are.
  std::optional<u32> unallocated(u32 first, u32 count) const;
  /// The lanes of an allocated column.
  u32* column(u32 number) { return &words_[std::size_t{number} * kTensorLanes]; }

  // An instruction with `.cta_group::2` is executed by a warp in each CTA of a pair. The first one
  // executes it for both CTAs, and the second one takes the result.
  struct PairOperation {
    bool allocates = false;
    u32 column = 0, columns = 0;
  };
  /// As allocate(), in both CTAs at the same column.
  static std::optional<u32> allocate_pair(TensorMemory& own, TensorMemory& peer, u32 columns,
                                          TensorAllocator by);
  /// As free(), in both CTAs.
  static bool free_pair(TensorMemory& own, TensorMemory& peer, u32 column, u32 columns);
  /// The next operation that the peer has executed for this CTA; none: it is this CTA's turn.
  std::optional<PairOperation> take_from_peer();

  /// All columns are free, as at the start of a CTA.
  void reset();

 private:
  using Units = u32;  ///< one bit for each kTensorUnit columns
  static Units units(u32 column, u32 columns);
  static std::optional<u32> first_fit(Units used, u32 columns);
  void insert(u32 column, u32 columns, TensorAllocator by);

  std::vector<u32> words_;  ///< [column][lane]; empty until the first allocation
  std::vector<Allocation> allocations_;
  std::deque<PairOperation> from_peer_;
  Units used_ = 0;
  bool has_permit_ = true;
};

/// The tensor memories of the CTAs of a cluster, made when they are first used.
class ClusterTensorMemory {
 public:
  TensorMemory& of(u32 rank);
  /// Null: the CTA has not used its tensor memory.
  TensorMemory* find(u32 rank) const { return rank < all_.size() ? all_[rank].get() : nullptr; }
  /// The CTA begins.
  void begin(u32 rank) {
    if (TensorMemory* const one = find(rank)) one->reset();
  }

 private:
  std::vector<std::unique_ptr<TensorMemory>> all_;
};

}  // namespace heddle::machine
