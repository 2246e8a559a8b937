// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "Did you mean ...?": the names so close to a misspelt one that a person would see the slip.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Collects the nearest of the names that consider() is shown. Upper and lower case count as equal.
class Spelling {
 public:
  /// Short names allow less: none below 3 letters, one change below 5, two from there. (A leading
  /// %, $ or _ is no letter.) `fixed`: the names are words of the language, which nobody chose to
  /// be short; then one change is allowed with 2 letters, too, but not of the first.
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

/// How many letters must be changed, added, left out or swapped with their neighbour. More than
/// `limit` is not told apart from limit + 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace heddle
