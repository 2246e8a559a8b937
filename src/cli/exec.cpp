// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle exec: runs a CUDA program with Heddle's libcuda.so.1 and libcudart.so in front of any
// other.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/own_file.h"
#include "cli/commands.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// The shell's exit statuses for a program that cannot be started.
constexpr int kCannotExecute = 126, kNotFound = 127;

}  // namespace

int execute_program(std::vector<std::string> words) {
  const fs::path folder = library_folder();
  std::error_code ignored;
  if (folder.empty() || !fs::exists(folder / "libcuda.so.1", ignored))
    return fail(
        "libcuda.so.1 is not in ../lib, seen from this program: the installation is incomplete");
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string path = before && *before ? folder.string() + ":" + before : folder.string();
  if (setenv("LD_LIBRARY_PATH", path.c_str(), 1) != 0) return fail(std::strerror(errno));

  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;  // execvp returns only when it fails
  fail(fmt::format("cannot run {}: {}", words[0], std::strerror(reason)));
  return reason == ENOENT ? kNotFound : kCannotExecute;
}

}  // namespace heddle::cli
