// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts rows of 1024. The native code sorts 16 rows at once, a row in each lane, with the same
// network, in which no branch depends on the data.
#include "jobs/all.h"
#include "jobs/lanes.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

constexpr int kColumns = 1024;

// Compares at distance `stride` within [begin, begin + count), towards sorted runs of `size`.
void exchange(Ints* values, int begin, int count, int size, int stride) {
  for (int base = begin; base < begin + count; base += 2 * stride) {
    const bool ascending = (base & size) == 0;
    Ints* low = values + base;
    Ints* high = low + stride;
    for (int i = 0; i < stride; ++i) {
      const Ints least = __builtin_elementwise_min(low[i], high[i]);
      const Ints most = __builtin_elementwise_max(low[i], high[i]);
      low[i] = ascending ? least : most;
      high[i] = ascending ? most : least;
    }
  }
}

// The steps within pieces of kPiece run while a piece is in L1.
constexpr int kPiece = 256;

void sort(Ints* values) {
  for (int piece = 0; piece < kColumns; piece += kPiece) {
    for (int size = 2; size <= kPiece; size *= 2) {
      for (int stride = size / 2; stride > 0; stride /= 2) {
        exchange(values, piece, kPiece, size, stride);
      }
    }
  }
  for (int size = 2 * kPiece; size <= kColumns; size *= 2) {
    for (int stride = size / 2; stride >= kPiece; stride /= 2) {
      exchange(values, 0, kColumns, size, stride);
    }
    for (int piece = 0; piece < kColumns; piece += kPiece) {
      for (int stride = kPiece / 2; stride > 0; stride /= 2) {
        exchange(values, piece, kPiece, size, stride);
      }
    }
  }
}

void sort_rows(const int* in, int* out) {
  static thread_local Ints values[kColumns];
  for (int column = 0; column < kColumns; column += kLanes) {
    Words square[kLanes];
    for (int i = 0; i < kLanes; ++i) square[i] = load<Words>(in + i * kColumns + column);
    transpose(square);
    __builtin_memcpy(values + column, square, sizeof square);
  }
  sort(values);
  for (int column = 0; column < kColumns; column += kLanes) {
    Words square[kLanes];
    __builtin_memcpy(square, values + column, sizeof square);
    transpose(square);
    for (int i = 0; i < kLanes; ++i) store(out + i * kColumns + column, square[i]);
  }
}

}  // namespace

Job bitonic(int rows) {
  Job job("bitonic");
  Random random;
  const auto* in = job.array<int>(rows * kColumns, [&](auto) { return random() - (1 << 23); });
  auto* out = job.zeros<int>(rows * kColumns);
  job.launch("bitonic", {static_cast<unsigned>(rows)}, {kColumns / 2}, in, out);
  job.native = [=](Team& team) {
    team.split(rows, kLanes, [=](long begin, long end) {
      for (long row = begin; row < end; row += kLanes) {
        sort_rows(in + row * kColumns, out + row * kColumns);
      }
    });
  };
  job.result_in(out);
  return job;
}

}  // namespace heddle::bench
