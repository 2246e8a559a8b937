// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Ops of instructions of which a warp that has not diverged computes lane 0, or the first and
// the last lane, alone (analysis/leads.cpp).
#include "interp/decoder.h"

namespace heddle::interp {

/// Chooses, for warps that have not diverged, the handler of the lane instruction just emitted.
void Decoder::choose_by_lead(Op& op, const Handlers& handlers) {
  if (lead().leads) {
    const s64 reach = shapes_.widened_reach(inst_index_);
    if (!reach) return;  // emit() has chosen the handler
    whole_.back() = handlers.lead_widening;
    op.reach = reach;
  } else if (lead().orders) {
    const auto reach = [&](std::string_view source) {
      return static_cast<s32>(reach_of(shapes_.of_source(operand(source))));
    };
    whole_.back() = handlers.ordering;
    op.reaches[0] = reach("a"), op.reaches[1] = reach("b");
  } else if (lead().spread != kNoSource) {
    whole_.back() = lead().usual->spreading[lead().spread];
  }
}

/// Fills Code::affine, once registers have their places.
void Decoder::list_affine() {
  for (u32 r = 0; r < f_.registers.size(); ++r) {
    if (!leads_.suffices(r)) continue;
    const u32 bytes = bytes_of(f_.registers[r].type);
    code_.affine.push_back({registers_[r], bytes, shapes_.of_register(r).stride});
  }
}

}  // namespace heddle::interp
