// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/fault_policy.h"

#include <fmt/format.h>

#include <mutex>
#include <set>
#include <tuple>

#include "base/config.h"

namespace heddle::engine {
namespace {

/// Whether this is the first fault of its instruction in the process.
bool is_first(const machine::Trap& trap) {
  static std::mutex mutex;
  static std::set<std::tuple<std::string, std::string, u32>> seen;
  const std::lock_guard lock(mutex);
  return seen.emplace(trap.kernel, trap.function, trap.at.line).second;
}

}  // namespace

std::function<void(const machine::Trap&)> on_fault_of_environment(
    std::function<void(const std::string&)> say) {
  if (!config().reports_faults) return {};
  return [say = std::move(say)](const machine::Trap& trap) {
    if (!is_first(trap)) return;
    say(fmt::format(
        "{}\n  the kernel continues: where there is no memory, this instruction reads zeros and "
        "writes nothing (HEDDLE_ON_FAULT=report; reported once for each instruction)",
        machine::describe(trap)));
  };
}

}  // namespace heddle::engine
