// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands of `heddle`, one file each. A command takes its options (main.cpp explains them)
// and returns the exit status.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/check.h"
#include "machine/profile.h"

namespace heddle::cli {

/// The exit statuses of all commands. kTrapped is for `run` only.
enum Status : int {
  kOk = 0,
  kBadPtx = 1,   ///< the PTX has errors
  kUsage = 2,    ///< wrong usage, or a file that cannot be read or written
  kTrapped = 3,  ///< the kernel failed while it ran
};

struct CheckOptions {
  std::vector<std::string> files;
  std::string format = "text";
  std::string dump;
  bool link = false;
  bool remarks = false;  ///< shown as warnings
  bool strict = false;   ///< refuse PTX versions newer than the newest known one
};
int check_files(const CheckOptions& options);

/// Explains the codes; all codes when none is given.
int explain(const std::vector<std::string>& codes);

struct RunOptions {
  std::string file;
  std::vector<std::string> arguments;
  std::string entry, grid, block, cluster;
  std::vector<std::string> links, dumps, saves;
  std::string shared = "0", time_limit;
  bool time = false;
  bool cooperative = false;
  std::string schedule, membermask;
  check::CompileOptions compile;
};
int run(const RunOptions& options);

/// Starts the program named by the first word; returns only when it cannot be started.
int execute_program(std::vector<std::string> words);

struct FormatOptions {
  std::vector<std::string> files;
  bool check = false;
};
int format_files(const FormatOptions& options);

struct JitOptions {
  std::string file, entry, block = "128", dump = "scalar", cpu;
  std::string time;  ///< number of compilations; empty: show the code
  bool print_passes = false;
  std::string print_after, passes;  ///< names with commas between
  bool runs_passes = false;         ///< FILE is LLVM IR, on which `passes` are run
};
int show_compiled(const JitOptions& options);

struct IsaOptions {
  std::string opcode;
  bool markdown = false;
};
int list_instructions(const IsaOptions& options);

struct InfoOptions {
  std::vector<std::string> files;
  std::string format = "text";
  bool ptx = false;  ///< print the texts alone
};
int show_images(const InfoOptions& options);

int list_devices();

struct SmiOptions {
  std::string fields, format;  ///< of --query-gpu; names with commas between
  bool lists_gpus = false, lists_everything = false, lists_fields = false;
};
int show_devices(const SmiOptions& options);

struct EnvOptions {
  std::string format = "text";
};
int list_environment(const EnvOptions& options);

/// Prints "heddle: `message`" to stderr and returns kUsage.
int fail(const std::string& message);

/// Whether to write to `file` in colours: if it is a terminal, and NO_COLOR is not set
/// (https://no-color.org).
bool wants_colour(std::FILE* file);

/// The profile that HEDDLE_DEVICE names, or the default one; null after an error message.
const machine::Profile* chosen_profile();

/// The kernel called `name`, or the only one.
Result<ir::FunctionId> find_kernel(const ir::Module& module, const std::string& name);

}  // namespace heddle::cli
