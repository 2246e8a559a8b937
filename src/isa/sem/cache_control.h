// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// createpolicy (PTX ISA 9.7.9.18). A cache policy is opaque and only a hint; programs cannot
// control the eviction of the host's caches, so every policy has the same value.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

inline constexpr u64 kCachePolicy = 0;

constexpr u64 policy_default() { return kCachePolicy; }
constexpr u64 policy_fraction(f32) { return kCachePolicy; }
constexpr u64 policy_of_property(u64) { return kCachePolicy; }

}  // namespace heddle::sem
