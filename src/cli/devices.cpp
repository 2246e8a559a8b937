// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle devices: lists the device profiles, and the one that HEDDLE_DEVICE chooses.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"

namespace heddle::cli {
namespace {

std::string memory_of(const machine::Profile& profile) {
  return profile.memory_bytes ? fmt::format("{} GiB", profile.memory_bytes >> 30) : "the host's";
}

}  // namespace

int list_devices() {
  const machine::Profile* const chosen = chosen_profile();
  if (!chosen) return kUsage;
  print("  {:<10} {:<24} {:<8} {:>4} {:>7}  {:<10} {}\n", "name", "reports", "target", "SMs",
        "threads", "memory", "runs");
  for (const machine::Profile& profile : machine::profiles()) {
    print("{} {:<10} {:<24} {:<8} {:>4} {:>7}  {:<10} {}\n", &profile == chosen ? '*' : ' ',
          profile.name, profile.device_name, isa::to_string(profile.target),
          profile.multiprocessors, profile.max_threads_per_multiprocessor, memory_of(profile),
          profile.any_target ? "every target" : "what this GPU runs");
  }
  print("\nHEDDLE_DEVICE=NAME chooses a device; * is the one in use.\n");
  return kOk;
}

}  // namespace heddle::cli
