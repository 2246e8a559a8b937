// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of the engine by the environment (base/config.h).
#pragma once

#include <memory>

#include "machine/engine.h"

namespace heddle::engine {

/// The engine that HEDDLE_ENGINE names. interp: the interpreter. jit: the compiler, which compiles
/// each kernel before its first launch. auto: both, with kernels compiled in the background.
std::unique_ptr<machine::Engine> make_engine();

}  // namespace heddle::engine
