// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a tensor copy on the engine that HEDDLE_ENGINE chooses. One thread copies boxes of a
// tensor of 512 KiB, which the L2 cache holds: `swizzled` by 128 bytes, `plain`, and so small that
// the fixed cost is left.
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "warp_kernel.h"

namespace {

constexpr unsigned kRounds = 1024, kCopies = 4;  // copies in a round
constexpr unsigned kTensor = 512 * 1024, kMapRoom = 4096;

/// Boxes of `row` bytes and `rows` rows.
struct Box {
  unsigned row, rows;
  const char* swizzle;  ///< as a number of tensormap.replace
  unsigned bytes() const { return row * rows; }
};

/// A kernel that makes its map in the memory before the tensor. `copy` has the operands map, y, box
/// and object.
std::string kernel(const Box& box, const std::string& copy) {
  std::string copies;
  for (unsigned i = 0; i < kCopies; ++i)
    copies += fmt::format("  {}\n  add.u32 y, y, {};\n  and.b32 y, y, {};\n", copy, box.rows,
                          kTensor / box.row - 1);
  return fmt::format(R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry copies(.param .u64 out)
{{
  .reg .b32 y, i, thread;
  .reg .b64 map, tensor;
  .reg .pred more, first;
  .shared .align 1024 .b8 box[32768];
  .shared .align 8 .b64 object;
  ld.param.u64 map, [out];
  add.u64 tensor, map, {};
  mov.u32 thread, %tid.x;
  setp.ne.u32 first, thread, 0;
  @first ret;
  tensormap.replace.tile.global_address.b1024.b64 [map], tensor;
  tensormap.replace.tile.rank.b1024.b32 [map], 1;
  tensormap.replace.tile.box_dim.b1024.b32 [map], 0, {};
  tensormap.replace.tile.box_dim.b1024.b32 [map], 1, {};
  tensormap.replace.tile.global_dim.b1024.b32 [map], 0, {};
  tensormap.replace.tile.global_dim.b1024.b32 [map], 1, {};
  tensormap.replace.tile.global_stride.b1024.b64 [map], 0, {};
  tensormap.replace.tile.element_stride.b1024.b32 [map], 1, 1;
  tensormap.replace.tile.elemtype.b1024.b32 [map], 6;
  tensormap.replace.tile.swizzle_mode.b1024.b32 [map], {};
  mbarrier.init.shared.b64 [object], 1;
  mov.u32 y, 0;
  mov.u32 i, 0;
ROUND:
  mbarrier.expect_tx.relaxed.cta.shared.b64 [object], {};
{}  add.u32 i, i, 1;
  setp.lt.u32 more, i, {};
  @more bra ROUND;
  ret;
}}
)",
                     kMapRoom, box.row / 2, box.rows, box.row / 2, kTensor / box.row, box.row,
                     box.swizzle, kCopies * box.bytes(), copies, kRounds);
}

void copies(benchmark::State& state, const Box& box, const std::string& copy) {
  heddle::bench::measure_warp(state, kernel(box, copy), "copies", kMapRoom + kTensor,
                              double{kRounds} * kCopies);
  state.SetBytesProcessed(state.iterations() * int64_t{kRounds} * kCopies * box.bytes());
}

constexpr const char* kLoad =
    "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [box], [map, {0, y}], "
    "[object];";
// A store signals nothing, so its bytes are completed by hand.
constexpr const char* kStore =
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {{0, y}}], [box];\n"
    "  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [object], {};";
constexpr const char* kBulk =
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [box], [tensor], {}, [object];";

constexpr Box kSwizzled{128, 64, "3"}, kPlain{128, 64, "0"}, kWide{512, 64, "0"},
    kSmall{16, 1, "0"};

void tensor_load_8k_swizzled(benchmark::State& state) { copies(state, kSwizzled, kLoad); }
void tensor_load_8k_plain(benchmark::State& state) { copies(state, kPlain, kLoad); }
void tensor_load_32k_plain(benchmark::State& state) { copies(state, kWide, kLoad); }
void tensor_load_16_bytes(benchmark::State& state) { copies(state, kSmall, kLoad); }
void tensor_store_8k_swizzled(benchmark::State& state) {
  copies(state, kSwizzled, fmt::format(fmt::runtime(kStore), kSwizzled.bytes()));
}
void bulk_load_8k(benchmark::State& state) {
  copies(state, kPlain, fmt::format(fmt::runtime(kBulk), kPlain.bytes()));
}
BENCHMARK(tensor_load_8k_swizzled)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(tensor_load_8k_plain)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(tensor_load_32k_plain)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(tensor_load_16_bytes)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(tensor_store_8k_swizzled)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(bulk_load_8k)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
