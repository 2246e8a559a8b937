// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/tensor_memory_ops.h"

#include <fmt/format.h>

#include <cstring>

#include "interp/mbarrier_ops.h"
#include "interp/windows.h"
#include "isa/sem/matrix_descriptor.h"
#include "isa/sem/tensor_memory.h"
#include "machine/tensor_memory.h"

namespace heddle::interp {

using machine::kTensorColumns;
using machine::kTensorLanes;
using machine::TensorAddress;
using machine::TensorMemory;
using machine::TrapKind;
using sem::TmemShape;

namespace {

u32 first_lane(const Warp& warp) { return static_cast<u32>(std::countr_zero(warp.mask)); }

TensorMemory& own_memory(const Warp& warp) { return warp.tensor_memory->of(rank_of(warp)); }

/// Whether an alloc, dealloc, shift or cp has `.cta_group::2`.
bool is_of_pair(const Op& op) { return op.runtime[0] != 0; }

// --- allocation ---

u32 checked_columns(Warp& warp, u32 lane, u32 columns) {
  if (!machine::is_tensor_size(columns)) {
    refuse_tensor(
        warp, lane,
        fmt::format("the number of columns is {}, must be a power of 2 from 32 to 512", columns));
  }
  return columns;
}

/// With `.cta_group::2`: the column of the operation that the peer has executed for both CTAs;
/// none: this CTA is the first. Traps if the peer has executed another one.
std::optional<u32> column_from_peer(Warp& warp, u32 lane, TensorMemory& own, bool allocates,
                                    u32 columns) {
  const auto done = own.take_from_peer();
  if (!done) return std::nullopt;
  if (done->allocates != allocates || done->columns != columns) {
    refuse_tensor(
        warp, lane,
        fmt::format("the other CTA of the pair has executed tcgen05.{} of {} columns instead",
                    done->allocates ? "alloc" : "dealloc", done->columns));
  }
  return done->column;
}

std::optional<u32> allocate(Warp& warp, const Op& op, u32 lane, u32 columns) {
  const machine::TensorAllocator by{op.function, op.inst, warp.first_thread + lane};
  TensorMemory& own = own_memory(warp);
  if (!is_of_pair(op)) return own.allocate(columns, by);
  TensorMemory& peer = warp.tensor_memory->of(peer_of(warp, lane));
  if (const auto column = column_from_peer(warp, lane, own, true, columns)) return column;
  return TensorMemory::allocate_pair(own, peer, columns, by);
}

// --- accesses ---

/// Traps unless [first, first + count) are allocated columns.
void check_columns(Warp& warp, u32 lane, const TensorMemory& memory, TensorAddress at, u32 count) {
  const auto missing = memory.unallocated(at.column, count);
  if (missing) refuse_tensor(warp, lane, describe_missing({at.lane, *missing}));
}

TensorAddress address_of(const Warp& warp, const Op& op, u32 lane) {
  return TensorAddress::of(static_cast<u32>(lane_address(warp, op, lane)));
}

/// What a warp accesses: columns and, in each of them, the lane that row 0 is in.
struct Access {
  TensorMemory& memory;
  u32 lane;
  u32 column[2];  ///< for the lower and the upper half of the warp
};

/// A warp reaches the quarter of the lanes that its number names (9.7.16.8.1). An address in lanes
/// 0 to 31 means that quarter in all warps, as on GPUs.
Access access_of(Warp& warp, const Op& op) {
  constexpr u32 kQuarter = 32;
  const auto shape = static_cast<TmemShape>(op.runtime[0]);
  const u32 lane = first_lane(warp), rows = sem::tensor_rows(shape);
  const TensorAddress at = address_of(warp, op, lane);
  const u32 own = warp.first_thread / kLanes % 4 * kQuarter,
            quarter = at.lane / kQuarter * kQuarter;
  if (quarter != own && quarter != 0) {
    refuse_tensor(warp, lane,
                  fmt::format("lane {} of tensor memory; this warp may access lanes {} to {}",
                              at.lane, own, own + kQuarter - 1));
  }
  if (at.lane % rows) {
    refuse_tensor(
        warp, lane,
        fmt::format("lane {} of tensor memory; this shape begins at a multiple of {} lanes",
                    at.lane, rows));
  }
  const u32 split = shape == TmemShape::_16x32bx2 ? warp.at<const u32>(op.src[1])[lane] : 0;
  Access access{own_memory(warp), own + at.lane % kQuarter, {at.column, at.column + split}};
  const u32 columns = sem::tensor_columns(shape, op.count) << op.runtime[1];
  for (const u32 first : access.column)
    check_columns(warp, lane, access.memory, {access.lane, first}, columns);
  return access;
}

/// Calls use(register, cell) for each register of each active lane. The cell is a word of tensor
/// memory; of two halves that are packed, the word of the lower one.
template <TmemShape kShape, class Use>
void for_each_cell(Warp& warp, const Op& op, const Access& access, Use use) {
  const u32 packed = op.runtime[1];
  for (u32 i = 0; i < op.count; ++i) {
    u32* const lanes = warp.at<u32>(op.list[i]);
    const auto visit = [&](u32 lane) {
      const sem::TensorCell cell = sem::tensor_cell<kShape>(lane, i);
      const u32 half = kShape == TmemShape::_16x32bx2 ? lane / 16 : 0;
      use(lanes[lane], access.memory.column(access.column[half] + (cell.column << packed)) +
                           access.lane + cell.row);
    };
    if (warp.mask == kAllLanes) {
      for (u32 lane = 0; lane < kLanes; ++lane) visit(lane);
    } else {
      sem::for_each_lane(warp.mask, visit);
    }
  }
}

template <class Use>
void for_each_cell(Warp& warp, const Op& op, const Access& access, Use use) {
  switch (static_cast<TmemShape>(op.runtime[0])) {
    case TmemShape::_16x64b:
      return for_each_cell<TmemShape::_16x64b>(warp, op, access, use);
    case TmemShape::_16x128b:
      return for_each_cell<TmemShape::_16x128b>(warp, op, access, use);
    case TmemShape::_16x256b:
      return for_each_cell<TmemShape::_16x256b>(warp, op, access, use);
    case TmemShape::_16x32bx2:
      return for_each_cell<TmemShape::_16x32bx2>(warp, op, access, use);
    default:
      return for_each_cell<TmemShape::_32x32b>(warp, op, access, use);
  }
}

/// Calls use(rank) for this CTA and, with `.cta_group::2`, its peer.
template <class Use>
void for_each_cta(Warp& warp, const Op& op, u32 lane, Use use) {
  use(rank_of(warp));
  if (is_of_pair(op)) use(peer_of(warp, lane));
}

// --- copies ---

struct CopyForm {
  sem::TmemCopy shape;
  sem::TmemMulticast multicast;
  sem::TmemSource source;
};

/// Copies a matrix from the shared memory of a CTA to its tensor memory.
void copy(Warp& warp, u32 lane, const CopyForm& form, const sem::MatrixLayout& layout,
          TensorAddress at, u32 rank) {
  constexpr u32 kWords = sem::kMatrixChunk / sizeof(u32);
  const sem::TensorCopyShape shape = sem::tensor_copy_shape(form.shape);
  TensorMemory& memory = warp.tensor_memory->of(rank);
  check_columns(warp, lane, memory, at, shape.parts * kWords);
  for (u32 row = 0; row < shape.rows; ++row) {
    const sem::TensorCopyRow to = sem::tensor_copy_row(form.shape, form.multicast, row);
    const u32 last =
        at.lane + to.lane + 32 * (31 - static_cast<u32>(std::countl_zero(to.quarters)));
    if (last >= kTensorLanes)
      refuse_tensor(warp, lane,
                    fmt::format("row {} of the matrix would be copied to lane {}", row, last));
    for (u32 part = 0; part < shape.parts; ++part) {
      const u32 offset = sem::chunk_address(layout, row, part);
      if (u64{offset} + sem::kMatrixChunk > warp.shared_size) {
        refuse_tensor(
            warp, lane,
            fmt::format(
                "row {} of the matrix lies at offset {} of shared memory, which has {} bytes", row,
                offset, warp.shared_size));
      }
      u8 bytes[sem::kMatrixChunk];
      u32 words[kWords];
      const auto* from =
          reinterpret_cast<const u8*>(warp.cluster_base + rank * machine::kSharedSlot + offset);
      for (u32 i = 0; i < sem::kMatrixChunk; ++i)
        bytes[i] = sem::tensor_copy_byte(form.source, from, i);
      std::memcpy(words, bytes, sizeof words);
      for (u32 rest = to.quarters; rest; rest &= rest - 1) {
        const u32 in = at.lane + 32 * static_cast<u32>(std::countr_zero(rest)) + to.lane;
        for (u32 i = 0; i < kWords; ++i)
          memory.column(at.column + part * kWords + i)[in] = words[i];
      }
    }
  }
}

}  // namespace

void refuse_tensor(Warp& warp, u32 lane, std::string detail) {
  raise_trap(warp, TrapKind::tensor_memory, lane, nullptr, std::move(detail));
}

u32 peer_of(Warp& warp, u32 lane) {
  const u32 peer = rank_of(warp) ^ 1;
  if (peer >= ranks(warp))
    refuse_tensor(warp, lane, "`.cta_group::2` needs a pair of CTAs, and this CTA has no peer");
  return peer;
}

void check_descriptor(Warp& warp, u32 lane, u64 bits, sem::Major major) {
  const sem::DescriptorFault fault = sem::tcgen05_descriptor_fault(bits, major);
  if (fault == sem::DescriptorFault::none) return;
  const std::string_view why =
      fault == sem::DescriptorFault::fixed_bits
          ? "bits 46 to 48 must be 0b001, bits 53 to 60 must be 0"
      : fault == sem::DescriptorFault::swizzle_code
          ? "the swizzling mode (bits 61 to 63) must be 0, 1, 2, 4 or 6"
          : "bit 52 needs a K-major matrix, 128-byte swizzling and a base offset of 0";
  refuse_tensor(warp, lane, fmt::format("the matrix descriptor is {:#018x}; {}", bits, why));
}

std::string describe_missing(TensorAddress at) {
  const std::string place = fmt::format("lane {}, column {} of tensor memory", at.lane, at.column);
  if (at.lane >= kTensorLanes) return fmt::format("{}, which has {} lanes", place, kTensorLanes);
  if (at.column >= kTensorColumns)
    return fmt::format("{}, which has {} columns", place, kTensorColumns);
  return fmt::format("{}, which is not allocated", place);
}

void tensor_allocate(Warp& warp, const Op& op) {
  const u32 lane = first_lane(warp);
  const u64 to = warp.at<const u64>(op.src[0])[lane];
  const u32 columns = checked_columns(warp, lane, warp.at<const u32>(op.src[1])[lane]);
  check_shared(warp, lane, to, sizeof(u32), sizeof(u32));
  if (rank_of(warp, to) != rank_of(warp))
    refuse_tensor(warp, lane, "the destination must be in the CTA's own shared memory");
  const TensorMemory& own = own_memory(warp);
  if (!own.has_permit())
    refuse_tensor(warp, lane, "the CTA has executed tcgen05.relinquish_alloc_permit");
  const std::optional<u32> column = allocate(warp, op, lane, columns);
  if (!column) {
    raise_trap(warp, TrapKind::deadlock, lane, nullptr,
               fmt::format("no {} neighbouring columns of tensor memory are free, and nobody else "
                           "frees some: the CTA has allocated {} of {}",
                           columns, own.allocated_columns(), kTensorColumns));
  }
  std::memcpy(reinterpret_cast<void*>(to), &*column, sizeof(u32));
}

void tensor_free(Warp& warp, const Op& op) {
  const u32 lane = first_lane(warp);
  const TensorAddress at = TensorAddress::of(warp.at<const u32>(op.src[0])[lane]);
  const u32 columns = checked_columns(warp, lane, warp.at<const u32>(op.src[1])[lane]);
  TensorMemory& own = own_memory(warp);
  bool done = false;
  if (is_of_pair(op)) {
    TensorMemory& peer = warp.tensor_memory->of(peer_of(warp, lane));
    const auto column = column_from_peer(warp, lane, own, false, columns);
    done = column ? *column == at.column : TensorMemory::free_pair(own, peer, at.column, columns);
  } else {
    done = own.free(at.column, columns);
  }
  if (done && at.lane == 0) return;
  refuse_tensor(
      warp, lane,
      fmt::format("there is no allocation of {} columns at lane {}, column {} of tensor memory",
                  columns, at.lane, at.column));
}

void tensor_relinquish(Warp& warp, const Op&) { own_memory(warp).relinquish(); }

void tensor_load(Warp& warp, const Op& op) {
  const Access access = access_of(warp, op);
  if (op.runtime[1]) {
    for_each_cell(warp, op, access, [](u32& value, const u32* cell) {
      value = (cell[0] & 0xffff) | cell[kTensorLanes] << 16;
    });
  } else {
    for_each_cell(warp, op, access, [](u32& value, const u32* cell) { value = *cell; });
  }
}

void tensor_store(Warp& warp, const Op& op) {
  const Access access = access_of(warp, op);
  if (op.runtime[1]) {
    for_each_cell(warp, op, access, [](u32 value, u32* cell) {
      cell[0] = value & 0xffff;
      cell[kTensorLanes] = value >> 16;
    });
  } else {
    for_each_cell(warp, op, access, [](u32 value, u32* cell) { *cell = value; });
  }
}

void tensor_load_reduce(Warp& warp, const Op& op) {
  tensor_load(warp, op);
  sem::for_each_lane(warp.mask, [&](u32 lane) {
    warp.at<u32>(op.dst[0])[lane] = sem::tensor_reduce(
        static_cast<isa::Type>(op.runtime[5]), static_cast<sem::TmemReduction>(op.runtime[2]),
        static_cast<sem::Flag>(op.runtime[3]), static_cast<sem::Flag>(op.runtime[4]), op.count,
        [&](u32 i) { return warp.at<const u32>(op.list[i])[lane]; });
  });
}

void tensor_copy(Warp& warp, const Op& op) {
  const CopyForm form{static_cast<sem::TmemCopy>(op.runtime[1]),
                      static_cast<sem::TmemMulticast>(op.runtime[2]),
                      static_cast<sem::TmemSource>(op.runtime[3])};
  for_lane_by_lane(warp, [&](u32 lane) {
    const TensorAddress at = address_of(warp, op, lane);
    const u64 bits = warp.at<const u64>(op.src[1])[lane];
    check_descriptor(warp, lane, bits, sem::Major::k);
    const auto layout = sem::matrix_layout(sem::tcgen05_descriptor(bits), sem::Major::k);
    for_each_cta(warp, op, lane, [&](u32 rank) { copy(warp, lane, form, layout, at, rank); });
  });
}

void tensor_shift(Warp& warp, const Op& op) {
  constexpr u32 kColumns = 8, kRows = 32;
  for_lane_by_lane(warp, [&](u32 lane) {
    const TensorAddress at = address_of(warp, op, lane);
    if (at.lane % kRows || at.lane >= kTensorLanes)
      refuse_tensor(warp, lane,
                    fmt::format("lane {} of tensor memory is no multiple of 32", at.lane));
    for_each_cta(warp, op, lane, [&](u32 rank) {
      TensorMemory& memory = warp.tensor_memory->of(rank);
      check_columns(warp, lane, memory, at, kColumns);
      for (u32 i = 0; i < kColumns; ++i) {
        u32* const rows = memory.column(at.column + i) + at.lane;
        std::memmove(rows + 1, rows, (kRows - 1) * sizeof(u32));
      }
    });
  });
}

void tensor_commit(Warp& warp, const Op& op) {
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 object = warp.at<const u64>(op.src[0])[lane];
    if (!(op.flags & kToRanks)) return arrive_once(warp, lane, object);
    check_shared(warp, lane, object, 8, 8);
    for_each_rank(warp, lane, warp.at<const u16>(op.src[1])[lane],
                  [&](u32 rank) { arrive_once(warp, lane, in_window_of(warp, object, rank)); });
  });
}

}  // namespace heddle::interp
