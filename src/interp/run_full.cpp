// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FullHandlers of guarded instructions, branches and control instructions (run_full()).
#include "interp/op.h"

namespace heddle::interp {

const Op* full_by_handler(Gang& gang, const Op* op) {
  gang.op = op;
  for (u32 k = 0; k < gang.count; ++k) {
    gang.current = k;
    op->run(*gang.warps[k], *op);
  }
  ++op;
  HEDDLE_GO_ON(gang, op);
}

const Op* full_guarded(Gang& gang, const Op* op) {
  gang.op = op;
  for (u32 k = 0; k < gang.count; ++k) {
    Warp& warp = *gang.warps[k];
    const u32 active = guarded_lanes(warp, *op);
    if (!active) continue;
    gang.current = k;
    warp.mask = active;
    op->run(warp, *op);
    warp.mask = kAllLanes;
  }
  ++op;
  HEDDLE_GO_ON(gang, op);
}

const Op* full_branch(Gang& gang, const Op* op) {
  if (op->guard != kNoPlace) {
    const u32 taken = guarded_lanes(*gang.warps[0], *op);
    if (taken && taken != kAllLanes) return op;
    for (u32 k = 1; k < gang.count; ++k) {
      if (guarded_lanes(*gang.warps[k], *op) != taken) return op;
    }
    if (!taken) {
      ++op;
      HEDDLE_GO_ON(gang, op);
    }
  }
  if (op->jump <= 0) {
    if (gang.turns <= 0) return op;
    --gang.turns;
  }
  op += op->jump;
  HEDDLE_GO_ON(gang, op);
}

const Op* full_control(Gang&, const Op* op) { return op; }

}  // namespace heddle::interp
