// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a texture lookup of a warp, on the engine that HEDDLE_ENGINE chooses, beside a
// bilinear lookup in native code. The texture has 256 x 256 texels. The lanes' coordinates lie in a
// row, in a row rotated by 30 degrees, or anywhere. bench/opencl.cpp has the same lookups for other
// OpenCL implementations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "texture_sizes.h"
#include "warp_kernel.h"

namespace {

using namespace heddle::bench;

struct Texel {
  const char* name;
  CUarray_format format;
  unsigned channels, bytes;
};
constexpr Texel kTexels[] = {{"f32", CU_AD_FORMAT_FLOAT, 1, 4},
                             {"rgba8", CU_AD_FORMAT_UNSIGNED_INT8, 4, 4},
                             {"float4", CU_AD_FORMAT_FLOAT, 4, 16}};

/// One warp with kRounds * kLookups lookups; from round to round, all coordinates move by a texel.
std::string kernel(const Pattern& pattern) {
  std::string lookups;
  for (unsigned i = 0; i < kLookups; ++i)
    lookups += fmt::format(
        "  tex.2d.v4.f32.f32 {{r, g, b, a}}, [texture, {{x, y{}}}];\n  add.f32 sum, sum, r;\n", i);
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry lookups(.param .u64 out, .param .u64 object)
{{
  .reg .b32 lane, hash, i;
  .reg .f32 x, y<8>, r, g, b, a, sum, step, first;
  .reg .b64 to, texture;
  .reg .pred more;
  ld.param.u64 texture, [object];
  mov.u32 lane, %tid.x;
  cvt.rn.f32.u32 step, lane;
  fma.rn.f32 x, step, {0}, 0f4120A3D7;
  fma.rn.f32 first, step, {1}, 0f4126B852;
  mul.lo.u32 hash, lane, 2654435761;
  shr.u32 hash, hash, 25;
  cvt.rn.f32.u32 step, hash;
  fma.rn.f32 x, step, {2}, x;
  mul.lo.u32 hash, lane, 2246822519;
  shr.u32 hash, hash, 25;
  cvt.rn.f32.u32 step, hash;
  fma.rn.f32 first, step, {2}, first;
  mov.f32 sum, 0f00000000;
  mov.u32 i, 0;
ROUND:
  and.b32 hash, i, 63;
  cvt.rn.f32.u32 step, hash;
  add.f32 y0, first, step;
  add.f32 y1, y0, 0f3F800000;
  add.f32 y2, y1, 0f3F800000;
  add.f32 y3, y2, 0f3F800000;
{3}  add.u32 i, i, 1;
  setp.lt.u32 more, i, {4};
  @more bra ROUND;
  ld.param.u64 to, [out];
  mad.wide.u32 to, lane, 4, to;
  st.global.f32 [to], sum;
  ret;
}}
)",
                     bits(pattern.x_step), bits(pattern.y_step), bits(pattern.scatter), lookups,
                     kRounds);
}

heddle::u64 make_texture(const Texel& texel, CUfilter_mode filter) {
  CUarray array = nullptr;
  const CUDA_ARRAY_DESCRIPTOR shape{kWidth, kWidth, texel.format, texel.channels};
  ok(cuArrayCreate_v2(&array, &shape));
  std::vector<unsigned char> texels(std::size_t{kWidth} * kWidth * texel.bytes);
  for (std::size_t i = 0; i < texels.size(); ++i)
    texels[i] = texel.bytes == 4 && texel.channels == 4 ? static_cast<unsigned char>(i * 37)
                : i % 4 == 3                            ? 0x3f
                                                        : static_cast<unsigned char>(i);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = texels.data();
  copy.srcPitch = copy.WidthInBytes = std::size_t{kWidth} * texel.bytes;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array, copy.Height = kWidth;
  ok(cuMemcpy2D_v2(&copy));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC sampling{};
  std::fill(std::begin(sampling.addressMode), std::end(sampling.addressMode),
            CU_TR_ADDRESS_MODE_CLAMP);
  sampling.filterMode = filter;
  CUtexObject texture = 0;
  ok(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
  return texture;
}

void lookups(benchmark::State& state, const Texel& texel, CUfilter_mode filter,
             const Pattern& pattern) {
  measure_warp(state, kernel(pattern), "lookups", 32 * 4, double{kRounds} * kLookups, 32,
               [&] { return make_texture(texel, filter); });
}

/// Bilinear, clamped to the edge, as a compiler makes it of plain code.
__attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"))) void native(
    const float* texels, const float* xs, const float* ys, float* out) {
  constexpr int kLast = kWidth - 1;
  for (int lane = 0; lane < 32; ++lane) {
    const float x = xs[lane] - 0.5f, y = ys[lane] - 0.5f;
    const float left = std::floor(x), top = std::floor(y), a = x - left, b = y - top;
    const int x0 = std::clamp(static_cast<int>(left), 0, kLast),
              x1 = std::min(std::max(x0 + 1, 0), kLast);
    const int y0 = std::clamp(static_cast<int>(top), 0, kLast),
              y1 = std::min(std::max(y0 + 1, 0), kLast);
    const float* upper = texels + y0 * int{kWidth};
    const float* lower = texels + y1 * int{kWidth};
    out[lane] =
        (upper[x0] * (1 - a) + upper[x1] * a) * (1 - b) + (lower[x0] * (1 - a) + lower[x1] * a) * b;
  }
}

void native_bilinear_f32(benchmark::State& state, const Pattern& pattern) {
  std::vector<float> texels(std::size_t{kWidth} * kWidth, 0.75f);
  alignas(64) float x[32], y[32], out[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto scattered = [&](unsigned factor) {
      return static_cast<float>(lane * factor >> 25) * pattern.scatter;
    };
    x[lane] = static_cast<float>(lane) * pattern.x_step + 10.04f + scattered(2654435761u);
    y[lane] = static_cast<float>(lane) * pattern.y_step + 10.42f + scattered(2246822519u);
  }
  for (auto _ : state) {
    for (unsigned i = 0; i < kRounds * kLookups; ++i) {
      native(texels.data(), x, y, out);
      benchmark::DoNotOptimize(out);
    }
  }
  state.counters["instruction"] =
      benchmark::Counter(double{kRounds} * kLookups * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

[[maybe_unused]] const bool kAdded = [] {
  const auto add = [](const std::string& name, auto body) {
    benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMicrosecond)->UseRealTime();
  };
  for (const Pattern& pattern : kPatterns) {
    for (const Texel& texel : kTexels) {
      for (const CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
        add(fmt::format("tex/{}/{}/{}", filter == CU_TR_FILTER_MODE_POINT ? "point" : "bilinear",
                        texel.name, pattern.name),
            [=](benchmark::State& state) { lookups(state, texel, filter, pattern); });
      }
    }
    add(fmt::format("native_texture/bilinear/f32/{}", pattern.name),
        [=](benchmark::State& state) { native_bilinear_f32(state, pattern); });
  }
  return true;
}();

}  // namespace
