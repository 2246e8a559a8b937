// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/front_end.h"

#include <fmt/format.h>

#include "machine/device_runtime.h"

namespace heddle::machine {

check::CompileOptions options_for(const Profile& profile, check::CompileOptions options) {
  options.for_sm_1x = is_sm_1x(profile);
  options.versions = profile.any_target ? check::Versions::newer : check::Versions::known;
  return options;
}

check::Compiled compile(const std::vector<check::Input>& inputs, const Profile& profile,
                        check::CompileOptions options) {
  return check::compile(inputs, &provides, options_for(profile, options));
}

std::string refuse(const Profile& profile, const ir::Module& module) {
  for (const isa::Target target : module.targets) {
    if (!runs(profile, target))
      return fmt::format("is for {}, which {} ({}) does not run", isa::to_string(target),
                         profile.device_name, isa::to_string(profile.target));
  }
  return {};
}

}  // namespace heddle::machine
