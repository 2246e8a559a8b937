// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table behind cuGetProcAddress, generated from functions.list.
#pragma once

#include <span>

namespace heddle::driver {

/// From `version` on, the entry point of `name` is `function`. From `twin_version` on, a program
/// with per-thread default streams gets `twin` (null: the function has no twin). Versions are 1000
/// * major + 10 * minor.
struct EntryPoint {
  const char* name;
  int version;
  void* function;
  int twin_version;
  void* twin;
};

/// Sorted by name, then version.
std::span<const EntryPoint> entry_points();

}  // namespace heddle::driver
