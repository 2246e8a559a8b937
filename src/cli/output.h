// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of commands. A stream that cannot be written (a full disk, a closed pipe) is reported
// once, at the end of the program: finish_output().
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace heddle::cli {

/// Must be called before any file is opened. Opens each standard stream that the caller closed, in
/// such a way that each use of it fails; otherwise the next file would get its descriptor, and the
/// output would go into that file.
void reserve_closed_streams();

void write_output(std::string_view text);
void write_error(std::string_view text);

/// Prints to the standard output.
template <class... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  write_output(fmt::format(text, std::forward<Args>(args)...));
}
/// Prints to the standard error.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  write_error(fmt::format(text, std::forward<Args>(args)...));
}

/// Flushes both streams. Returns the program's exit status: `status`, or kUsage (after a message)
/// when some of the output is lost, also when only messages to stderr are lost.
int finish_output(int status);

}  // namespace heddle::cli
