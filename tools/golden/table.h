// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common format of instances.txt and matrices.txt: lines with alternatives in braces.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::golden {

/// Without spaces at both ends.
std::string_view trimmed(std::string_view text);
/// At least one part.
std::vector<std::string_view> split(std::string_view text, char separator);
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// Reads a table line by line, without comments (#), empty lines and spaces at the ends; `read`
/// returns the error of a line, or "". Returns "", or "line 12: ERROR".
std::string read_lines(std::string_view text,
                       const std::function<std::string(std::string_view)>& read);

/// A way to choose among the alternatives {a|b} and {T:a|b} of a text.
struct Choice {
  std::string text;                                       ///< with the choices, and <T> replaced
  std::map<std::string, std::string, std::less<>> named;  ///< the alternative for each T

  /// `other` with <T> replaced.
  std::string in(std::string_view other) const;
};
/// All choices, in order; none: a brace is not closed.
std::optional<std::vector<Choice>> choices_of(std::string_view text);

}  // namespace heddle::golden
