// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of an ldmatrix or stmatrix of a warp, on the engine that HEDDLE_ENGINE chooses. The rows
// of the matrices lie at addresses that a loop counter changes: `swizzled` by an exclusive or,
// which gives each lane a distance of its own; `padded` by a sum.
#include <fmt/format.h>

#include <string>

#include "warp_kernel.h"

namespace {

constexpr unsigned kRounds = 4096, kMoves = 4;  // moves in a round

/// Every register of a result counts.
constexpr const char* kUse = R"(  xor.b32 sum, sum, r0;
  xor.b32 sum, sum, r1;
  xor.b32 sum, sum, r2;
  xor.b32 sum, sum, r3;
)";

/// A kernel of one warp with kRounds * kMoves instructions.
std::string kernel(const char* move, const char* next) {
  std::string moves;
  for (unsigned i = 0; i < kMoves; ++i) moves += fmt::format("  {};\n{}  {};\n", move, kUse, next);
  return fmt::format(R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry moves(.param .u64 out)
{{
  .reg .b32 r<4>, sum, row, swizzled, lane, low, i;
  .reg .b64 to;
  .reg .pred more;
  .shared .align 128 .b8 tile[8192];
  ld.param.u64 to, [out];
  mov.u32 lane, %tid.x;
  mov.u32 r0, lane;
  mov.u32 r1, lane;
  mov.u32 r2, lane;
  mov.u32 r3, lane;
  mov.u32 row, tile;
  and.b32 low, lane, 15;
  mad.lo.u32 row, low, 144, row;
  and.b32 low, lane, 16;
  add.u32 row, row, low;
  mov.u32 swizzled, row;
  mov.u32 sum, 0;
  mov.u32 i, 0;
ROUND:
  and.b32 low, i, 48;
{}  add.u32 i, i, 16;
  setp.lt.u32 more, i, {};
  @more bra ROUND;
  mad.wide.u32 to, lane, 4, to;
  st.global.u32 [to], sum;
  ret;
}}
)",
                     moves, kRounds * 16);
}

void moves(benchmark::State& state, const char* move, const char* next) {
  heddle::bench::measure_warp(state, kernel(move, next), "moves", 128, double{kRounds} * kMoves);
}

constexpr const char* kSwizzled = "xor.b32 swizzled, row, low";
constexpr const char* kPadded = "add.u32 swizzled, row, low";
#define MOVES(name, move, next)                                    \
  void name(benchmark::State& state) { moves(state, move, next); } \
  BENCHMARK(name)->Unit(benchmark::kMicrosecond)->UseRealTime()

MOVES(ldmatrix_x4_swizzled, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [swizzled]",
      kSwizzled);
MOVES(ldmatrix_x4_padded, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [swizzled]",
      kPadded);
MOVES(ldmatrix_x4_trans_swizzled,
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r0, r1, r2, r3}, [swizzled]", kSwizzled);
MOVES(stmatrix_x4_swizzled, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [swizzled], {r0, r1, r2, r3}",
      kSwizzled);

}  // namespace
