// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/tensor_memory.h"

#include <algorithm>

namespace heddle::machine {

TensorMemory::Units TensorMemory::units(u32 column, u32 columns) {
  const u32 count = columns / kTensorUnit;
  return ((Units{1} << count) - 1) << (column / kTensorUnit);
}

std::optional<u32> TensorMemory::first_fit(Units used, u32 columns) {
  for (u32 column = 0; column + columns <= kTensorColumns; column += kTensorUnit) {
    if (!(used & units(column, columns))) return column;
  }
  return std::nullopt;
}

void TensorMemory::insert(u32 column, u32 columns, TensorAllocator by) {
  words_.resize(std::size_t{kTensorColumns} * kTensorLanes);
  std::fill_n(this->column(column), std::size_t{columns} * kTensorLanes, 0);
  used_ |= units(column, columns);
  allocations_.push_back({column, columns, by});
}

std::optional<u32> TensorMemory::allocate(u32 columns, TensorAllocator by) {
  const auto column = first_fit(used_, columns);
  if (column) insert(*column, columns, by);
  return column;
}

bool TensorMemory::free(u32 column, u32 columns) {
  const auto found = std::ranges::find_if(allocations_, [&](const Allocation& one) {
    return one.column == column && one.columns == columns;
  });
  if (found == allocations_.end()) return false;
  allocations_.erase(found);
  used_ &= ~units(column, columns);
  return true;
}

u32 TensorMemory::allocated_columns() const {
  u32 sum = 0;
  for (const Allocation& one : allocations_) sum += one.columns;
  return sum;
}

std::optional<u32> TensorMemory::unallocated(u32 first, u32 count) const {
  if (first >= kTensorColumns) return first;
  for (u32 column = first; column < first + count; ++column) {
    if (column == kTensorColumns || !(used_ >> column / kTensorUnit & 1)) return column;
  }
  return std::nullopt;
}

std::optional<u32> TensorMemory::allocate_pair(TensorMemory& own, TensorMemory& peer, u32 columns,
                                               TensorAllocator by) {
  const auto column = first_fit(own.used_ | peer.used_, columns);
  if (!column) return std::nullopt;
  own.insert(*column, columns, by);
  peer.insert(*column, columns, by);
  peer.from_peer_.push_back({true, *column, columns});
  return column;
}

bool TensorMemory::free_pair(TensorMemory& own, TensorMemory& peer, u32 column, u32 columns) {
  if (!own.free(column, columns) || !peer.free(column, columns)) return false;
  peer.from_peer_.push_back({false, column, columns});
  return true;
}

std::optional<TensorMemory::PairOperation> TensorMemory::take_from_peer() {
  if (from_peer_.empty()) return std::nullopt;
  const PairOperation first = from_peer_.front();
  from_peer_.pop_front();
  return first;
}

void TensorMemory::reset() {
  allocations_.clear();
  from_peer_.clear();
  used_ = 0;
  has_permit_ = true;
}

TensorMemory& ClusterTensorMemory::of(u32 rank) {
  if (all_.size() <= rank) all_.resize(rank + 1);
  if (!all_[rank]) all_[rank] = std::make_unique<TensorMemory>();
  return *all_[rank];
}

}  // namespace heddle::machine
