// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle ptxas: checks PTX, and writes a container in the place of machine code.
#include <fmt/format.h>

#include "base/file.h"
#include "cli/output.h"
#include "cli/tools/tool.h"
#include "image/assemble.h"
#include "isa/newest_version.h"

namespace heddle::cli {
namespace {

constexpr ToolOption kPtxasOptions[] = {
    {"compile-only", "c", Takes::nothing, "",
     "The PTX is a part of a program, and may call functions of other parts"},
    {"entry", "e", Takes::list, "kernel,...", "These kernels must be there"},
    {"fmad", "fmad", Takes::boolean, "true|false",
     "Whether a mul and an add that name no rounding become one fma"},
    {"gpu-name", "arch", Takes::value, "architecture",
     "The GPU: sm_90; with compute_90 the PTX is checked, and nothing is written. Default: sm_75"},
    {"help", "h", Takes::nothing, "", "Print this text"},
    {"input-as-string", "ias", Takes::text, "PTX", "PTX itself, in place of a file"},
    {"list-version", "version-ls", Takes::nothing, "", "Print the versions of PTX"},
    {"machine", "m", Takes::number, "bits", "The size of an address", "64"},
    {"maxrregcount", "maxrregcount", Takes::value, "N|archmax|archmin",
     "The most registers that a kernel may use"},
    {"options-file", "optf", Takes::list, "file,...", "Read words of the command line from files"},
    {"output-file", "o", Takes::value, "file", "The output file. Default: elf.o"},
    {"verbose", "v", Takes::nothing, "", "Print what kernels use"},
    {"version", "V", Takes::nothing, "", "Print the version"},
    {"disable-warnings", "w", Takes::nothing, "", "Print no warnings"},
    {"warning-as-error", "Werror", Takes::nothing, "", "Warnings are errors"},
    {"Ofast-compile", "Ofc", Takes::value, "0|min|mid|max", "", "0 min mid max"},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", Takes::boolean,
     "true|false"},
    {"compile-as-tools-patch", "astoolspatch"},
    {"compiler-annotations", "annotate"},
    {"def-load-cache", "dlcm", Takes::value, "modifier"},
    {"def-store-cache", "dscm", Takes::value, "modifier"},
    {"device-debug", "g"},
    {"device-function-maxrregcount", "func-maxrregcount", Takes::value, "N|archmax|archmin"},
    {"device-stack-protector", "device-stack-protector", Takes::boolean, "true|false"},
    {"disable-optimizer-constants", "disable-optimizer-consts"},
    {"dont-merge-basicblocks", "no-bb-merge"},
    {"extensible-whole-program", "ewp"},
    {"force-load-cache", "flcm", Takes::value, "modifier"},
    {"force-store-cache", "fscm", Takes::value, "modifier"},
    {"g-tensor-memory-access-check", "g-tmem-access-check"},
    {"generate-line-info", "lineinfo"},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check"},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior"},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit"},
    {"maxntid", "maxntid", Takes::list, "N,..."},
    {"minnctapersm", "minnctapersm", Takes::number, "N"},
    {"opt-level", "O", Takes::level, "N"},
    {"optimize-float-atomics", "opt-fp-atomics"},
    {"override-directive-values", "override-directive-values"},
    {"position-independent-code", "pic", Takes::boolean, "true|false"},
    {"preserve-relocs", "preserve-relocs"},
    {"regAllocOptLevel", "regAllocOptLevel", Takes::value, "N"},  // not in the vendor's --help
    {"register-usage-level", "regUsageLevel", Takes::value, "0..10"},
    {"return-at-end", "ret-end"},
    {"sanitize", "sanitize", Takes::value, "tool", "", "memcheck threadsteer"},
    {"sp-bounds-check", "sp-bounds-check"},
    {"split-compile", "split-compile", Takes::value, "N"},
    {"suppress-async-bulk-multicast-advisory-warning",
     "suppress-async-bulk-multicast-advisory-warning"},
    {"suppress-debug-info", "suppress-debug-info"},
    {"suppress-double-demote-warning", "suppress-double-demote-warning"},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info"},
    {"suppress-stack-size-warning", "suppress-stack-size-warning"},
    {"warn-on-double-precision-use", "warn-double-usage"},
    {"warn-on-local-memory-usage", "warn-lmem-usage"},
    {"warn-on-spills", "warn-spills"},
};

constexpr std::string_view kAborted = "Ptx assembly aborted due to errors";

/// The limit of registers: a number, or the most or fewest of the architecture.
Result<u32> register_limit(const std::string& text) {
  if (text.empty()) return 0u;
  if (text == "archmax") return 255u;
  if (text == "archmin") return 24u;
  u32 limit = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || limit > 100000)
      return Error{fmt::format("Invalid value '{}' for option 'maxrregcount'", text)};
    limit = limit * 10 + static_cast<u32>(c - '0');
  }
  return limit;
}

/// The versions that PTX has had.
std::string ptx_versions() {
  constexpr isa::PtxVersion kLastOfMajor[] = {
      {1, 5}, {2, 3}, {3, 2}, {4, 3}, {5, 1}, {6, 5}, {7, 8}, {8, 8}, isa::kNewestVersion};
  std::string text;
  for (isa::PtxVersion version : kLastOfMajor) {
    const u8 last = version.minor;
    for (version.minor = 0; version.minor <= last; ++version.minor)
      text += isa::to_string(version) + "\n";
  }
  return text;
}

Result<std::vector<image::PtxText>> texts_of(const Given& given) {
  std::vector<image::PtxText> texts;
  for (const std::string& text : given.values("input-as-string"))
    texts.push_back({"<string>", text});
  for (const std::string& path : given.inputs) {
    auto text = read_file(path);
    if (!text.ok()) return Error{fmt::format("Input file '{}' could not be opened", path)};
    texts.push_back({path, text->substr(0, text->find('\0'))});
  }
  return texts;
}

}  // namespace

const Tool kPtxas{"ptxas", "the PTX assembler", "ptxas [options] <ptx file>...", kPtxasOptions,
                  255};

int run_ptxas(const Given& given) {
  if (given.has("list-version")) {
    write_output(ptx_versions());
    return 0;
  }
  if (given.inputs.empty() && !given.has("input-as-string")) {
    write_output(help_of(kPtxas));
    return 0;
  }
  const auto architecture = parse_architecture(given.value("gpu-name", "sm_75"), "gpu-name");
  if (!architecture.ok()) return tool_fatal(kPtxas, architecture.error().message);
  const auto limit = register_limit(given.value("maxrregcount"));
  if (!limit.ok()) return tool_fatal(kPtxas, limit.error().message);
  auto texts = texts_of(given);
  if (!texts.ok()) {
    tool_fatal(kPtxas, texts.error().message);
    return tool_fatal(kPtxas, kAborted);
  }
  const auto assembled =
      image::assemble(std::move(*texts), {.target = architecture->target,
                                          .only_checks = architecture->is_virtual,
                                          .relocatable = given.has("compile-only"),
                                          .verbose = given.has("verbose"),
                                          .warns = !given.has("disable-warnings"),
                                          .warnings_are_errors = given.has("warning-as-error"),
                                          .contract = given.is_on("fmad", true),
                                          .max_registers = *limit,
                                          .kernels = given.values("entry")});
  write_error(assembled.messages + assembled.infos);
  if (assembled.status != image::Status::ok) return kPtxas.failure;
  if (architecture->is_virtual) return 0;
  const auto written = write_tool_output(given.value("output-file", "elf.o"), assembled.container);
  return written.ok() ? 0 : tool_fatal(kPtxas, written.error().message);
}

}  // namespace heddle::cli
