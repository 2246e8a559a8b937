// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generated kernel, which has the same result under every schedule. Its statements are nodes,
// each complete in itself: without any one of them the kernel is still legal, free of races and
// deterministic. This is used to shrink failing kernels.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"
#include "isa/gate.h"
#include "machine/profile.h"
#include "machine/trap.h"

namespace heddle::generated {

struct Node;
using Block = std::vector<Node>;

/// text, block, text, block ... text
struct Node {
  Node() = default;
  Node(std::string only) : text{std::move(only)} {}
  std::vector<std::string> text;
  std::vector<Block> blocks;  ///< one fewer than `text`
};

struct Function {
  std::string head;  ///< up to the opening brace and the declarations
  Block body;
  std::string end;  ///< from the last statements to the closing brace
};

/// A `.version` and `.target`.
struct Place {
  isa::PtxVersion version;
  isa::Target target;
  bool flushes = false;  ///< all floating-point arithmetic is of f32 and has .ftz
};

struct Buffer {
  std::string_view name;
  std::vector<u8> initial;
};

struct Kernel {
  u64 seed = 0;
  Place place;
  machine::Dim3 grid, block;
  /// The initial contents of global memory. The kernel's parameters are the buffers' addresses and
  /// the scalars.
  std::vector<Buffer> buffers;
  std::vector<u8> scalars;
  u32 dynamic_shared = 0;  ///< bytes
  std::string variables;   ///< of the module
  std::vector<Function> functions;

  static constexpr std::string_view kName = "generated";
  std::string text() const;
};

/// The number of nodes, nested ones included.
std::size_t count(const Block& block);

}  // namespace heddle::generated
