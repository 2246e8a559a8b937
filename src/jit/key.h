// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that decides what the compiler makes of a kernel, as bytes. The cache keeps them
// beside the code and compares them whole, so code of another kernel is never taken, whatever a
// hash says.
#pragma once

#include <string>

#include "jit/compiler.h"

namespace heddle::jit {

/// What the request asks for: the functions that the kernel can reach, without the names in them;
/// what their variables are; the shape of the block. `maker` stands for compiler and host.
std::string key_of(const Request& request, std::string_view maker);

/// This processor, as far as code for it may differ.
std::string host_identity();

/// LLVM's name for the CPU level that HEDDLE_CPU asks for, as of the interpreter's handlers; empty:
/// all that this host has, or a level that it does not reach.
std::string wanted_cpu();

}  // namespace heddle::jit
