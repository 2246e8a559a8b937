// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See client_tools.h. What clients do with a cubin works with what these tools write: they load it
// by the driver.
#include "cli/client_tools.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/prepend.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

bool set_unless_set(const char* name, const std::string& value) {
  const char* const before = std::getenv(name);
  return (before && *before) || setenv(name, value.c_str(), 1) == 0;
}

bool path_has(std::string_view program) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const auto colon = std::min(rest.find(':'), rest.size());
    std::error_code error;
    if (fs::exists(fs::path(rest.substr(0, colon)) / program, error)) return true;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return false;
}

/// An nvcc in PATH has its own ptxas beside it, and other programs of NVIDIA's toolkit read what
/// that one writes. So a ptxas in PATH stays the first.
bool extend_path(const fs::path& tools) {
  return path_has("ptxas") || prepend("PATH", tools.string());
}

/// XLA looks for bin/ptxas and bin/nvlink in the folder of this flag.
bool extend_xla_flags(const fs::path& toolkit) {
  constexpr std::string_view kFlag = "--xla_gpu_cuda_data_dir=";
  const char* const before = std::getenv("XLA_FLAGS");
  std::string flags = before ? before : "";
  if (flags.find(kFlag) != std::string::npos ||
      toolkit.string().find_first_of(" \t") != std::string::npos)
    return true;
  flags += (flags.empty() ? "" : " ") + std::string(kFlag) + toolkit.string();
  return setenv("XLA_FLAGS", flags.c_str(), 1) == 0;
}

}  // namespace

bool offer_tools(const fs::path& libraries) {
  const fs::path tools = libraries.parent_path() / "libexec" / "heddle";
  std::error_code error;
  if (!fs::exists(tools / "ptxas", error)) return true;
  const std::string ptxas = (tools / "ptxas").string();
  return set_unless_set("TRITON_PTXAS_PATH", ptxas) &&
         set_unless_set("TRITON_PTXAS_BLACKWELL_PATH", ptxas) &&
         set_unless_set("TRITON_LIBCUDA_PATH", libraries.string()) && extend_path(tools) &&
         extend_xla_flags(tools / "cuda");
}

}  // namespace heddle::cli
