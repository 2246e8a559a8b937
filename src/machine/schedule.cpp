// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/schedule.h"

#include <fmt/format.h>

#include <charconv>

namespace heddle::machine {

Result<std::optional<u64>> parse_schedule(std::string_view text) {
  constexpr std::string_view kSeed = "seed:";
  if (text == "fast") return std::optional<u64>();
  if (text.starts_with(kSeed)) {
    const std::string_view digits = text.substr(kSeed.size());
    u64 seed = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
    if (error == std::errc() && end == digits.data() + digits.size()) return std::optional(seed);
  }
  return Error{fmt::format("'{}' is no schedule: fast, or seed:N with a number N", text)};
}

}  // namespace heddle::machine
