// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The explanations of the kinds of diagnostics: explanations.md, as data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diag/report.h"

namespace heddle::diag {

/// The kind of text of an example: lines of a kernel body, text after a header, or a whole module.
enum class ExampleScope : u8 { body, declarations, module };

struct Example {
  ExampleScope scope;
  std::string_view text;
};

struct Explanation {
  std::string_view why;  ///< one paragraph: why the rule exists, and what to do
  Example wrong, right;
};
const Explanation& explanation(Kind kind);

/// The message with "..." for its arguments: "'...' is not declared here".
std::string title(Kind kind);

/// The kind with this code, in upper or lower case.
std::optional<Kind> find_kind(std::string_view code);

}  // namespace heddle::diag
