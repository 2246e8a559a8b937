// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of the instruction tables generated kernels show: forms, and choices of their modifiers.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "kernel.h"

namespace heddle::generated {

class Coverage {
 public:
  void add(const Kernel& kernel);
  /// Numbers, then the plain forms that some place has and that were not seen.
  std::string report() const;

 private:
  std::set<u16> forms_;
  std::set<std::tuple<u16, u8, u8>> choices_;  ///< form, slot, value
};

}  // namespace heddle::generated
