// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end (check/check.h) for a device: its target decides what a text may use, and which
// functions are there without a definition.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "machine/profile.h"

namespace heddle::machine {

/// `options` with what the device decides.
check::CompileOptions options_for(const Profile& profile, check::CompileOptions options = {});

/// Texts to a module that can be loaded. Ask refuse() whether the device runs it.
check::Compiled compile(const std::vector<check::Input>& inputs, const Profile& profile,
                        check::CompileOptions options = {});

/// Why the device does not run the module, as a clause behind its name: "is for sm_90a, which
/// NVIDIA A100 (sm_80) does not run". Empty: it does.
std::string refuse(const Profile& profile, const ir::Module& module);

}  // namespace heddle::machine
