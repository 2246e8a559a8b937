// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/barrier.h"

#include <fmt/format.h>

namespace heddle::machine {

std::string refuse_barrier(const std::vector<Barrier>& barriers, u32 number, const u32* count,
                           u32 warps) {
  constexpr u32 kLanes = 32;
  if (number >= kBarriers)
    return fmt::format("barrier {} does not exist; a CTA has {}", number, kBarriers);
  if (count && (*count == 0 || *count % kLanes))
    return fmt::format("thread count {} is not a multiple of the warp size", *count);
  const u32 expected = count ? *count : 0;
  if (expected > warps * kLanes)
    return fmt::format("thread count {} exceeds the CTA's {} threads", expected, warps * kLanes);
  const Barrier& barrier = barriers[number];
  if (barrier.active && barrier.expected != expected)
    return fmt::format("barrier {} waits for {} threads, this instruction says {}", number,
                       barrier.expected, expected);
  return {};
}

std::string describe_barrier(u32 number) {
  if (number < kBarriers) return fmt::format("at barrier {}", number);
  return fmt::format("for the other warps of warp group {}", number - kBarriers);
}

}  // namespace heddle::machine
