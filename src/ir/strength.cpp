// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/strength.h"

#include "ir/operands.h"
#include "isa/groups.h"

namespace heddle::ir {

bool is_strong(const Inst& inst) {
  const auto order = static_cast<sem::Order>(slot_of(inst, "order"));
  return order != sem::Order::none && order != sem::Order::weak;
}

bool is_strong_beyond_cluster(const Inst& inst) {
  const auto scope = static_cast<sem::Scope>(slot_of(inst, "scope"));
  const auto space = static_cast<Space>(inst.space);
  return is_strong(inst) && space != Space::shared && space != Space::local &&
         scope != sem::Scope::cta && scope != sem::Scope::cluster;
}

}  // namespace heddle::ir
