// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses, loads, stores and atomics. Compiled once per level.
#include "interp/level_memory.h"

#include "interp/memory_ops.h"
#include "isa/atomic_headers.inc"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {
namespace {

template <class T, int kSign>
void convert_address(Warp& warp, const Op& op) {
  const T* from = warp.at<const T>(op.src[0]);
  const WindowShape shape = shape_of(warp, op.window);
  const T base = static_cast<T>(shape.base);
  const T stride = static_cast<T>(shape.stride);
  Sink<T> sink(registers_of(warp), op.dst[0]);
  for (u32 i = 0; i < kLanes; ++i) {
    const T start = static_cast<T>(base + stride * i);
    sink.template set<false>(i, static_cast<T>(kSign > 0 ? from[i] + start : from[i] - start));
  }
}

template <class T>
void is_space(Warp& warp, const Op& op) {
  const T* from = warp.at<const T>(op.src[0]);
  Sink<bool> sink(registers_of(warp), op.dst[0]);
  for (u32 i = 0; i < kLanes; ++i) {
    const u64 address = from[i];
    const bool shared = address - warp.shared_base < warp.shared_window;
    const bool cluster = address - warp.cluster_base < warp.cluster_size;
    const bool local = address - (warp.local_base + warp.local_stride * i) < warp.local_stride;
    const bool constant = address - warp.const_base < warp.const_size;
    const bool param = address - warp.params < warp.params_size;
    bool in = false;
    switch (static_cast<SpaceTest>(op.flags)) {
      case SpaceTest::shared:
        in = shared;
        break;
      case SpaceTest::shared_cluster:
        in = cluster;
        break;
      case SpaceTest::local:
        in = local;
        break;
      case SpaceTest::constant:
        in = constant;
        break;
      case SpaceTest::param:
        in = param;
        break;
      case SpaceTest::global:
        in = !cluster && !local && !constant;  // parameters lie in this window (6.4.1.1)
        break;
    }
    sink.template set<false>(i, in);
  }
  sink.template finish<false>();
}

template <class T>
void frame_address(Warp& warp, const Op& op) {
  Sink<T> sink(registers_of(warp), op.dst[0]);
  for (u32 i = 0; i < kLanes; ++i)
    sink.template set<false>(i, static_cast<T>(warp.frame_local + op.offset));
}

/// Accesses of kCount elements each, where the form exists (9.7.9.8: 256 bits at most).
template <class T, u32... kCount>
constexpr void fill_accesses(Level& level, u32 width) {
  ((level.load[width][std::countr_zero(kCount)] = &load<T, kCount>), ...);
  ((level.store[width][std::countr_zero(kCount)] = &store<T, kCount>), ...);
}

#ifdef HEDDLE_BASELINE_LEVEL
constexpr Handler kAtomics[] = {
#define HEDDLE_ATOMIC(index, ...) &atomic<&__VA_ARGS__>,
#define HEDDLE_NO_ATOMIC(index) nullptr,
#include "isa/atomic_functions.inc"
#undef HEDDLE_ATOMIC
#undef HEDDLE_NO_ATOMIC
};
#endif

}  // namespace

void fill_memory(Level& level) {
  level.to_generic[0] = &convert_address<u32, 1>, level.to_generic[1] = &convert_address<u64, 1>;
  level.from_generic[0] = &convert_address<u32, -1>,
  level.from_generic[1] = &convert_address<u64, -1>;
  level.is_space[0] = &is_space<u32>, level.is_space[1] = &is_space<u64>;
  level.frame_address[0] = &frame_address<u32>, level.frame_address[1] = &frame_address<u64>;
  fill_accesses<u8, 1, 2, 4>(level, 0), fill_accesses<u16, 1, 2, 4>(level, 1);
  fill_accesses<u32, 1, 2, 4, 8>(level, 2), fill_accesses<u64, 1, 2, 4>(level, 3);
  fill_accesses<sem::b128, 1>(level, 4);
#ifdef HEDDLE_BASELINE_LEVEL
  level.atomics = kAtomics;
#else
  level.atomics = level_baseline().atomics;  // they run lane by lane, without vectors
#endif
}

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
