// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the benchmarks of the front end read.
#pragma once

#include <string>

namespace heddle::syntax {

/// A module of at least `size` bytes: the kernels that clang made for tests/kernels, again and
/// again under other names, as a library with many instances of its templates has them.
std::string real_module(std::size_t size);

/// 10 MB of it.
const std::string& shared_module();

}  // namespace heddle::syntax
