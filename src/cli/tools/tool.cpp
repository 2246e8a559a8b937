// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See tool.h.
#include "cli/tools/tool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/config.h"
#include "cli/files.h"
#include "cli/output.h"
#include "image/assemble.h"
#include "isa/entry.h"

namespace heddle::cli {
namespace {

constexpr RunnableTool kTools[] = {
    {&kPtxas, run_ptxas},
    {&kNvlink, run_nvlink},
    {&kFatbinary, run_fatbinary},
    {&kCuobjdump, run_cuobjdump},
};

/// Clients look for "release 13.1" (Triton, CMake) or "V13.1.0" (XLA). The first line says who
/// answers.
std::string version_of(const Tool& tool) {
  const std::string release =
      config().toolkit_release.empty() ? image::toolkit_release() : config().toolkit_release;
  return fmt::format(
      "{}: Heddle {}, {}\nHeddle writes containers of PTX, no machine code of a GPU\n"
      "Cuda compilation tools, release {}, V{}.0\n",
      tool.name, HEDDLE_VERSION, tool.title, release, release);
}

}  // namespace

std::span<const RunnableTool> tools() { return kTools; }

const RunnableTool* find_tool(std::string_view name) {
  const auto found =
      std::ranges::find(kTools, name, [](const RunnableTool& tool) { return tool.tool->name; });
  return found == std::end(kTools) ? nullptr : found;
}

int run_tool(const RunnableTool& runnable, std::span<const std::string> words) {
  const Tool& tool = *runnable.tool;
  complain_about_environment();
  const auto given = parse_options(tool, words);
  if (!given.ok()) return tool_fatal(tool, given.error().message);
  if (given->has("help") || words.empty()) {
    write_output(help_of(tool));
    return 0;
  }
  if (given->has("version")) {
    write_output(version_of(tool));
    return 0;
  }
  for (const std::string& warning : given->warnings) tool_warning(tool, warning);
  return runnable.run(*given);
}

int tool_fatal(const Tool& tool, std::string_view text) {
  write_error(image::tool_line(tool.name, "fatal", text));
  return tool.failure;
}

void tool_warning(const Tool& tool, std::string_view text) {
  write_error(image::tool_line(tool.name, "warning", text));
}

Result<Architecture> parse_architecture(std::string_view text, std::string_view option) {
  std::string name(text);
  const bool is_virtual = name.starts_with("compute_");
  for (const std::string_view prefix : {"compute_", "lto_"}) {
    if (name.starts_with(prefix)) name.replace(0, prefix.size(), "sm_");
  }
  const auto target = isa::parse_target(name);
  if (!target || !isa::find_target(*target))
    return Error{fmt::format("Value '{}' is not defined for option '{}'", text, option)};
  return Architecture{*target, is_virtual};
}

Result<bool> write_tool_output(const std::string& path, std::string_view bytes) {
  if (!write_file(path, bytes).ok())
    return Error{fmt::format("Output file '{}' could not be opened", path)};
  return true;
}

}  // namespace heddle::cli
