// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "Did you mean ...?": finds names so close to a misspelt one that a person would see the mistake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Collects the nearest of the names that consider() is shown. Upper and lower case count as equal.
class Spelling {
 public:
  /// Short names allow fewer changes: none below 3 letters, one below 5, otherwise two. (A leading
  /// %, $ or _ is not a letter.) `fixed`: the names are words of the language, not chosen by the
  /// user; then a name of 2 letters allows one change, too, but not of its first letter.
  explicit Spelling(std::string_view written, bool fixed = false);

  void consider(std::string_view name);
  /// "did you mean 'add' or 'addc'?"; empty when no name is near, or more than three are.
  /// `prefix` stands before each name.
  std::string question(std::string_view prefix = "") const;
  /// The question, or `otherwise` when there is none.
  std::string question_or(std::string_view otherwise) const;

 private:
  std::string written_;
  std::size_t allowed_;
  bool keep_first_;
  std::vector<std::string> nearest_;
};

/// The number of letters that must be changed, added, removed or swapped with their neighbour. The
/// result is at most limit + 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace heddle
