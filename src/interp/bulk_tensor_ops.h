// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and reductions of boxes of tensors, and tensormap.replace (PTX ISA 9.7.9.27.1, 9.7.9.28).
// As all asynchronous operations, they run when they are issued (async_ops.h).
#pragma once

#include <string>

#include "interp/op.h"

namespace heddle::interp {

// src[0]: host address of the map; `list`: `count` coordinates, of 32 bits, and then offsets or
// halo, of 16 bits. runtime[0]: LoadMode; runtime[1]: dimensions; runtime[2]: Atomop;
// runtime[kLimits]: sem::TensorLimits.
inline constexpr u32 kLimits = 3;

/// src[1]: destination, src[2] mbarrier object, src[3] mask.
void bulk_tensor_load(Warp& warp, const Op& op);
/// Flags: the mask names CTAs; the destination is in the CTA's own window; the mbarrier object may
/// be that of the other CTA of a pair.
inline constexpr u8 kToRanksOfMask = 1, kToOwnWindow = 2, kSignalsPair = 4;
/// src[1]: source. So has bulk_tensor_reduce().
void bulk_tensor_store(Warp& warp, const Op& op);
void bulk_tensor_reduce(Warp& warp, const Op& op);
/// Checks the map; nothing is copied.
void bulk_tensor_prefetch(Warp& warp, const Op& op);
/// Which box of which tensor an instruction of a lane accesses, and what the address is that it
/// cannot access.
std::string describe_box(Warp& warp, const Op& op, u32 lane, u64 address);
/// Whether describe_box() is for this instruction.
bool is_bulk_tensor(const Op& op);

/// src[0]: host address of the map; src[1]: the new value, of 64 bits with kWideValue, else of 32.
/// runtime[0]: isa::MapField; runtime[1]: its ordinal.
void tensormap_replace(Warp& warp, const Op& op);
/// Flags: see above; a stride is in units of 16 bytes; it is so where it is no multiple of 16.
inline constexpr u8 kWideValue = 1, kStrideInUnits = 2, kStrideMayBeInUnits = 4;

}  // namespace heddle::interp
