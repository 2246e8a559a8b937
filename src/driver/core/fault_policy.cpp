// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/fault_policy.h"

#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include "base/config.h"
#include "driver/core/log.h"

namespace heddle::driver {
namespace {

/// Says it once for each instruction of the process.
void report_once(const machine::Trap& trap) {
  static std::mutex mutex;
  static std::set<std::tuple<std::string, std::string, u32>> said;
  {
    const std::lock_guard lock(mutex);
    if (!said.emplace(trap.kernel, trap.function, trap.at.line).second) return;
  }
  say("{}\n  the kernel goes on: this instruction reads zeros and writes nothing where there is no "
      "memory (HEDDLE_ON_FAULT=report; said once for each instruction)",
      machine::describe(trap));
}

}  // namespace

std::function<void(const machine::Trap&)> on_fault_of_environment() {
  if (config().reports_faults) return report_once;
  return {};
}

}  // namespace heddle::driver
