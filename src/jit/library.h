// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exports of libheddle_jit.so.
#pragma once

#include "jit/compiler.h"

namespace heddle::jit {

using CompileFunction = void(const Request&, Result<Compiled>&);
inline constexpr const char* kCompileFunction = "heddle_jit_compile";
inline constexpr const char* kVersion = "heddle_jit_version";

}  // namespace heddle::jit
