// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See libraries.h.
#include "audit/libraries.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>

#include "audit/folder.h"

namespace heddle::audit {
namespace {

/// The folder may be one for all libraries of a system, so their names are fixed, up to the
/// version.
constexpr std::string_view kNames[] = {
    "libcuda.so",     "libcudart.so", "libnvJitLink.so", "libnvidia-ml.so", "libcublas.so",
    "libcublasLt.so", "libnvrtc.so",  "libnvvm.so",      "libcupti.so",     "libcudnn.so"};
constexpr std::string_view kReal = "heddle-real-";

bool is_ours(std::string_view name) {
  return std::ranges::any_of(kNames, [&](std::string_view one) { return name.starts_with(one); });
}

std::unordered_map<std::string, std::string> files_in(const std::string& folder) {
  std::unordered_map<std::string, std::string> found;
  DIR* const entries = opendir(folder.c_str());
  if (!entries) return found;
  while (const dirent* const entry = readdir(entries)) {
    if (is_ours(entry->d_name)) found.emplace(entry->d_name, folder + "/" + entry->d_name);
  }
  closedir(entries);
  return found;
}

}  // namespace

Libraries::Libraries() {
  const std::string folder = folder_of_libraries();
  wrapper_folder_ = folder + "/wrappers/";
  libraries_ = files_in(folder);
  wrappers_ = files_in(wrapper_folder_);
}

const char* Libraries::path_for(const char* name) {
  const std::string_view whole = name;
  if (whole.starts_with(kReal)) {
    const auto real = real_.find(std::string(whole.substr(kReal.size())));
    return real == real_.end() ? name : real->second.c_str();
  }
  const auto slash = whole.rfind('/');
  const std::string base(whole.substr(slash + 1));
  if (const auto ours = libraries_.find(base); ours != libraries_.end())
    return ours->second.c_str();
  const auto wrapper = wrappers_.find(base);
  // A bare name says nothing about the vendor's file: the loader tries paths next. In the spelling
  // "folder/./name" a path is asked for on behalf of a wrapper.
  if (wrapper == wrappers_.end() || slash == whole.npos || whole.starts_with(wrapper_folder_) ||
      whole.substr(0, slash).ends_with("/.") || access(name, R_OK) != 0)
    return name;
  real_[base] = std::string(whole.substr(0, slash)) + "/./" + base;
  return wrapper->second.c_str();
}

}  // namespace heddle::audit
