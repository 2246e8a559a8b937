// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle exec: runs a CUDA program with Heddle's libcuda.so.1 and libcudart.so in front of any
// other.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/own_file.h"
#include "cli/commands.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// The shell's exit statuses for a program that cannot be started.
constexpr int kCannotExecute = 126, kNotFound = 127;

/// A build of Heddle with a sanitizer cannot preload its libraries.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

/// Puts `what` in front of the variable's value.
bool prepend(const char* name, const std::string& what) {
  const char* before = std::getenv(name);
  const std::string all = before && *before ? what + ":" + before : what;
  return setenv(name, all.c_str(), 1) == 0;
}

/// Whether the program needs a sanitizer's run-time, which must be the first library and ends the
/// process when another one is preloaded. The name of the run-time is in the program's file.
bool wants_sanitizer_first(const std::string& program) {
  std::error_code error;
  if (program.find('/') == std::string::npos || !fs::is_regular_file(program, error)) return false;
  constexpr std::size_t kEnough = 16 << 20;  // the names of libraries are near the beginning
  std::string bytes(std::min<std::size_t>(fs::file_size(program, error), kEnough), '\0');
  std::ifstream file(program, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes.starts_with("\177ELF") && (bytes.find("libasan.so") != std::string::npos ||
                                          bytes.find("libtsan.so") != std::string::npos);
}

/// For a library with DT_RPATH, as in pip's PyTorch, the loader searches the library's folder
/// before LD_LIBRARY_PATH. A preloaded library takes precedence over both. The loader treats blanks
/// and colons as separators of names.
bool preload_runtime(const fs::path& folder, const std::string& program) {
  if (kSanitized || folder.string().find_first_of(" :") != std::string::npos ||
      wants_sanitizer_first(program))
    return true;
  std::error_code error;
  std::string list;
  for (const char* name : {"libcudart.so.12", "libcudart.so.13"}) {
    if (fs::exists(folder / name, error))
      list += (list.empty() ? "" : ":") + (folder / name).string();
  }
  return list.empty() || prepend("LD_PRELOAD", list);
}

}  // namespace

int execute_program(std::vector<std::string> words) {
  const fs::path folder = library_folder();
  std::error_code ignored;
  if (folder.empty() || !fs::exists(folder / "libcuda.so.1", ignored))
    return fail(
        "libcuda.so.1 is not in ../lib, seen from this program: the installation is incomplete");
  if (!prepend("LD_LIBRARY_PATH", folder.string()) || !preload_runtime(folder, words[0]))
    return fail(std::strerror(errno));

  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;  // execvp returns only when it fails
  fail(fmt::format("cannot run {}: {}", words[0], std::strerror(reason)));
  return reason == ENOENT ? kNotFound : kCannotExecute;
}

}  // namespace heddle::cli
