// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a matrix product of a warp or a warp group, on the engine that HEDDLE_ENGINE chooses,
// beside native f32 arithmetic on the same tile. D is the next product's C. Operands are near one,
// as in most programs; `infinite`: A has an infinity, which takes the way of unusual numbers.
#include <fmt/format.h>

#include <string>

#include "warp_kernel.h"

namespace {

constexpr unsigned kRounds = 1024, kProducts = 4;  // products in a round

struct Product {
  const char* instruction;
  const char* type;  ///< of the accumulator
  unsigned a, b, d;  ///< registers
  unsigned one;      ///< the bits of ones, in each element of a register of A and B
  unsigned mask;     ///< the bits that lanes change
};

std::string listed(const char* name, unsigned first, unsigned count) {
  std::string all;
  for (unsigned i = 0; i < count; ++i) all += fmt::format("{}{}{}", i ? ", " : "", name, first + i);
  return "{" + all + "}";
}

/// A kernel of one warp with kRounds * kProducts instructions.
std::string kernel(const Product& p, bool infinite) {
  const bool wide = std::string_view(p.type) == "f64";
  const char* operand = wide ? "f64" : "b32";
  std::string begin, products, end;
  for (unsigned i = 0; i < p.a + p.b; ++i) {
    const std::string name = i < p.a ? fmt::format("a{}", i) : fmt::format("b{}", i - p.a);
    begin += fmt::format(
        "  mad.lo.u32 bits, lane, {}, {};\n  and.b32 bits, bits, {:#x};\n"
        "  xor.b32 bits, bits, {:#x};\n",
        77777 * (i + 1), i, p.mask, infinite && i == 0 ? 0x7c007c00u : p.one);
    begin += wide ? fmt::format("  cvt.rn.f64.u32 {}, bits;\n", name)
                  : fmt::format("  mov.b32 {}, bits;\n", name);
  }
  for (unsigned i = 0; i < p.d; ++i)
    begin += fmt::format("  mov.{} d{}, 0{};\n", p.type, i,
                         std::string_view(p.type) == "f32" ? "f00000000"
                         : wide                            ? "d0000000000000000"
                                                           : "");
  for (unsigned i = 0; i < kProducts; ++i)
    products += fmt::format("  {} {}, {}, {}, {};\n", p.instruction, listed("d", 0, p.d),
                            listed("a", 0, p.a), listed("b", 0, p.b), listed("d", 0, p.d));
  for (unsigned i = 0; i < p.d; ++i)
    end += fmt::format("  st.global.{} [to+{}], d{};\n", p.type, 8 * i, i);
  return fmt::format(R"(.version 8.8
.target sm_120a
.address_size 64
.visible .entry products(.param .u64 out)
{{
  .reg .b32 bits, lane, i;
  .reg .{} a<8>, b<8>;
  .reg .{} d<8>;
  .reg .b64 to;
  .reg .pred more;
  mov.u32 lane, %tid.x;
{}  mov.u32 i, 0;
ROUND:
{}  add.u32 i, i, 1;
  setp.lt.u32 more, i, {};
  @more bra ROUND;
  ld.param.u64 to, [out];
  mad.wide.u32 to, lane, 64, to;
{}  ret;
}}
)",
                     operand, p.type, begin, products, kRounds, end);
}

void products(benchmark::State& state, const Product& product, bool infinite) {
  heddle::bench::measure_warp(state, kernel(product, infinite), "products", 64 * 32,
                              double{kRounds} * kProducts);
}

constexpr unsigned kNear = 0x00ff00ff;
constexpr Product kF16 = {
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f32", 4, 2, 4, 0x3c003c00, kNear};
constexpr Product kBf16 = {
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "f32", 4, 2, 4, 0x3f803f80, 0x003f003f};
constexpr Product kTf32 = {
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "f32", 4, 2, 4, 0x3f800000, 0x007fe000};
constexpr Product kE4m3 = {
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "f32", 4, 2, 4, 0x38383838, 0x07070707};
constexpr Product kS8 = {
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "s32", 4, 2, 4, 0, 0xffffffff};
constexpr Product kF64 = {
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "f64", 1, 1, 2, 0, 0xff};
#define PRODUCTS(name, product, infinite)                                    \
  void name(benchmark::State& state) { products(state, product, infinite); } \
  BENCHMARK(name)->Unit(benchmark::kMicrosecond)->UseRealTime()

PRODUCTS(mma_m16n8k16_f16, kF16, false);
PRODUCTS(mma_m16n8k16_f16_infinite, kF16, true);
PRODUCTS(mma_m16n8k16_bf16, kBf16, false);
PRODUCTS(mma_m16n8k8_tf32, kTf32, false);
PRODUCTS(mma_m16n8k32_e4m3, kE4m3, false);
PRODUCTS(mma_m16n8k32_s8, kS8, false);
PRODUCTS(mma_m8n8k4_f64, kF64, false);

/// wgmma.mma_async m64n128k16 of f16, of four warps; `major`: of B, 1 is MN.
std::string group_kernel(unsigned major) {
  constexpr unsigned kRegisters = 64;
  std::string begin;
  for (unsigned i = 0; i < kRegisters; ++i) begin += fmt::format("  mov.f32 d{}, 0f00000000;\n", i);
  // Without swizzling: blocks of eight rows of 16 bytes; 128 bytes between blocks along K, and 256
  // along M or N.
  return fmt::format(R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry products(.param .u64 out)
{{
  .shared .align 1024 .b8 matrices[8192];
  .reg .b32 first, at, bits, i;
  .reg .f32 d<64>;
  .reg .b64 to, a, b;
  .reg .pred more;
  mov.u32 i, %tid.x;
FILL:
  mad.lo.u32 bits, i, 77777, 1;
  and.b32 bits, bits, 0x00ff00ff;
  xor.b32 bits, bits, 0x3c003c00;
  shl.b32 at, i, 2;
  mov.u32 first, matrices;
  add.u32 at, at, first;
  st.shared.b32 [at], bits;
  add.u32 i, i, 128;
  setp.lt.u32 more, i, 2048;
  @more bra FILL;
  fence.proxy.async;
  bar.sync 0;
  cvt.u64.u32 a, first;
  shr.u64 a, a, 4;
  or.b64 a, a, 0x0000001000080000;
  add.u64 b, a, 128;
{}  mov.u32 i, 0;
ROUND:
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {}, a, b, 1, 1, 1, 0, {};
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  add.u32 i, i, 1;
  setp.lt.u32 more, i, {};
  @more bra ROUND;
  ld.param.u64 to, [out];
  st.global.f32 [to], d0;
  ret;
}}
)",
                     begin, listed("d", 0, kRegisters), major, kRounds);
}

void group_products(benchmark::State& state, unsigned major) {
  constexpr unsigned kThreads = 128;
  heddle::bench::measure_warp(state, group_kernel(major), "products", 64, double{kRounds},
                              kThreads);
}
#define GROUP_PRODUCTS(name, major)                                    \
  void name(benchmark::State& state) { group_products(state, major); } \
  BENCHMARK(name)->Unit(benchmark::kMicrosecond)->UseRealTime()
GROUP_PRODUCTS(wgmma_m64n128k16_f16, 0);
GROUP_PRODUCTS(wgmma_m64n128k16_f16_transposed_b, 1);

/// The same tile as m16n8k16 in f32.
__attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"))) void multiply(
    const float (&a)[16][16], const float (&b)[8][16], float (&d)[8][16]) {
  for (unsigned column = 0; column < 8; ++column) {
    float sum[16];
    for (unsigned row = 0; row < 16; ++row) sum[row] = d[column][row];
    for (unsigned k = 0; k < 16; ++k) {
      for (unsigned row = 0; row < 16; ++row)
        sum[row] = __builtin_fmaf(a[k][row], b[column][k], sum[row]);
    }
    for (unsigned row = 0; row < 16; ++row) d[column][row] = sum[row];
  }
}
void native_f32_m16n8k16(benchmark::State& state) {
  alignas(64) float a[16][16], b[8][16], d[8][16] = {};
  for (auto& row : a) std::fill(std::begin(row), std::end(row), 1.25f);
  for (auto& row : b) std::fill(std::begin(row), std::end(row), 0.75f);
  for (auto _ : state) {
    for (unsigned i = 0; i < kRounds * kProducts; ++i) {
      multiply(a, b, d);
      benchmark::DoNotOptimize(d);
    }
  }
  state.counters["instruction"] =
      benchmark::Counter(double{kRounds} * kProducts * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(native_f32_m16n8k16)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
