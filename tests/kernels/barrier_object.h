// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier objects and shared memory addresses for the test kernels, as inline PTX.
#pragma once

#include "device.h"

#define HEDDLE_INLINE static __device__ __attribute__((always_inline)) inline

HEDDLE_INLINE unsigned shared_address(const void* pointer) {
  unsigned address;
  asm("{\n\t"
      ".reg .u64 shared;\n\t"
      "cvta.to.shared.u64 shared, %1;\n\t"
      "cvt.u32.u64 %0, shared;\n\t"
      "}"
      : "=r"(address)
      : "l"(pointer));
  return address;
}

HEDDLE_INLINE void barrier_init(unsigned long long* barrier, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(count)
               : "memory");
}
HEDDLE_INLINE void barrier_inval(unsigned long long* barrier) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(shared_address(barrier)) : "memory");
}
HEDDLE_INLINE unsigned long long barrier_arrive(unsigned long long* barrier) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(shared_address(barrier))
               : "memory");
  return state;
}
HEDDLE_INLINE bool barrier_test(unsigned long long* barrier, unsigned long long state) {
  unsigned done;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.test_wait.shared.b64 p, [%1], %2;\n\t"
      "selp.b32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "l"(state)
      : "memory");
  return done != 0;
}
HEDDLE_INLINE bool barrier_test_parity(unsigned long long* barrier, unsigned parity) {
  unsigned done;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\t"
      "selp.b32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}
