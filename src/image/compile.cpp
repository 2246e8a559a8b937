// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See compile.h.
#include "image/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/roomy_stack.h"
#include "check/check.h"
#include "image/device_library.h"
#include "image/symbols.h"
#include "machine/front_end.h"

namespace heddle::image {
namespace {

// The error code of a rejected text: the text is not PTX, has a newer PTX version, or has mistakes.
Status status_of(std::span<const PtxText> texts, const check::Compiled& rejected) {
  for (const auto& text : texts) {
    if (text.text.find(".version") == std::string::npos) return Status::invalid_image;
  }
  return rejected.has(diag::Kind::unknown_version) ? Status::unsupported_version
                                                   : Status::invalid_ptx;
}

// The range of limits that ptxas accepts.
constexpr u32 kFewestRegisters = 24, kMostRegisters = 255;

/// As in ptxas, the limit holds for kernels whose text has none.
void limit_registers(ir::Function& kernel, u32 most) {
  if (kernel.max_nreg || kernel.max_ntid[0] || kernel.req_ntid[0]) return;
  if (most <= kMostRegisters) kernel.max_nreg = std::max(most, kFewestRegisters);
}

std::shared_ptr<const ir::Module> with_limits(std::shared_ptr<const ir::Module> module,
                                              std::span<const PtxText> texts, u32 max_registers) {
  const auto limit_of = [&](const PtxText& text) {
    return text.max_registers ? text.max_registers : max_registers;
  };
  if (std::ranges::none_of(texts, limit_of)) return module;
  const auto limited = std::make_shared<ir::Module>(*module);
  const bool one = std::ranges::all_of(
      texts, [&](const PtxText& text) { return limit_of(text) == limit_of(texts.front()); });
  for (const auto& text : one ? texts.first(1) : texts) {
    const auto defined = one ? Symbols{} : symbols_of({&text, 1});
    for (auto& function : limited->functions) {
      if (function.is_entry && limit_of(text) && (one || defined.defined.contains(function.name)))
        limit_registers(function, limit_of(text));
    }
  }
  return limited;
}

/// Whether the texts need other ones to be a program.
enum class Is : u8 { program, part };

Compiled compile_here(std::span<const PtxText> texts, const machine::Profile& profile,
                      u32 max_registers, check::Program program, Is what) {
  std::vector<check::Input> inputs;
  for (const auto& text : texts) inputs.push_back({text.name, text.text, false, text.contract});
  if (const auto library = device_library_for(texts)) {
    inputs.push_back({library->name, library->text, true});
  }
  check::CompileOptions options;
  options.complete = check::Complete::what_runs;
  options.program = program;
  auto checked = what == Is::program
                     ? machine::compile(inputs, profile, options)
                     : check::compile(inputs, nullptr, machine::options_for(profile, options));
  std::string messages = checked.messages();
  if (!checked.module) return {status_of(texts, checked), nullptr, std::move(messages), ""};
  if (const std::string why = machine::refuse(profile, *checked.module); !why.empty()) {
    return {Status::invalid_ptx, nullptr,
            fmt::format("{}: error: the module {}\n", checked.module->name, why), ""};
  }
  return {Status::ok, with_limits(std::move(checked.module), texts, max_registers), "",
          std::move(messages)};
}

Compiled check_here(const PtxText& text, const machine::Profile& profile) {
  auto unit = check::check_input({text.name, text.text}, check::Want::report,
                                 machine::options_for(profile).versions);
  if (!unit.ok()) return {Status::invalid_ptx, nullptr, unit.error().message + "\n", ""};
  check::Compiled checked;
  const bool failed = unit->report.has_errors();
  checked.reports.push_back({std::move(unit->source), std::move(unit->report)});
  std::string messages = checked.messages();
  if (failed) return {status_of({&text, 1}, checked), nullptr, std::move(messages), ""};
  return {Status::ok, std::move(unit->module), "", std::move(messages)};
}

}  // namespace

Compiled compile(std::span<const PtxText> texts, const machine::Profile& profile, u32 max_registers,
                 check::Program program) {
  Compiled compiled;
  on_roomy_stack(
      [&] { compiled = compile_here(texts, profile, max_registers, program, Is::program); });
  return compiled;
}

Compiled compile_part(std::span<const PtxText> texts, const machine::Profile& profile,
                      u32 max_registers) {
  Compiled compiled;
  on_roomy_stack([&] {
    compiled = compile_here(texts, profile, max_registers, check::Program::relocatable, Is::part);
  });
  return compiled;
}

Compiled check(const PtxText& text, const machine::Profile& profile) {
  Compiled checked;
  on_roomy_stack([&] { checked = check_here(text, profile); });
  return checked;
}

}  // namespace heddle::image
