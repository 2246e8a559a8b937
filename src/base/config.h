// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heddle's environment variables. config.cpp has the table of them, which this structure, the
// messages about wrong values, `heddle env` and docs/environment.md have in common. Nothing else
// reads them.
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

enum class EngineChoice : u8 { automatic, interpreter, compiler };

/// What the environment says, understood. A variable that is not set or empty, or has a wrong
/// value, leaves its member as it is here.
struct Config {
  std::string device;    ///< name of a device profile; empty: the default one
  u32 devices = 1;       ///< how many; 0: the variable has a wrong value, so there is none
  bool contract = true;  ///< join mul and add that name no rounding

  EngineChoice engine = EngineChoice::automatic;
  std::optional<CpuLevel> cpu;  ///< none: the best that the processor has
  std::optional<u32> threads;   ///< of the host; none: the processors that the process may use
  std::optional<std::chrono::nanoseconds> jit_after;   ///< none: jit::Options says
  std::optional<std::chrono::nanoseconds> jit_budget;  ///< the same
  bool verify_jit = false;

  bool cache = true;
  std::string cache_folder;  ///< absolute; empty: there is no place for one
  u64 cache_bytes = u64{256} << 20;

  double time_limit = 0;        ///< seconds; 0: none
  std::optional<u64> schedule;  ///< seed of a pseudo-random order; none: the fast one
  /// None: as a GPU does in programs, a trap in `heddle run`.
  std::optional<bool> strict_membermasks;
  bool reports_faults = false;  ///< and goes on, where it would trap

  bool traces_api = false, traces_launches = false, traces_jit = false;
};

/// One row of the table.
struct Variable {
  const char* name;
  std::string_view fallback;  ///< what holds when it is not set
  std::string_view values;    ///< what may be written: "auto, interp or jit"
  std::string_view meaning;   ///< a sentence
  std::string_view readers;   ///< "programs", "heddle run", ...
  /// Writes what `text`, which is not empty, says into the structure. False: it is no such value.
  bool (*read)(std::string_view text, Config& config);
  /// What comes of a wrong value, where that is not the fallback.
  std::string_view otherwise = {};
  /// Not heeded in a program that runs with the rights of another user than the one who calls it.
  bool secure = false;
};
std::span<const Variable> variables();

/// The environment of a process: the text of a variable, or null. Tests have their own.
using Environment = const char* (*)(const Variable& variable);

/// The text of a variable in the environment of this process; null: it is not set.
const char* text_of(const Variable& variable);

/// Reads all variables. A wrong value adds a line to `complaints` that says the variable, the
/// value, what may be written, and what is used instead.
Config read_config(Environment environment, std::vector<std::string>& complaints);

/// The environment as it was at the first call in the process. That is the first use of a library
/// or the start of `heddle`, and not the moment of loading: a program may set variables before it.
const Config& config();

/// Writes the complaints about the environment to stderr, once in the process. For those who begin
/// to use it; the compiler's library, which reads it too, leaves that to them.
void complain_about_environment();

/// "seed:N" or "fast", which is none.
Result<std::optional<u64>> parse_schedule(std::string_view text);

}  // namespace heddle
