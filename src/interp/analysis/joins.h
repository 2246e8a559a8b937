// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "interp/analysis/leads.h"
#include "interp/analysis/lives.h"
#include "interp/joined.h"

namespace heddle::interp {

/// Consecutive instructions that one handler executes, in a warp that has not diverged.
struct Join {
  enum class Kind : u8 { load, pair, products };
  Kind kind = Kind::load;
  u32 first = 0, insts = 0;
  FullHandler full = nullptr;
  u32 made = kNoSource;        ///< of a pair: the second's source that the first computes
  bool first_is_same = false;  ///< of products: JoinedHandlers::products
};

/// In the order of the instructions, without overlaps. In a called function there are none.
std::vector<Join> find_joins(const ir::Function& function, const Scopes& scopes,
                             const std::vector<Life>& lives, const Shapes& shapes,
                             const Leads& leads, const JoinedHandlers& handlers);

}  // namespace heddle::interp
