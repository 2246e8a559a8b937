// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle nvlink: links relocatable device code to a container in the place of machine code.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/file.h"
#include "cli/output.h"
#include "cli/tools/tool.h"
#include "image/assemble.h"
#include "image/compile.h"
#include "image/container.h"
#include "image/device_library.h"
#include "image/link_input.h"

namespace heddle::cli {
namespace {

constexpr ToolOption kNvlinkOptions[] = {
    {"arch", "arch", Takes::value, "architecture", "The GPU: sm_90"},
    {"disable-warnings", "w", Takes::nothing, "", "Print no warnings"},
    {"help", "h", Takes::nothing, "", "Print this text"},
    {"library", "l", Takes::joined, "library,...",
     "Libraries, whose files libNAME.a are in the folders of -L"},
    {"library-path", "L", Takes::joined, "folder,...", "Folders with libraries"},
    {"machine", "m", Takes::number, "bits", "The size of an address", "64"},
    {"options-file", "optf", Takes::list, "file,...", "Read words of the command line from files"},
    {"output-file", "o", Takes::value, "file", "The output file"},
    {"register-link-binaries", "register-link-binaries", Takes::value, "file",
     "Write the names under which host objects register their code, for nvcc's crt/link.stub"},
    {"verbose", "v", Takes::nothing, "", "Print what kernels use"},
    {"version", "V", Takes::nothing, "", "Print the version"},
    {"Ofast-compile", "Ofc", Takes::value, "0|min|mid|max", "", "0 min mid max"},
    {"Xnvvm", "Xnvvm", Takes::list, "options,..."},
    {"Xptxas", "Xptxas", Takes::list, "options,..."},
    {"cpu-arch", "cpu-arch", Takes::value, "architecture"},
    {"debug", "g"},
    {"device-stack-protector", "device-stack-protector"},
    {"disable-infos", "disable-infos"},
    {"dlto", "dlto"},
    {"dump-callgraph", "dump-callgraph"},
    {"dump-callgraph-no-demangle", "dump-callgraph-no-demangle"},
    {"emit-ptx", "emit-ptx"},
    {"extra-warnings", "extrawarn"},
    {"gen-host-linker-script", "ghls", Takes::value, "type", "", "lcs-abs lcs-aug"},
    {"host-ccbin", "host-ccbin", Takes::value, "compiler"},  // not in the vendor's --help
    {"ignore-host-info", "ignore-host-info"},
    {"keep-system-libraries", "keep-system-libraries"},
    {"kernels-used", "kernels-used", Takes::list, "kernel,..."},
    {"link-time-opt", "lto"},
    {"maxrregcount", "maxrregcount", Takes::value, "N"},
    {"nvvmpath", "nvvmpath", Takes::value, "folder"},
    {"preserve-relocs", "preserve-relocs"},
    {"relocatable-link", "r", Takes::nothing, "", "The output is linked again"},
    {"report-arch", "report-arch"},
    {"split-compile", "split-compile", Takes::value, "N"},
    {"split-compile-extended", "split-compile-extended", Takes::value, "N"},
    {"suppress-arch-warning", "suppress-arch-warning"},
    {"suppress-debug-info", "suppress-debug-info"},
    {"suppress-stack-size-warning", "suppress-stack-size-warning"},
    {"time", "time", Takes::value, "file"},
    {"uidx-file", "uidx", Takes::value, "file"},
    {"use-host-info", "use-host-info"},
    {"variables-used", "variables-used", Takes::list, "variable,..."},
    {"warning-as-error", "Werror", Takes::nothing, "", "Warnings are errors"},
};

struct Inputs {
  std::vector<image::LinkUnit> units;
  std::vector<std::string> left_out;
};

/// The file of a library in the folders. Empty: the toolkit and the host's linker have libraries
/// without code for GPUs, so one that is not found is not missed.
std::string find_library(const std::string& name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const auto path = std::filesystem::path(folder) / ("lib" + name + ".a");
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return {};
}

/// Files that the host's linker takes beside objects, which hold no code for GPUs.
bool is_ignored(std::string_view path, std::string_view bytes) {
  return path.ends_with(".so") || path.find(".so.") != std::string_view::npos || bytes.empty();
}

/// The error is a sentence.
Result<bool> add_input(const std::string& path, const machine::Profile& profile, Inputs& inputs) {
  const auto bytes = read_file(path);
  if (!bytes.ok()) return Error{fmt::format("Could not open input file '{}'", path)};
  if (is_ignored(path, *bytes)) return true;
  auto input = image::read_link_input(*bytes, profile, path, image::HostCode::relocatable);
  if (input.status != image::Status::ok) return Error{fmt::format("{}: {}", path, input.why)};
  std::ranges::move(input.units, std::back_inserter(inputs.units));
  std::ranges::move(input.left_out, std::back_inserter(inputs.left_out));
  return true;
}

Result<Inputs> read_inputs(const Given& given, const machine::Profile& profile) {
  Inputs inputs;
  std::vector<std::string> paths = given.inputs;
  for (const std::string& name : given.values("library")) {
    if (auto path = find_library(name, given.values("library-path")); !path.empty())
      paths.push_back(std::move(path));
  }
  for (const std::string& path : paths) {
    if (const auto added = add_input(path, profile, inputs); !added.ok()) return added.error();
  }
  return inputs;
}

/// What nvcc's crt/link.stub includes: a line for each host object whose code is linked.
std::string registrations(std::span<const image::LinkUnit> units) {
  std::string lines;
  std::size_t count = 0;
  for (const image::LinkUnit& unit : units) {
    if (unit.module_id.empty()) continue;
    lines += fmt::format("DEFINE_REGISTER_FUNC({})\n", unit.module_id);
    ++count;
  }
  return fmt::format("#define NUM_PRELINKED_OBJECTS {}\n{}", count, lines);
}

/// Why the architecture does not run the module; empty: it does.
std::string refuse_architecture(const ir::Module& module, isa::Target target) {
  for (const isa::Target needed : module.targets) {
    if (!image::assembles_for(needed, target))
      return fmt::format("{} is for {}, which {} does not run", module.name, isa::to_string(needed),
                         isa::to_string(target));
  }
  return {};
}

/// A script that adds the sections of GPU code to those that the host's linker knows by itself.
int write_linker_script(const Given& given) {
  if (!given.inputs.empty())
    return tool_fatal(kNvlink, "Input files are not allowed with -ghls option");
  if (given.value("gen-host-linker-script") != "lcs-aug")
    return tool_fatal(kNvlink,
                      "-ghls=lcs-abs, a whole script for the host's linker, is not "
                      "written here; -ghls=lcs-aug is one to add to the linker's own");
  constexpr std::string_view kScript =
      "SECTIONS\n{\n  .nvFatBinSegment : { *(.nvFatBinSegment) }\n"
      "  __nv_relfatbin : { *(__nv_relfatbin) }\n  .nv_fatbin : { *(.nv_fatbin) }\n}\n";
  if (!given.has("output-file")) {
    write_output(kScript);
    return 0;
  }
  const auto written = write_tool_output(given.value("output-file"), kScript);
  return written.ok() ? 0 : tool_fatal(kNvlink, written.error().message);
}

}  // namespace

const Tool kNvlink{"nvlink", "the linker of device code", "nvlink [options] <objects>",
                   kNvlinkOptions, 1};

int run_nvlink(const Given& given) {
  if (given.has("gen-host-linker-script")) return write_linker_script(given);
  const auto architecture = parse_architecture(given.value("arch", "(null)"), "arch");
  if (!architecture.ok()) return tool_fatal(kNvlink, architecture.error().message);
  if (!given.has("output-file"))
    return tool_fatal(kNvlink, "Must specify output file with -o option");
  machine::Profile profile = *machine::find_profile("");
  profile.target = architecture->target;  // the code for it is the best of a fat binary
  auto inputs = read_inputs(given, profile);
  if (!inputs.ok()) return tool_fatal(kNvlink, inputs.error().message);
  const auto units = image::units_to_link(inputs->units, image::device_library_names());
  const auto texts = image::texts_of(units);
  if (!texts.empty()) {
    const auto compiled = given.has("relocatable-link")
                              ? image::compile_part(texts, profile)
                              : image::compile(texts, profile, 0, check::Program::relocatable);
    write_error(compiled.errors);
    if (!given.has("disable-warnings")) write_error(compiled.warnings);
    if (compiled.status != image::Status::ok) {
      for (const std::string& why : inputs->left_out) tool_warning(kNvlink, "left out: " + why);
      return tool_fatal(kNvlink, "linking failed");
    }
    if (given.has("warning-as-error") && !compiled.warnings.empty())
      return tool_fatal(kNvlink, "linking failed");
    if (const auto why = refuse_architecture(*compiled.module, architecture->target); !why.empty())
      return tool_fatal(kNvlink, why);
    if (given.has("verbose")) write_error(image::link_infos(*compiled.module));
  }
  if (const std::string path = given.value("register-link-binaries"); !path.empty()) {
    const auto written = write_tool_output(path, registrations(units));
    if (!written.ok()) return tool_fatal(kNvlink, written.error().message);
  }
  const auto written = write_tool_output(given.value("output-file"), image::write_container(texts));
  return written.ok() ? 0 : tool_fatal(kNvlink, written.error().message);
}

}  // namespace heddle::cli
