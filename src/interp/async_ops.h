// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies, stores and reductions (PTX ISA 9.7.9.12, 9.7.9.13, 9.7.9.25 to 9.7.9.27,
// 9.7.13.7). They run when they are issued, which the manual allows: until such an operation has
// completed, a program neither changes its source nor reads its destination. So a wait for a group
// returns at once, and an mbarrier object counts the bytes when the operation is issued.
#pragma once

#include "interp/op.h"
#include "isa/form.h"

namespace heddle::interp {

// Address operands are places of host addresses (windows.h).

/// cp.async: src[0] destination, src[1] source, src[2] as flags say; `count` bytes.
void cp_async(Warp& warp, const Op& op);
inline constexpr u8 kSourceSize = 1;    ///< src[2]: bytes that are copied, the rest becomes zero
inline constexpr u8 kIgnoreSource = 2;  ///< src[2]: predicate, all becomes zero

/// cp.async.bulk: src[0] destination, src[1] source, src[2] bytes, src[3] mbarrier object, src[4]
/// mask.
void bulk_copy(Warp& warp, const Op& op);
inline constexpr u8 kToGlobal = 1;  ///< the destination is in global memory, else in shared memory
inline constexpr u8 kFromGlobal = 2;  ///< the source is in global memory, else in shared memory
inline constexpr u8 kSignals = 4;     ///< there is an mbarrier object
inline constexpr u8 kMulticast = 8;   ///< the mask names CTAs of the cluster
inline constexpr u8 kByteMask = 16;   ///< the mask names bytes of each 16
inline constexpr u8 kOwnWindow = 32;  ///< the destination is in the CTA's own window
inline constexpr u8 kMultimem = 64;   ///< the destination is a multimem address
/// cp.reduce.async.bulk, with the same places.
void bulk_reduce(Warp& warp, const Op& op);

/// st.async: src[0] destination, src[1] mbarrier object; `list` of `count` elements of runtime[0]
/// bytes.
void st_async(Warp& warp, const Op& op);
/// red.async: src[0] destination, src[1] mbarrier object, src[2] value.
void red_async(Warp& warp, const Op& op);
/// st.bulk: src[0] destination, src[1] bytes; flags kWide: of 64 bits.
void st_bulk(Warp& warp, const Op& op);
/// tensormap.cp_fenceproxy: src[0] destination, src[1] source.
void tensormap_copy(Warp& warp, const Op& op);

}  // namespace heddle::interp
