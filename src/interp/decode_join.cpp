// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Ops of consecutive instructions that one handler executes (analysis/joins.cpp).
#include <algorithm>

#include "interp/decoder.h"

namespace heddle::interp {

/// Describes the Ops of a sum of products for its handler. False: the handler cannot execute them.
bool Decoder::describe_products(std::span<Op> ops, bool first_is_same) {
  constexpr s64 kMostApart = s64{1} << 30;
  Products all;
  all.offsets.resize(ops.size() / 3);
  for (u32 f = 0; f < all.factors.size(); ++f) {
    const auto offset = [&](std::size_t i) { return static_cast<s64>(ops[3 * i + f].offset); };
    s64 least = offset(0), most = least;
    for (std::size_t i = 0; i < all.offsets.size(); ++i) {
      least = std::min(least, offset(i));
      most = std::max(most, offset(i));
    }
    if (most - least > kMostApart) return false;
    for (std::size_t i = 0; i < all.offsets.size(); ++i) {
      all.offsets[i][f] = static_cast<u32>(offset(i) - least);
      if (all.offsets[i][f] % sizeof(float)) return false;
    }
    const bool same = first_is_same == (f == 0);
    all.factors[f] = {ops[f].src[0], ops[f].window, static_cast<u64>(least),
                      static_cast<u64>(most - least) + sizeof(float) * (same ? 1 : kLanes)};
  }
  all.from = ops[2].src[2];
  all.to = ops.back().dst[0];
  builder_.program.products.push_back(std::move(all));
  ops[2].products = &builder_.program.products.back();
  return true;
}

/// The first of two Ops gets the sources of both, and the second's result.
void Decoder::describe_pair(std::span<Op> ops, u32 made) const {
  const auto sources = [&](const Op& op) {
    return f_.insts[op.inst].get_form().sem == "fma_f32" ? 3u : 2u;
  };
  Op& op = ops[0];
  u32 count = sources(op);
  for (u32 i = 0; i < sources(ops[1]); ++i) {
    if (i != made) op.src[count++] = ops[1].src[i];
  }
  std::ranges::copy(ops[1].dst, op.dst);
  op.flags = ops[1].flags;
}

/// Gives the first Op of each join its handler in Code::whole_ops, if each of the instructions has
/// become one Op.
void Decoder::apply_joins(std::span<const Join> joins, std::span<const u32> op_of_inst) {
  for (const Join& join : joins) {
    const u32 first = op_of_inst[join.first];
    if (op_of_inst[join.first + join.insts] != first + join.insts) continue;
    const std::span<Op> ops = std::span(code_.whole_ops).subspan(first, join.insts);
    if (join.kind == Join::Kind::pair) describe_pair(ops, join.made);
    if (join.kind == Join::Kind::products && !describe_products(ops, join.first_is_same)) continue;
    ops[0].full = join.full;
  }
}

}  // namespace heddle::interp
