// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that a file holds for GPUs, for people and tools: `heddle info`, `heddle cuobjdump`. The
// readers of image.h choose from that what a device runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "image/fat_binary.h"
#include "image/image.h"

namespace heddle::image {

/// A piece of code for one target.
struct Piece {
  enum class Kind : u8 { ptx, container, machine_code, lto_ir, damaged };
  Kind kind = Kind::ptx;
  std::string where = {};  ///< the member of a library; empty: the file itself
  bool in_fat_binary = false;
  FatEntry entry = {};              ///< what the fat binary says of it; its content is in `bytes`
  bool relocatable = false;         ///< of the section of a host object for code to link
  std::string bytes = {};           ///< unpacked
  std::vector<PtxText> texts = {};  ///< of PTX and of a container
};

struct Inventory {
  std::string what;  ///< "PTX text", "a fat binary", ...
  std::vector<Piece> pieces;
  std::vector<std::string> damages;  ///< sentences
};

Inventory take_inventory(std::string_view bytes, std::string_view name);

}  // namespace heddle::image
