// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::jit {

/// Whether the compiler verifies its output after each step: in debug builds, or where
/// HEDDLE_VERIFY_JIT asks for it.
bool verifies();

}  // namespace heddle::jit
