// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that the compiler's output for a kernel depends on, as bytes. The cache keeps these
// bytes beside the code and compares all of them, so that it never returns code of another kernel,
// whatever the hashes are.
#pragma once

#include <string>

#include "jit/compiler.h"

namespace heddle::jit {

/// The key of a request: the functions that the kernel can reach, without the names in them; what
/// their variables are; the shape of the block. `maker` stands for compiler and host.
std::string key_of(const Request& request, std::string_view maker);

/// The host's processor, as far as code for it may differ.
std::string host_identity();

/// LLVM's name for the CPU level that HEDDLE_CPU asks for, as of the interpreter's handlers; empty:
/// all that this host has, or a level that it does not reach.
std::string wanted_cpu();

}  // namespace heddle::jit
