// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lookups of bench/texture_lookups.cpp and of the OpenCL peers.
#pragma once

#include <bit>
#include <string>

#include <fmt/format.h>

namespace heddle::bench {

inline constexpr unsigned kWidth = 256;                  ///< of the texture, and its height
inline constexpr unsigned kRounds = 1024, kLookups = 4;  ///< of a warp, and in a round

/// How the coordinates of the lanes lie: steps from lane to lane, and a factor of pseudo-random
/// numbers below 128.
struct Pattern {
  const char* name;
  float x_step, y_step, scatter;
};
inline constexpr Pattern kPatterns[] = {
    {"row", 1, 0, 0}, {"rotated", 0.866f, 0.5f, 0}, {"random", 0, 0, 1.3f}};

/// As PTX writes it.
inline std::string bits(float x) { return fmt::format("0f{:08X}", std::bit_cast<unsigned>(x)); }

}  // namespace heddle::bench
