// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// createpolicy (PTX ISA 9.7.9.18). A cache policy is opaque and only a hint; there is no cache here
// whose eviction a program could steer, so every policy is the same one.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

inline constexpr u64 kCachePolicy = 0;

constexpr u64 policy_default() { return kCachePolicy; }
constexpr u64 policy_fraction(f32) { return kCachePolicy; }
constexpr u64 policy_of_property(u64) { return kCachePolicy; }

}  // namespace heddle::sem
