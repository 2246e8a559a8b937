// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways of a whole warp past guards and branches, and where it ends (see run_full()).
#include "interp/op.h"

namespace heddle::interp {

const Op* full_by_handler(Warp& warp, const Op* op) {
  warp.op = op;
  op->run(warp, *op);
  ++op;
  HEDDLE_GO_ON(warp, op);
}

const Op* full_guarded(Warp& warp, const Op* op) {
  if (const u32 active = guarded_lanes(warp.at<const u8>(place(Block::frame, 0)), *op)) {
    warp.op = op;
    warp.mask = active;
    op->run(warp, *op);
    warp.mask = kAllLanes;
  }
  ++op;
  HEDDLE_GO_ON(warp, op);
}

const Op* full_branch(Warp& warp, const Op* op) {
  if (op->guard != kUnguarded) {
    const u32 taken = guarded_lanes(warp.at<const u8>(place(Block::frame, 0)), *op);
    if (!taken) {
      ++op;
      HEDDLE_GO_ON(warp, op);
    }
    if (taken != kAllLanes) return op;
  }
  if (op->jump <= 0) {
    if (warp.turns <= 0) return op;
    --warp.turns;
  }
  op += op->jump;
  HEDDLE_GO_ON(warp, op);
}

const Op* full_control(Warp&, const Op* op) { return op; }

}  // namespace heddle::interp
