// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command prints. A stream that takes nothing more (a full disk, a reader that is gone) is
// noticed once, at the end of the program: finish_output().
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace heddle::cli {

/// Before anything is opened: a standard stream that the caller closed is opened so that each use
/// of it fails, because the next file would get its number, and what is printed would be in it.
void reserve_closed_streams();

void write_output(std::string_view text);
void write_error(std::string_view text);

/// To the standard output.
template <class... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  write_output(fmt::format(text, std::forward<Args>(args)...));
}
/// To the standard error.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  write_error(fmt::format(text, std::forward<Args>(args)...));
}

/// Writes what is still on its way. The program's exit status: `status`, or kUsage after a message
/// when some of the output is lost. When messages are lost, no success is reported either.
int finish_output(int status);

}  // namespace heddle::cli
