// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several commands need.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/commands.h"

namespace heddle::cli {

int fail(const std::string& message) {
  fmt::print(stderr, "heddle: {}\n", message);
  return kUsage;
}

bool wants_colour(std::FILE* file) {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(fileno(file)) && !(no_colour && *no_colour);
}

const machine::Profile* chosen_profile() {
  const char* name = std::getenv("HEDDLE_DEVICE");
  const machine::Profile* profile = machine::find_profile(name ? name : "");
  if (profile) return profile;
  std::string names;
  for (const machine::Profile& known : machine::profiles())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  fail(fmt::format("HEDDLE_DEVICE is '{}', but the devices are {}", name, names));
  return nullptr;
}

}  // namespace heddle::cli
