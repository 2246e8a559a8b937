// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/compiler.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "jit/library.h"

namespace heddle::jit {
namespace {

constexpr const char* kName = "libheddle_jit.so";

/// Beside what this code is part of, or in the lib folder beside its folder.
std::vector<std::string> places() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&places), &info) || !info.dli_fname) return {};
  std::error_code ignored;
  const auto folder = std::filesystem::absolute(info.dli_fname, ignored).parent_path();
  return {folder / kName, folder / ".." / "lib" / kName};
}

struct Library {
  CompileFunction* compile = nullptr;
  std::string why;
};

Library load() {
  Library library;
  for (const std::string& place : places()) {
    if (!std::filesystem::exists(place)) continue;
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
      library.why = dlerror();
      return library;
    }
    const auto* version = static_cast<const char*>(dlsym(handle, kVersion));
    if (!version || std::strcmp(version, HEDDLE_VERSION) != 0) {
      library.why = fmt::format("{} is of another version", place);
      return library;
    }
    library.compile = reinterpret_cast<CompileFunction*>(dlsym(handle, kCompileFunction));
    return library;
  }
  library.why = fmt::format("{} is not there", kName);
  return library;
}

}  // namespace

Result<Compiled> compile(const Request& request) {
  static const Library library = load();
  if (!library.compile) return Error{library.why};
  Result<Compiled> result{Error{}};
  library.compile(request, result);
  return result;
}

}  // namespace heddle::jit
