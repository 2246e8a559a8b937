// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/commands.h"

namespace heddle::cli {
namespace {

int first_failure = 0;  // errno of the standard output's first write that failed

void note_failure() {
  if (first_failure == 0) first_failure = errno;
}

}  // namespace

void reserve_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // open() takes the lowest free descriptor, which is the stream's. It is opened for the wrong
    // direction, so each use fails.
    const int flags = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    (void)open("/dev/null", flags | O_CLOEXEC);
  }
}

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_failure();
}

void write_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

int finish_output(int status) {
  if (std::fflush(stdout) != 0) note_failure();
  if (std::ferror(stdout) || first_failure)
    return fail(fmt::format("cannot write to the standard output: {}",
                            std::strerror(first_failure ? first_failure : EIO)));
  const bool messages_lost = std::fflush(stderr) != 0 || std::ferror(stderr);
  return status == kOk && messages_lost ? kUsage : status;
}

}  // namespace heddle::cli
