// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle exec: runs a CUDA program with Heddle's libcuda.so.1, libcudart.so and libnvidia-ml.so.1
// in front of any other.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/own_file.h"
#include "cli/client_tools.h"
#include "cli/commands.h"
#include "cli/prepend.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// The shell's exit statuses for a program that cannot be started.
constexpr int kCannotExecute = 126, kNotFound = 127;

/// The loader calls this library for each library that it loads (src/audit), and so finds Heddle's
/// ones also for a program that looks elsewhere: by an absolute path, or in its own RPATH.
constexpr const char* kAudit = "libheddle-audit.so";

}  // namespace

int execute_program(std::vector<std::string> words) {
  const fs::path folder = library_folder();
  std::error_code ignored;
  if (folder.empty() || !fs::exists(folder / "libcuda.so.1", ignored))
    return fail(
        "libcuda.so.1 is not in ../lib, seen from this program: the installation is incomplete");
  const fs::path audit = folder / kAudit;
  const bool audits = fs::exists(audit, ignored) && audit.string().find(':') == std::string::npos;
  if (!prepend("LD_LIBRARY_PATH", folder.string()) ||
      (audits && !prepend("LD_AUDIT", audit.string())) || !offer_tools(folder))
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
