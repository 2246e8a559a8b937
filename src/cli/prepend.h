// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Environment variables that are lists of paths, for the program that `heddle exec` runs.
#pragma once

#include <cstdlib>
#include <string>

namespace heddle::cli {

/// Puts `what` in front of the variable's value. False: errno says why it was not possible.
inline bool prepend(const char* name, const std::string& what) {
  const char* const before = std::getenv(name);
  const std::string all = before && *before ? what + ":" + before : what;
  return setenv(name, all.c_str(), 1) == 0;
}

}  // namespace heddle::cli
