// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The response to a request to cancel a cluster (PTX ISA 9.7.13.17, 9.7.13.18). It is opaque to
// programs; in Heddle it holds x, y and z of the cluster's first CTA, 32 bits each, and a word that
// says whether a cluster was cancelled.
#pragma once

#include "isa/groups.h"
#include "isa/sem/types.h"

namespace heddle::sem {

using isa::FirstCtaid;

constexpr b128 canceled_cluster(u32 x, u32 y, u32 z) {
  return {x | u64{y} << 32, z | u64{1} << 32};
}
inline constexpr b128 kNoClusterCanceled = {0, 0};

constexpr bool is_canceled(b128 answer) { return answer.hi >> 32 != 0; }

constexpr u32 canceled_ctaid(FirstCtaid which, b128 answer) {
  switch (which) {
    case FirstCtaid::get_first_ctaid_x:
      return static_cast<u32>(answer.lo);
    case FirstCtaid::get_first_ctaid_y:
      return static_cast<u32>(answer.lo >> 32);
    default:
      return static_cast<u32>(answer.hi);
  }
}

}  // namespace heddle::sem
