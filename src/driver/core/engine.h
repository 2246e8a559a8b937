// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which engine runs kernels, and how: HEDDLE_ENGINE, HEDDLE_MEMBERMASK.
#pragma once

#include <memory>
#include <string_view>

#include "machine/engine.h"

namespace heddle::driver {

/// interp: the interpreter. jit: each kernel is compiled before its first launch, if it can be.
std::unique_ptr<machine::Engine> make_engine();

/// LaunchConfig::strict_membermasks of a program's launches: HEDDLE_MEMBERMASK is `strict`.
bool strict_membermasks();

}  // namespace heddle::driver
