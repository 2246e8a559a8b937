// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels with asynchronous matrix instructions share: rings of buffers in shared memory that
// bulk copies fill, elections, clusters, and matrix descriptors. For nvcc.
#pragma once

#include "barrier_object.h"

HEDDLE_INLINE unsigned lane_id() { return threadIdx.x % 32; }
/// The warp's number, which the compiler then knows to be uniform.
HEDDLE_INLINE unsigned uniform_warp() { return __shfl_sync(0xffffffff, threadIdx.x / 32, 0); }

HEDDLE_INLINE bool elect_one() {
  unsigned elected;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "elect.sync _|p, 0xffffffff;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(elected));
  return elected != 0;
}

// --- barrier objects ---

HEDDLE_INLINE void barrier_wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "AGAIN:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@done bra DONE;\n\t"
      "bra AGAIN;\n\t"
      "DONE:\n\t"
      "}"
      :
      : "r"(barrier), "r"(parity)
      : "memory");
}
HEDDLE_INLINE void barrier_begin(unsigned barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(count) : "memory");
}
HEDDLE_INLINE void barrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}
HEDDLE_INLINE void barrier_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(bytes)
               : "memory");
}
/// Arrives at the barrier object at the same place in a CTA of the cluster.
HEDDLE_INLINE void barrier_arrive_at(unsigned barrier, unsigned rank) {
  asm volatile(
      "{\n\t"
      ".reg .b32 remote;\n\t"
      "mapa.shared::cluster.u32 remote, %0, %1;\n\t"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n\t"
      "}"
      :
      : "r"(barrier), "r"(rank)
      : "memory");
}
HEDDLE_INLINE void fence_barrier_begin() {
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

/// The place in a ring of `kStages` buffers, and how often it was passed, modulo 2.
template <int kStages>
struct RingPosition {
  unsigned stage = 0, phase = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, phase ^= 1;
  }
};

// --- clusters ---

HEDDLE_INLINE unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
HEDDLE_INLINE void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
}

// --- copies ---

HEDDLE_INLINE void bulk_load(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :
      : "r"(to), "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
HEDDLE_INLINE void bulk_load_multicast(unsigned to, const void* from, unsigned bytes,
                                       unsigned barrier, unsigned short mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1], %2, [%3], %4;"
      :
      : "r"(to), "l"(from), "r"(bytes), "r"(barrier), "h"(mask)
      : "memory");
}

constexpr unsigned kLine = 128;  // bytes: a row of the swizzling pattern of 128 bytes

/// A warp copies lines of 128 bytes, `pitch` bytes apart, as the 128-byte swizzling mode has them.
HEDDLE_INLINE void load_lines(unsigned to, const char* from, unsigned long long pitch,
                              unsigned lines, unsigned barrier) {
  for (unsigned i = lane_id(); i < lines * 8; i += 32) {
    unsigned line = i / 8, chunk = i % 8;
    bulk_load(to + line * kLine + (chunk ^ line % 8) * 16, from + line * pitch + chunk * 16, 16,
              barrier);
  }
}
