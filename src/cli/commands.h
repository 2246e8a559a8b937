// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands of `heddle`, one file each. Each function adds its command with its options to
// the parser; when the command is the one that was given, it runs and leaves the exit status in
// `status`.
#pragma once

#include <cstdio>
#include <string>

#include "machine/profile.h"

namespace CLI {
class App;
}

namespace heddle::cli {

/// What every command returns; `run` has one more, the others say so in their help.
enum Status : int {
  kOk = 0,
  kBadPtx = 1,   ///< the PTX has errors
  kUsage = 2,    ///< the command line asks for something that cannot be done
  kTrapped = 3,  ///< the kernel failed while it ran
};

void add_check(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);
void add_exec(CLI::App& app, int& status);
void add_fmt(CLI::App& app, int& status);
void add_isa(CLI::App& app, int& status);
void add_devices(CLI::App& app, int& status);

/// Prints "heddle: `message`" to stderr and returns kUsage.
int fail(const std::string& message);

/// Whether to write to `file` in colours: a terminal, unless NO_COLOR is set
/// (https://no-color.org).
bool wants_colour(std::FILE* file);

/// The profile that HEDDLE_DEVICE names, or the default one; null after an error message.
const machine::Profile* chosen_profile();

}  // namespace heddle::cli
