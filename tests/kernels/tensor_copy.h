// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies for the test kernels, as inline PTX. For nvcc.
#pragma once

#include "matrix_pipeline.h"

/// CUtensorMap, which device code only passes on.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

HEDDLE_INLINE void tensor_load(unsigned to, const TensorMap* map, int x, int y, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];"
      :
      : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}
HEDDLE_INLINE void tensor_load_multicast(unsigned to, const TensorMap* map, int x, int y,
                                         unsigned barrier, unsigned short mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
      :
      : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask)
      : "memory");
}
HEDDLE_INLINE void tensor_store(const TensorMap* map, int x, int y, unsigned from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
               :
               : "l"(map), "r"(x), "r"(y), "r"(from)
               : "memory");
}
HEDDLE_INLINE void tensor_add(const TensorMap* map, int x, int y, unsigned from) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];"
      :
      : "l"(map), "r"(x), "r"(y), "r"(from)
      : "memory");
}
/// The copies that this thread has issued are complete.
HEDDLE_INLINE void tensor_stores_done() {
  asm volatile(
      "cp.async.bulk.commit_group;\n\t"
      "cp.async.bulk.wait_group 0;"
      :
      :
      : "memory");
}
