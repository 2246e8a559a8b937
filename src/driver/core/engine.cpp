// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/engine.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/cpu_level.h"
#include "driver/core/fault_policy.h"
#include "driver/core/launch.h"
#include "interp/program.h"
#include "jit/engine.h"
#include "machine/launch.h"

namespace heddle::driver {
namespace {

void complain(const char* variable, const char* value, std::string_view what) {
  std::fputs(fmt::format("heddle: {}={}: {}\n", variable, value, what).c_str(), stderr);
}

/// What the variable says, at most 1e9 of the unit. Empty: nothing, or something else.
std::optional<double> read_number(const char* name, std::string_view unit) {
  const char* text = std::getenv(name);
  if (!text || !*text) return {};
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  if (!*end && number >= 0 && number <= 1e9) return number;
  complain(name, text, fmt::format("it is a number of {}", unit));
  return {};
}

void read_times(jit::Options& options) {
  if (const auto after = read_number("HEDDLE_JIT_AFTER", "milliseconds")) {
    options.hot = std::chrono::nanoseconds(static_cast<s64>(*after * 1e6));
    options.hot_by_instruction = {};
  }
  if (const auto budget = read_number("HEDDLE_JIT_BUDGET", "seconds"))
    options.budget = std::chrono::nanoseconds(static_cast<s64>(*budget * 1e9));
}

/// What others read where they need it, and pass over when they do not understand it.
void check_environment() {
  const auto check = [](const char* name, auto is_right, std::string_view what) {
    const char* text = std::getenv(name);
    if (text && *text && !is_right(text)) complain(name, text, what);
  };
  check("HEDDLE_CPU", parse_cpu_level, "it is baseline, v3 or v4; using the best");
  check("HEDDLE_THREADS", machine::parse_worker_count,
        "it is a number from 1 to 1024; using all processors");
  check("HEDDLE_ON_FAULT", is_fault_policy, "it is trap or report; using trap");
  const auto is_known = [](std::string_view text) { return text == "strict" || text == "gpu"; };
  check("HEDDLE_MEMBERMASK", is_known, "it is strict or gpu; using gpu");
  check("HEDDLE_TIME_LIMIT", parse_time_limit, "it is a number of seconds; no limit");
}

}  // namespace

std::unique_ptr<machine::Engine> make_engine() {
  check_environment();
  constexpr const char* kName = "HEDDLE_ENGINE";
  auto interpreter = std::make_unique<interp::Interpreter>();
  const char* wanted = std::getenv(kName);
  const std::string_view name = wanted && *wanted ? wanted : "auto";
  if (name == "interp") return interpreter;
  if (name != "auto" && name != "jit")
    complain(kName, wanted, "it is auto, interp or jit; using auto");
  jit::Options options;
  options.at_once = name == "jit";
  options.cache = jit::cache_of_environment();
  read_times(options);
  return std::make_unique<jit::Engine>(std::move(interpreter), options);
}

bool strict_membermasks() {
  const char* text = std::getenv("HEDDLE_MEMBERMASK");
  return text && std::string_view(text) == "strict";
}

}  // namespace heddle::driver
