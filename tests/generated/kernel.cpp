// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <fmt/format.h>

namespace heddle::generated {
namespace {

void print(const Block& block, std::string& text) {
  for (const Node& node : block) {
    for (std::size_t i = 0; i < node.text.size(); ++i) {
      text += node.text[i];
      if (i < node.blocks.size()) print(node.blocks[i], text);
    }
  }
}

}  // namespace

std::size_t count(const Block& block) {
  std::size_t total = block.size();
  for (const Node& node : block) {
    for (const Block& inner : node.blocks) total += count(inner);
  }
  return total;
}

std::string Kernel::text() const {
  std::string text = fmt::format(
      "// seed {}: grid {} {} {}, block {} {} {}\n.version {}\n.target {}\n.address_size 64\n{}",
      seed, grid.x, grid.y, grid.z, block.x, block.y, block.z, isa::to_string(place.version),
      isa::to_string(place.target), variables);
  for (const Function& function : functions) {
    text += function.head;
    print(function.body, text);
    text += function.end;
  }
  return text;
}

}  // namespace heddle::generated
