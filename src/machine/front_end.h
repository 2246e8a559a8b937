// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end (check/check.h) for a device: the device's target decides which features a text may
// use, and which functions the machine provides.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "machine/profile.h"

namespace heddle::machine {

/// `options` with the members that the device decides.
check::CompileOptions options_for(const Profile& profile, check::CompileOptions options = {});

/// Compiles texts to a module that can be loaded. refuse() says whether the device runs the module.
check::Compiled compile(const std::vector<check::Input>& inputs, const Profile& profile,
                        check::CompileOptions options = {});

/// Why the device does not run the module, as a clause behind its name: "is for sm_90a, which
/// NVIDIA A100 (sm_80) does not run". Empty: the device runs it.
std::string refuse(const Profile& profile, const ir::Module& module);

}  // namespace heddle::machine
