// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tools that build systems call, under the vendor's names: as `heddle ptxas` or, where the
// program was started by that name, as `ptxas` (libexec/heddle). docs/tools.md
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/tools/options.h"
#include "isa/gate.h"

namespace heddle::cli {

int run_ptxas(const Given& given);
int run_nvlink(const Given& given);
int run_fatbinary(const Given& given);
int run_cuobjdump(const Given& given);

struct RunnableTool {
  const Tool* tool;
  int (*run)(const Given& given);
};
std::span<const RunnableTool> tools();
/// Null: there is no such tool.
const RunnableTool* find_tool(std::string_view name);

/// Reads the command line, and runs the tool. Returns the exit status.
int run_tool(const RunnableTool& tool, std::span<const std::string> words);

extern const Tool kPtxas, kNvlink, kFatbinary, kCuobjdump;

/// Prints "ptxas fatal   : ..." and returns the tool's exit status of a failure.
int tool_fatal(const Tool& tool, std::string_view text);
void tool_warning(const Tool& tool, std::string_view text);

/// An architecture on the command line: sm_90a, compute_90 or lto_90.
struct Architecture {
  isa::Target target;
  bool is_virtual = false;  ///< compute_90: no code is wanted
};
/// The error is a sentence in the vendor's words about the option `option`.
Result<Architecture> parse_architecture(std::string_view text, std::string_view option);

/// Writes the output file of a tool. The error is a sentence.
Result<bool> write_tool_output(const std::string& path, std::string_view bytes);

}  // namespace heddle::cli
