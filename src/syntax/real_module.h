// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input of the benchmarks of the front end.
#pragma once

#include <string>

namespace heddle::syntax {

/// A module of at least `size` bytes: clang's output for tests/kernels, repeated under other names,
/// similar to a library with many template instances.
std::string real_module(std::size_t size);

/// A real_module() of 10 MB.
const std::string& shared_module();

}  // namespace heddle::syntax
