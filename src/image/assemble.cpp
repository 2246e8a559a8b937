// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See assemble.h.
#include "image/assemble.h"

#include <fmt/format.h>

#include <algorithm>

#include "image/compile.h"
#include "image/container.h"
#include "isa/newest_version.h"
#include "machine/kernel_resources.h"

namespace heddle::image {
namespace {

constexpr std::string_view kPtxas = "ptxas";

std::string info_line(std::string_view text) { return tool_line(kPtxas, "info", text); }
std::string fatal_line(std::string_view text) { return tool_line(kPtxas, "fatal", text); }

std::string infos_of_function(const ir::Function& function, u64 stack) {
  return info_line("Function properties for " + function.name) +
         fmt::format("    {} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n",
                     stack);
}

/// The constant bank 0 of a GPU has 352 bytes of the driver in front of the parameters.
constexpr u64 kBytesBeforeParameters = 352;

std::string infos_of_kernel(const ir::Module& module, ir::FunctionId id, isa::Target target) {
  const ir::Function& kernel = module.functions[id.value];
  const auto uses = machine::resources_of(module, id, *machine::find_profile(""));
  std::string used =
      fmt::format("Used {} registers, used {} barriers", uses.registers, uses.barriers);
  if (uses.local_bytes) used += fmt::format(", {} bytes cumulative stack size", uses.local_bytes);
  if (uses.shared_bytes) used += fmt::format(", {} bytes smem", uses.shared_bytes);
  used += fmt::format(", {} bytes cmem[0]", kBytesBeforeParameters + uses.parameter_bytes);
  return info_line(fmt::format("Compiling entry function '{}' for '{}'", kernel.name,
                               isa::to_string(target))) +
         infos_of_function(kernel, uses.local_bytes) + info_line(used);
}

/// Why the target does not run the module, as a line in the vendor's words; empty: it does.
std::string refuse_target(const ir::Module& module, isa::Target target) {
  for (const isa::Target needed : module.targets) {
    if (assembles_for(needed, target)) continue;
    if (needed.sm > target.sm)
      return fatal_line(
          "SM version specified by .target is higher than default SM version assumed");
    const std::string name = isa::to_string(needed);
    if (needed.suffix == 'f')
      return fatal_line(
          fmt::format("Program with .target '{}' cannot be compiled to different "
                      "SM-family architecture",
                      name));
    if (target.sm > needed.sm)
      return fatal_line(
          fmt::format("Program with .target '{}' cannot be compiled to future architecture", name));
    return fatal_line(fmt::format("PTX with .target '{}' cannot be compiled for architecture '{}'",
                                  name, isa::to_string(target)));
  }
  return {};
}

std::string refuse_kernels(const ir::Module& module, const std::vector<std::string>& kernels) {
  for (const std::string& name : kernels) {
    const ir::Function* const found = module.find_function(name);
    if (!found || !found->is_entry) return fatal_line("Unknown function " + name);
  }
  return {};
}

}  // namespace

Assembled assemble(std::vector<PtxText> texts, const AssembleOptions& options) {
  for (PtxText& text : texts) {
    text.max_registers = options.max_registers;
    text.contract = options.contract;
  }
  const machine::Profile& profile = *machine::find_profile("");
  auto compiled = options.relocatable ? compile_part(texts, profile) : compile(texts, profile);
  Assembled result;
  result.messages = std::move(compiled.errors);
  if (options.warns || options.warnings_are_errors) result.messages += compiled.warnings;
  result.status = compiled.status;
  const auto refuse = [&](const std::string& why) {
    if (result.status != Status::ok || why.empty()) return;
    result.status = Status::invalid_ptx;
    result.messages += why;
  };
  constexpr std::string_view kAborted = "Ptx assembly aborted due to errors";
  if (result.status != Status::ok) {
    result.messages += fatal_line(kAborted);
    return result;
  }
  if (options.warnings_are_errors && !compiled.warnings.empty()) refuse(fatal_line(kAborted));
  refuse(refuse_target(*compiled.module, options.target));
  refuse(refuse_kernels(*compiled.module, options.kernels));
  if (result.status != Status::ok || options.only_checks) return result;
  if (options.verbose)
    result.infos =
        resource_infos(*compiled.module, options.target, options.kernels, options.relocatable);
  result.container = write_container(texts);
  return result;
}

bool assembles_for(isa::Target needed, isa::Target architecture) {
  if (needed.suffix == 'f' && !architecture.suffix) architecture.suffix = 'f';
  return isa::admits(needed, architecture);
}

std::string resource_infos(const ir::Module& module, isa::Target target,
                           const std::vector<std::string>& kernels, bool is_part) {
  const u64 constants = machine::bytes_in(module.variables, ir::Space::constant);
  std::string text = info_line(
      fmt::format("{} bytes gmem", machine::bytes_in(module.variables, ir::Space::global)) +
      (constants ? fmt::format(", {} bytes cmem[3]", constants) : ""));
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const ir::Function& function = module.functions[i];
    if (!function.has_body) continue;
    const bool wanted =
        kernels.empty() || std::ranges::find(kernels, function.name) != kernels.end();
    if (function.is_entry && wanted) {
      text += infos_of_kernel(module, ir::FunctionId(i), target);
    } else if (!function.is_entry && is_part) {
      text += infos_of_function(function, machine::bytes_in(function.locals, ir::Space::local));
    }
  }
  return text;
}

std::string link_infos(const ir::Module& module) {
  const auto line = [](std::string_view text) { return tool_line("nvlink", "info", text); };
  std::string text =
      line(fmt::format("{} bytes gmem", machine::bytes_in(module.variables, ir::Space::global)));
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const ir::Function& kernel = module.functions[i];
    if (!kernel.is_entry || !kernel.has_body) continue;
    const auto uses = machine::resources_of(module, ir::FunctionId(i), *machine::find_profile(""));
    text += line(fmt::format("Function properties for '{}':", kernel.name));
    text +=
        line(fmt::format("used {} registers, used {} barriers, {} stack, {} bytes smem, {} "
                         "bytes cmem[0], {} bytes lmem",
                         uses.registers, uses.barriers, uses.local_bytes, uses.shared_bytes,
                         kBytesBeforeParameters + uses.parameter_bytes, uses.local_bytes));
  }
  return text;
}

std::string tool_line(std::string_view tool, std::string_view kind, std::string_view text) {
  return fmt::format("{} {:<8}: {}\n", tool, kind, text);
}

std::string toolkit_release() {
  // CUDA 13.0 brought PTX 9.0, and since then their minor numbers are the same.
  return fmt::format("{}.{}", isa::kNewestVersion.major + 4, isa::kNewestVersion.minor);
}

}  // namespace heddle::image
