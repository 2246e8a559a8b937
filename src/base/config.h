// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heddle's environment variables. The table in config.cpp is the source of this structure, the
// messages about wrong values, `heddle env` and docs/environment.md. No other code reads the
// variables.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_level.h"
#include "base/result.h"
#include "base/types.h"

namespace heddle {

inline constexpr u32 kMaxDevices = 64;  ///< the largest value of HEDDLE_DEVICES

enum class EngineChoice : u8 { automatic, interpreter, compiler };

/// The values of the environment variables. A variable that is not set or empty, or has a wrong
/// value, leaves its member at the default given here.
struct Config {
  std::string device;          ///< name of a device profile; empty: the default one
  u32 devices = 1;             ///< the number of devices; 0: the variable has a wrong value
  bool contract = true;        ///< fuse a mul and an add that name no rounding
  bool ieee_products = false;  ///< matrix products are sums of FMAs, not those of a GPU

  EngineChoice engine = EngineChoice::automatic;
  std::optional<CpuLevel> cpu;  ///< none: the best that the processor has
  std::optional<u32> threads;   ///< host threads; none: one per processor of the process
  std::optional<std::chrono::nanoseconds> jit_after;   ///< none: the default of jit::Options
  std::optional<std::chrono::nanoseconds> jit_budget;  ///< none: the default of jit::Options
  bool verify_jit = false;

  bool cache = true;
  std::string cache_folder;  ///< absolute; empty: no variable names a folder, so there is no cache
  u64 cache_bytes = u64{256} << 20;

  double time_limit = 0;        ///< seconds; 0: no limit
  std::optional<u64> schedule;  ///< seed of a pseudo-random order; none: the fast order
  /// Whether a wrong membermask traps. None: it traps in `heddle run`, and does not in programs.
  std::optional<bool> strict_membermasks;
  bool reports_faults = false;  ///< a bad access is reported, and the kernel continues

  /// The release of the CUDA toolkit as which the tools for build systems introduce themselves, for
  /// example 12.6. Empty: the one of the newest known PTX version.
  std::string toolkit_release;

  bool traces_api = false, traces_launches = false, traces_jit = false;
};

/// One row of the table.
struct Variable {
  const char* name;
  std::string_view fallback;  ///< the value of a variable that is not set
  std::string_view values;    ///< the values that it takes: "auto, interp or jit"
  std::string_view meaning;   ///< a sentence
  std::string_view readers;   ///< "programs", "heddle run", ...

  /// Parses `text`, which is not empty, into the structure. False: the value is wrong.
  bool (*read)(std::string_view text, Config& config);
  /// The value that takes the place of a wrong one. Empty: the fallback.
  std::string_view otherwise = {};
  /// The variable is ignored in a program that runs with the rights of another user than its
  /// caller (set-user-ID).
  bool secure = false;
};
std::span<const Variable> variables();

/// The environment of a process: the text of a variable, or null. Tests pass their own.
using Environment = const char* (*)(const Variable& variable);

/// The text of a variable in the environment of this process; null: it is not set.
const char* text_of(const Variable& variable);

/// Reads all variables. A wrong value adds a line to `complaints` that names the variable, its
/// value, the values that it takes, and the value that is used instead.
Config read_config(Environment environment, std::vector<std::string>& complaints);

/// The environment at the first call in the process. This is the first use of a library, not its
/// loading, so a program can set variables before it.
const Config& config();

/// Writes the complaints about the environment to stderr, once in the process. libcuda and the
/// program `heddle` call it when they start; the compiler's library, which reads the environment
/// too, does not.
void complain_about_environment();

/// Parses "seed:N" to N, and "fast" to none.
Result<std::optional<u64>> parse_schedule(std::string_view text);

}  // namespace heddle
