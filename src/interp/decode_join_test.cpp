// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which consecutive instructions one handler executes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "interp/decode_test.h"

namespace heddle::interp {
namespace {

struct Case {
  const char* what;
  const char* body;
  const char* joined;  // the kinds of the joins, in order
};

// %f1 is loaded from consecutive elements at [%rd2], %f0 from [%rd1], which is one element for all
// lanes.
constexpr Case kCases[] = {
    // A load and arithmetic.
    {"for the next only", "ld.global.f32 %f1, [%rd2]; add.f32 %f2, %f3, %f1;", "load "},
    {"for one that writes it anew", "ld.global.f32 %f1, [%rd2]; add.f32 %f1, %f3, %f1;", "load "},
    {"written anew later",
     "ld.global.f32 %f1, [%rd2]; add.f32 %f2, %f3, %f1; mov.f32 %f1, %f2; mul.f32 %f2, %f1, %f1;",
     "load "},
    {"beside one number for all lanes",
     "ld.global.f32 %f0, [%rd1]; ld.global.f32 %f1, [%rd2]; fma.rn.f32 %f2, %f0, %f1, %f2;",
     "load "},
    {"32 bits without a type", "ld.global.b32 %f1, [%rd2]; sub.ftz.f32 %f2, %f3, %f1;", "load "},
    {"for a later one, too",
     "ld.global.f32 %f1, [%rd2]; add.f32 %f2, %f3, %f1; mul.f32 %f2, %f1, %f3;", ""},
    {"for a later one where threads do not write it anew",
     "ld.global.f32 %f1, [%rd2]; add.f32 %f2, %f3, %f1; @%p1 mov.f32 %f1, %f2; "
     "mul.f32 %f2, %f1, %f3;",
     ""},
    {"twice", "ld.global.f32 %f1, [%rd2]; add.f32 %f2, %f1, %f1;", ""},
    {"not for the next",
     "ld.global.f32 %f1, [%rd2]; st.global.f32 [%rd1], %f3; add.f32 %f2, %f3, %f1;", ""},
    {"where threads come from elsewhere",
     "ld.global.f32 %f1, [%rd2]; L: add.f32 %f2, %f3, %f1; bra L;", ""},
    {"guarded", "ld.global.f32 %f1, [%rd2]; @%p1 add.f32 %f2, %f3, %f1;", ""},
    {"not the usual arithmetic", "ld.global.f32 %f1, [%rd2]; add.rp.f32 %f2, %f3, %f1;", ""},
    {"volatile", "ld.volatile.global.f32 %f1, [%rd2]; add.f32 %f2, %f3, %f1;", ""},

    // Two instructions of arithmetic, or one and a comparison.
    {"a sum of a product", "mul.rn.f32 %f2, %f3, %f4; add.rn.f32 %f5, %f4, %f2;", "pair "},
    {"three in a row: the first two",
     "mul.rn.f32 %f2, %f3, %f4; sub.rn.f32 %f2, %f4, %f2; mul.rn.f32 %f5, %f2, %f3;", "pair "},
    {"four in a row",
     "mul.rn.f32 %f2, %f3, %f4; sub.rn.f32 %f2, %f4, %f2; mul.rn.f32 %f5, %f2, %f3; "
     "fma.rn.f32 %f5, %f3, %f4, %f5;",
     "pair pair "},
    {"a comparison", "mul.rn.f32 %f2, %f3, %f4; setp.lt.f32 %p1, %f2, %f3;", "pair "},
    {"a comparison the other way", "mul.rn.f32 %f2, %f3, %f4; setp.ltu.f32 %p1, %f3, %f2;",
     "pair "},
    {"a comparison for NaN", "mul.rn.f32 %f2, %f3, %f4; setp.nan.f32 %p1, %f2, %f2;", ""},
    {"a comparison with itself", "mul.rn.f32 %f2, %f3, %f4; setp.lt.f32 %p1, %f2, %f2;", ""},
    {"a comparison without subnormals", "mul.rn.f32 %f2, %f3, %f4; setp.lt.ftz.f32 %p1, %f2, %f3;",
     ""},
    {"in a loop, written anew before it goes round",
     "L: mul.rn.f32 %f2, %f2, %f4; add.rn.f32 %f5, %f4, %f2; mov.f32 %f2, %f5; bra L;", "pair "},
    {"in a loop, needed when it goes round",
     "L: mul.rn.f32 %f2, %f2, %f4; add.rn.f32 %f5, %f4, %f2; bra L;", ""},
    {"needed where threads may go",
     "L: mul.rn.f32 %f2, %f2, %f4; add.rn.f32 %f5, %f4, %f2; @%p1 bra L; mov.f32 %f2, %f5; bra L;",
     ""},
    {"the product is needed later",
     "mul.rn.f32 %f2, %f3, %f4; add.rn.f32 %f5, %f4, %f2; mul.rn.f32 %f5, %f2, %f3;", ""},
    {"subnormals become zero", "mul.ftz.f32 %f2, %f3, %f4; add.rn.f32 %f5, %f4, %f2;", ""},
    {"the sum saturates", "mul.rn.f32 %f2, %f3, %f4; add.sat.f32 %f5, %f4, %f2;", ""},
    {"the sum is guarded", "mul.rn.f32 %f2, %f3, %f4; @%p1 add.rn.f32 %f5, %f4, %f2;", ""},
    {"the product is guarded", "@%p1 mul.rn.f32 %f2, %f3, %f4; add.rn.f32 %f5, %f4, %f2;", ""},

    // Sums of products.
    {"two products",
     "ld.global.f32 %f0, [%rd1]; ld.global.f32 %f1, [%rd2]; fma.rn.f32 %f2, %f0, %f1, %f2;"
     "ld.global.f32 %f0, [%rd1 + 4]; ld.global.f32 %f1, [%rd2 + 128]; "
     "fma.rn.f32 %f2, %f0, %f1, %f2;",
     "products "},
    {"as compilers write it",
     "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f0, [%rd1]; fma.rn.f32 %f3, %f1, %f0, %f2;"
     "ld.global.f32 %f4, [%rd2 + 128]; ld.global.f32 %f5, [%rd1 + 4]; "
     "fma.rn.f32 %f6, %f4, %f5, %f3;",
     "products "},
    {"an element is needed later",
     "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f0, [%rd1]; fma.rn.f32 %f3, %f1, %f0, %f2;"
     "ld.global.f32 %f4, [%rd2 + 128]; ld.global.f32 %f5, [%rd1 + 4]; "
     "fma.rn.f32 %f6, %f4, %f5, %f3; mul.rn.f32 %f3, %f1, %f1;",
     ""},
    {"a sum on the way is needed later",
     "ld.global.f32 %f0, [%rd1]; ld.global.f32 %f1, [%rd2]; fma.rn.f32 %f3, %f1, %f0, %f2;"
     "ld.global.f32 %f0, [%rd1 + 4]; ld.global.f32 %f1, [%rd2 + 128]; "
     "fma.rn.f32 %f6, %f0, %f1, %f3; mul.rn.f32 %f3, %f3, %f3;",
     "load load "},
    {"two sums",
     "ld.global.f32 %f0, [%rd1]; ld.global.f32 %f1, [%rd2]; fma.rn.f32 %f2, %f1, %f0, %f2;"
     "ld.global.f32 %f0, [%rd1 + 4]; ld.global.f32 %f1, [%rd2 + 128]; "
     "fma.rn.f32 %f3, %f0, %f1, %f3;",
     "load load "},
    {"another order",
     "ld.global.f32 %f0, [%rd1]; ld.global.f32 %f1, [%rd2]; fma.rn.f32 %f2, %f1, %f0, %f2;"
     "ld.global.f32 %f1, [%rd2 + 128]; ld.global.f32 %f0, [%rd1 + 4]; "
     "fma.rn.f32 %f2, %f0, %f1, %f2;",
     "load "},
    {"threads come between",
     "ld.global.f32 %f0, [%rd1]; ld.global.f32 %f1, [%rd2]; fma.rn.f32 %f2, %f1, %f0, %f2;"
     "L: ld.global.f32 %f4, [%rd1 + 4]; ld.global.f32 %f5, [%rd2 + 128]; "
     "fma.rn.f32 %f2, %f4, %f5, %f2; bra L;",
     "load load "},
    {"an offset that is not aligned",
     "ld.global.f32 %f0, [%rd1]; ld.global.f32 %f1, [%rd2]; fma.rn.f32 %f2, %f1, %f0, %f2;"
     "ld.global.f32 %f0, [%rd1 + 2]; ld.global.f32 %f1, [%rd2 + 128]; "
     "fma.rn.f32 %f2, %f0, %f1, %f2;",
     ""},
};

bool is_in(const auto& handlers, FullHandler full) {
  if constexpr (std::is_same_v<std::decay_t<decltype(handlers)>, FullHandler>)
    return handlers && handlers == full;
  else
    return std::ranges::any_of(handlers, [&](const auto& row) { return is_in(row, full); });
}

const char* kind_of(FullHandler full) {
  const Level& level = best_level();
  const bool is_load = std::ranges::any_of(level.lanes, [&](const Handlers& lane) {
    return lane.usual && is_in(lane.usual->loading, full);
  });
  const bool is_pair = is_in(level.joined.arithmetic, full) || is_in(level.joined.comparison, full);
  return is_load                              ? "load "
         : is_pair                            ? "pair "
         : is_in(level.joined.products, full) ? "products "
                                              : "";
}

TEST(DecodeJoin, Kinds) {
  for (const Case& one : kCases) {
    const DecodedCase decoded(
        one.what, ".param .u64 p",
        ".reg .u32 %r1; .reg .u64 %rd<3>; .reg .f32 %f<8>; .reg .pred %p1;\n"
        "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p]; mad.wide.u32 %rd2, %r1, 4, %rd1;\n",
        one.body);
    std::string joined;
    for (const Op& op : decoded.code().whole_ops) joined += kind_of(op.full);
    EXPECT_EQ(joined, one.joined);
  }
}

}  // namespace
}  // namespace heddle::interp
