// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coverage of the instruction tables by generated kernels: forms, and choices of their
// modifiers.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "kernel.h"

namespace heddle::generated {

class Coverage {
 public:
  void add(const Kernel& kernel);
  /// The numbers, followed by the plain forms that exist at some place and were not generated.
  std::string report() const;

 private:
  std::set<u16> forms_;
  std::set<std::tuple<u16, u8, u8>> choices_;  ///< form, slot, value
};

}  // namespace heddle::generated
