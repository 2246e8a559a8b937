// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "interp/analysis/scopes.h"
#include "interp/analysis/shapes.h"
#include "interp/level.h"
#include "ir/module.h"

namespace heddle::interp {

/// How a warp that has not diverged executes an instruction.
struct LeadInst {
  bool leads = false;           ///< for lane 0 alone
  bool orders = false;          ///< a comparison of affine sources: for the first and last lane
  bool affine_address = false;  ///< a load or store: the address of lane 0 gives all addresses
  u8 spread = kNoSource;        ///< the source whose lane 0 stands for all lanes
  const UsualArithmetic* usual = nullptr;  ///< its further handlers; null: it has none, or a guard
};

/// Which instructions of a function lead (leads.cpp), and of which registers lane 0 suffices. In a
/// called function no instruction leads, because no register is affine.
class Leads {
 public:
  Leads(const ir::Function& function, const Scopes& scopes, const Shapes& shapes,
        const Level& level);

  const LeadInst& of_inst(u32 index) const { return insts_[index]; }
  /// Whether a warp fills no more than lane 0 of the register until it diverges.
  bool suffices(u32 reg) const { return suffices_[reg]; }

 private:
  bool update(const ir::Function& function, const Shapes& shapes, u32 index);

  std::vector<LeadInst> insts_;  // by instruction
  std::vector<bool> suffices_;   // by register
};

}  // namespace heddle::interp
