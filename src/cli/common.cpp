// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that several commands use.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/config.h"
#include "base/spelling.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace heddle::cli {

int fail(const std::string& message) {
  say("heddle: {}\n", message);
  return kUsage;
}

bool wants_colour(std::FILE* file) {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(fileno(file)) && !(no_colour && *no_colour);
}

const machine::Profile* chosen_profile() {
  complain_about_environment();
  const auto profile = machine::profile_of_environment();
  if (profile.ok()) return *profile;
  fail(profile.error().message);
  return nullptr;
}

Result<ir::FunctionId> find_kernel(const ir::Module& module, const std::string& name) {
  constexpr std::size_t kMostListed = 20;
  std::vector<ir::FunctionId> found;
  std::string names;
  std::size_t count = 0;
  Spelling spelling(name);
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const ir::Function& function = module.functions[i];
    if (!function.is_entry || !function.has_body) continue;
    spelling.consider(function.name);
    if (count++ < kMostListed)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", function.name);
    if (name.empty() || function.name == name) found.push_back(ir::FunctionId(i));
  }
  if (found.size() == 1) return found[0];
  if (count > kMostListed) names += fmt::format(" and {} more", count - kMostListed);
  if (names.empty()) return Error{fmt::format("{} has no kernel", module.name)};
  if (!name.empty())
    return Error{fmt::format("{} has no kernel '{}'; {}", module.name, name,
                             spelling.question_or("it has " + names))};
  return Error{fmt::format("{} has several kernels, --entry says which: {}", module.name, names)};
}

}  // namespace heddle::cli
