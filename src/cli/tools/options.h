// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command lines of the tools that build systems call (ptxas, nvlink, fatbinary, cuobjdump), as
// the vendor's tools read them:
//
//   --name VALUE  --name=VALUE     a long name
//   -short VALUE  -short=VALUE     a short name
//   -O3 -m64 -L/lib                a value directly behind a short name, for some options
//   --options-file FILE            words from a file
//
// Each tool is a table of its options.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace heddle::cli {

enum class Takes : u8 {
  nothing,
  boolean,  ///< true or false
  number,   ///< also directly behind the short name
  level,    ///< a number directly behind the short name, or none there; as number otherwise
  value,
  text,    ///< a value that may be given several times
  list,    ///< values with commas between, several times
  joined,  ///< as list, also directly behind the short name
};

struct ToolOption {
  std::string_view name, short_name;
  Takes takes = Takes::nothing;
  std::string_view value = {};    ///< what `--help` calls the value
  std::string_view meaning = {};  ///< for `--help`; empty: the option is accepted and has no effect
  std::string_view allowed = {};  ///< the values, with blanks between; empty: any
};

struct Tool {
  std::string_view name, title, usage;
  std::span<const ToolOption> options;
  int failure;  ///< the exit status after a message
};

/// What a command line says.
struct Given {
  std::map<std::string_view, std::vector<std::string>, std::less<>> options;  ///< by long name
  std::vector<std::string> inputs;
  std::vector<std::string> warnings;

  bool has(std::string_view name) const { return options.contains(name); }
  /// The last value of the option, or `otherwise`.
  std::string value(std::string_view name, std::string_view otherwise = {}) const;
  std::vector<std::string> values(std::string_view name) const;
  /// Of an option that takes a boolean.
  bool is_on(std::string_view name, bool otherwise) const;
};

/// The error is a sentence in the vendor's words.
Result<Given> parse_options(const Tool& tool, std::span<const std::string> words);

/// The text of `--help`.
std::string help_of(const Tool& tool);

}  // namespace heddle::cli
