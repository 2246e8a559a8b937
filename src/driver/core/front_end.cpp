// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's contact with the front end and the engines.
#include <fmt/format.h>

#include <algorithm>

#include "check/check.h"
#include "driver/core/compile.h"
#include "driver/core/device_library.h"
#include "machine/device_runtime.h"

namespace heddle::driver {
namespace {

bool has_code(const std::string& messages, diag::Kind kind) {
  return messages.find(fmt::format("[{}]", diag::info(kind).code)) != std::string::npos;
}

// What the API calls a rejected text: no PTX at all, PTX of a version to come, or PTX with
// mistakes.
CUresult result_of(std::span<const PtxText> texts, const std::string& messages) {
  for (const auto& text : texts) {
    if (text.text.find(".version") == std::string::npos) return CUDA_ERROR_INVALID_IMAGE;
  }
  return has_code(messages, diag::Kind::unknown_version) ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                                                         : CUDA_ERROR_INVALID_PTX;
}

}  // namespace

Compiled compile(std::span<const PtxText> texts, const machine::Profile& profile) {
  std::vector<check::Input> inputs;
  for (const auto& [name, text] : texts) inputs.push_back({name, text});
  if (const auto library = device_library_for(texts)) {
    inputs.push_back({library->name, library->text, true});
  }
  check::CompileOptions options;
  options.for_sm_1x = machine::is_sm_1x(profile);
  options.complete = check::Complete::what_runs;
  auto checked = check::compile(inputs, &machine::provides, options);
  if (!checked.module) {
    return {result_of(texts, checked.messages), nullptr, std::move(checked.messages), ""};
  }
  for (const auto target : checked.module->targets) {
    if (machine::runs(profile, target)) continue;
    return {CUDA_ERROR_INVALID_PTX, nullptr,
            fmt::format("{}: error: the module is for {}, which {} ({}) does not run\n",
                        checked.module->name, isa::to_string(target), profile.device_name,
                        isa::to_string(profile.target)),
            ""};
  }
  return {CUDA_SUCCESS, std::move(checked.module), "", std::move(checked.messages)};
}

}  // namespace heddle::driver
