// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See tools.h. The loader asks before anything of the process has run, so there is nothing to undo.
#include "audit/tools.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/folder.h"

namespace heddle::audit {
namespace {

/// The vendor's names, and Heddle's. Triton has a second ptxas for newer targets.
constexpr std::pair<std::string_view, const char*> kTools[] = {{"ptxas", "ptxas"},
                                                               {"ptxas-blackwell", "ptxas"},
                                                               {"nvlink", "nvlink"},
                                                               {"fatbinary", "fatbinary"}};

std::string program() {
  std::array<char, PATH_MAX> path{};
  const auto size = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// The words of the command line. The loader does not pass them.
std::vector<std::string> arguments() {
  std::vector<std::string> words;
  std::FILE* const file = std::fopen("/proc/self/cmdline", "rb");
  if (!file) return words;
  std::string word;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    if (c) {
      word += static_cast<char>(c);
    } else {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  std::fclose(file);
  return words;
}

}  // namespace

void become_tool() {
  const std::string path = program();
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  for (const auto& [vendors, ours] : kTools) {
    if (name != vendors) continue;
    const std::string tool = folder_of_libraries() + "/../libexec/heddle/" + ours;
    std::array<char, PATH_MAX> real{};
    if (!realpath(tool.c_str(), real.data()) || path == real.data()) return;
    std::vector<std::string> words = arguments();
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    // The tool knows by its name which one it is.
    std::string first = tool;
    if (!words.empty()) pointers[0] = first.data();
    execv(tool.c_str(), pointers.data());
  }
}

}  // namespace heddle::audit
