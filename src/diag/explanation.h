// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is to say about a kind of diagnostic beyond one line: explanations.md, as data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diag/report.h"

namespace heddle::diag {

/// What the text of an example is: lines of a kernel body, text after a header, or all of a module.
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

/// The message with "..." for what differs: "'...' is not declared here".
std::string title(Kind kind);

/// The kind with this code, in upper or lower case.
std::optional<Kind> find_kind(std::string_view code);

}  // namespace heddle::diag
