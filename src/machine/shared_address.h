// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of shared memory (PTX ISA 5.1.7). From bit 24 on stands the rank of the CTA in its
// cluster, also in the addresses of a CTA's own variables, so one address means the same in every
// CTA of the cluster. Without clusters the rank is 0 and an address is an offset. Programs rely on
// these bits: CUTLASS clears bit 24 to get from either CTA of a pair to the even one.
//
// In the memory of the host, the windows of a cluster's CTAs lie side by side, kSharedSlot apart
// (memory.h).
#pragma once

#include <string>

#include "base/types.h"

namespace heddle::machine {

struct Launch;

inline constexpr u32 kRankShift = 24;

/// What an address becomes that belongs to no CTA of the cluster: using it traps.
inline constexpr u64 kNoSharedAddress = ~u64{0} << 8;

/// The address of the first byte of the shared memory of the CTA with that rank.
constexpr u64 first_shared_address(u32 rank) { return u64{rank} << kRankShift; }
constexpr u32 rank_of_shared_address(u64 address) {
  return static_cast<u32>(address >> kRankShift);
}
constexpr u64 offset_of_shared_address(u64 address) {
  return address & (first_shared_address(1) - 1);
}

/// The address that an instruction of the CTA with that rank has used, from its distance to the
/// CTA's first address. Addresses of 32 bits are zero-extended after the subtraction.
constexpr u64 used_shared_address(u64 distance, u32 rank) {
  const u64 address = distance + first_shared_address(rank);
  return distance >> 32 == 0 ? static_cast<u32>(address) : address;
}

/// Why an instruction that reaches only the CTA's own shared memory may not access the address.
std::string describe_shared_address(u64 address, u32 rank, const Launch& launch);

}  // namespace heddle::machine
