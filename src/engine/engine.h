// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which engine runs kernels, as the environment asks (base/config.h).
#pragma once

#include <memory>

#include "machine/engine.h"

namespace heddle::engine {

/// interp: the interpreter. jit: each kernel is compiled before its first launch, if it can be.
std::unique_ptr<machine::Engine> make_engine();

}  // namespace heddle::engine
