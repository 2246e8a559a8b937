// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/opaque_ops.h"

#include <algorithm>
#include <span>

#include "isa/sem/lanes.h"

namespace heddle::interp {

std::vector<u64> opaque_variables(const machine::Loaded& loaded, isa::Type type) {
  std::vector<u64> result = {0};
  const auto& variables = loaded.module().variables;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].type != type) continue;
    const u64 first = loaded.address_of(ir::VarId(i));
    for (u64 at = 0; at < variables[i].size; at += isa::type_info(type).bits / 8)
      result.push_back(first + at);
  }
  result[0] = result.size() - 1;
  return result;
}

void is_opaque(Warp& warp, const Op& op) {
  const u64* const list = op.variables;
  const std::span variables(list + 1, list[0]);
  u32 found = 0;
  sem::for_each_lane(warp.mask, [&](u32 lane) {
    const u64 address = warp.at<const u64>(op.src[0])[lane];
    if (std::ranges::find(variables, address) != variables.end()) found |= 1u << lane;
  });
  set_predicate(warp, op.dst[0], warp.mask, found);
}

}  // namespace heddle::interp
