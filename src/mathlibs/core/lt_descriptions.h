// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the opaque structures of cublasLt hold.
#pragma once

#include <cstring>

#include "mathlibs/abi.h"

namespace heddle::mathlibs {

struct Layout {
  int32_t type, order;
  uint64_t rows, cols;
  int64_t ld;
  int32_t batch;
  uint32_t batch_mode;
  int64_t stride, plane_offset;
};

/// No type has been set.
constexpr int32_t kUnset = -1;

struct MatmulDesc {
  int32_t compute, scale, pointer_mode, transa, transb, transc, fill;
  uint32_t epilogue;
  const void* bias;
  int64_t bias_stride;
  void* aux;
  int64_t aux_ld, aux_stride, alpha_stride;
  const void *a_scale, *b_scale, *c_scale, *d_scale;
  void* d_amax;
  const void* aux_scale;
  void* aux_amax;
  void* d_out_scale;
  const void* emulation;
  int32_t sm_count, aux_type, bias_type;
  int32_t a_scale_mode, b_scale_mode, c_scale_mode, d_scale_mode, aux_scale_mode, d_out_scale_mode;
  int8_t fast_accumulation;
};

struct TransformDesc {
  int32_t scale = 0, pointer_mode = 0, transa = 0, transb = 0;
};

struct Preference {
  uint64_t max_workspace, implementation_mask;
  uint32_t search_mode, reduction_mask, align_a, align_b, align_c, align_d;
  float max_waves;
};

/// The one algorithm. The members beside the mark are details of a GPU's kernel, which a program
/// may set and get.
struct Algorithm {
  uint32_t mark;
  int32_t id = 0;
  uint32_t tile = 0;
  int32_t split_k = 0;
  uint32_t reduction = 0, swizzling = 0, custom = 0, stages = 0;
  uint16_t inner_shape = 0, cluster_shape = 0;
};
constexpr uint32_t kAlgorithmMark = 0x48454444;

/// The description in an opaque structure.
template <class Description, class Opaque>
Description read(const Opaque* opaque) {
  static_assert(sizeof(Opaque) >= sizeof(Description));
  Description description;
  std::memcpy(&description, opaque, sizeof description);
  return description;
}

}  // namespace heddle::mathlibs
