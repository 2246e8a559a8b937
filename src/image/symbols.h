// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that PTX texts define and need (PTX ISA 11.6). The texts are parsed and not checked.
#pragma once

#include <set>
#include <span>
#include <string>

#include "image/image.h"

namespace heddle::image {

struct Symbols {
  std::set<std::string, std::less<>> defined, needed;
  bool has_kernel = false;  ///< a kernel that is visible outside of the texts
};

/// The names of all `texts` together. A text that does not parse has none: compiling it reports the
/// errors.
Symbols symbols_of(std::span<const PtxText> texts);

}  // namespace heddle::image
