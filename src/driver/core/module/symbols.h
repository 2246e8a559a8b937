// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names by which PTX texts know each other (PTX ISA 11.6), without checking the texts.
#pragma once

#include <set>
#include <span>
#include <string>

#include "driver/core/module/image.h"

namespace heddle::driver {

struct Symbols {
  std::set<std::string, std::less<>> defined, needed;
  bool has_kernel = false;  ///< one that is visible outside
};

/// Of all `texts` together. What does not parse has no names; compiling it will say why.
Symbols symbols_of(std::span<const PtxText> texts);

}  // namespace heddle::driver
