// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the passes after the check: contraction, and flushing for sm_1x.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/check.h"
#include "ir/print.h"

namespace heddle::check {
namespace {

/// The instructions of a kernel with that body, without `exit`: "fma.rn.f32 d, a, b, c; ...".
std::string instructions(std::string_view header, std::string_view body, bool contract) {
  const std::string text = fmt::format(
      ".version {}\n.entry k() {{ .reg .f32 a, b, c, d, e, f; .reg .f64 x, y, z; .reg .pred p;\n"
      ".reg .b16 h, i, j; .reg .u32 u; .reg .u64 w;\n{}\nexit; }}\n",
      header, body);
  CompileOptions options;
  options.contract = contract;
  const Compiled result = compile({{"k", text}}, nullptr, options);
  if (!result.module) return result.messages();
  const ir::Function& function = result.module->functions[0];
  std::string all;
  for (const ir::Inst& inst : function.insts) {
    const std::string one = ir::print(*result.module, function, inst);
    if (one != "exit") all += (all.empty() ? "" : "; ") + one;
  }
  return all;
}

struct Example {
  std::string_view body, expected;  ///< empty: unchanged
};

TEST(Contract, WhatPtxasContracts) {
  const Example examples[] = {
      {"mul.f32 d, a, b; add.f32 e, d, c;", "fma.rn.f32 e, a, b, c"},
      {"mul.f32 d, a, b; add.f32 e, c, d;", "fma.rn.f32 e, a, b, c"},
      {"mul.f32 d, a, b; add.sat.f32 e, d, c;", "fma.rn.sat.f32 e, a, b, c"},
      {"mul.ftz.f32 d, a, b; add.ftz.f32 e, d, c;", "fma.rn.ftz.f32 e, a, b, c"},
      {"mul.f64 x, y, z; add.f64 x, x, y;", "fma.rn.f64 x, y, z, y"},
      {"mul.f16 h, i, j; add.f16 h, h, i;", "fma.rn.f16 h, i, j, i"},
      {"mul.f32 d, a, 0f40000000; @p add.f32 e, d, c;", "@p fma.rn.f32 e, a, 0x40000000, c"},
      {"mul.f32 d, a, b; sub.f32 e, d, 0f3f800000;", "fma.rn.f32 e, a, b, 0xbf800000"},
      {"mul.f32 d, a, b; sub.f32 e, d, c;",
       "xor.b32 %minus, c, 0x80000000; fma.rn.f32 e, a, b, %minus"},
      {"mul.f32 d, a, b; sub.f32 e, c, d;",
       "xor.b32 %minus, a, 0x80000000; fma.rn.f32 e, %minus, b, c"},
      {"mul.f32 d, a, 0f40000000; sub.f32 e, c, d;", "fma.rn.f32 e, a, 0xc0000000, c"},
      // Of two products, the first is contracted.
      {"mul.f32 d, a, b; mul.f32 e, b, c; add.f32 f, e, d;",
       "mul.f32 d, a, b; fma.rn.f32 f, b, c, d"},
      // The second product is computed for that, so it is not contracted elsewhere either.
      {"mul.f32 d, a, b; add.f32 c, d, a; mul.f32 e, b, c; add.f32 f, e, d;",
       "mul.f32 d, a, b; add.f32 c, d, a; fma.rn.f32 f, b, c, d"},
      // Two sums of one product.
      {"mul.f32 d, a, b; add.f32 e, d, c; add.f32 f, d, a;",
       "fma.rn.f32 e, a, b, c; fma.rn.f32 f, a, b, a"},
      // The register has a different value later.
      {"mul.f32 d, a, b; add.f32 d, d, c; add.f32 e, d, d;",
       "fma.rn.f32 d, a, b, c; add.f32 e, d, d"},
      {"mul.f32 d, a, b; add.f32 e, d, c; mul.f32 d, b, c; add.f32 f, d, a;",
       "fma.rn.f32 e, a, b, c; fma.rn.f32 f, b, c, a"},
      // Through copies, and with the sign changed on the way.
      {"mul.f32 d, a, b; mov.f32 e, d; add.f32 f, e, c;", "fma.rn.f32 f, a, b, c"},
      {"mul.f32 d, a, b; mov.b32 u, d; mov.b32 e, u; add.f32 f, e, c; add.f32 e, d, a;",
       "fma.rn.f32 f, a, b, c; fma.rn.f32 e, a, b, a"},
      {"mul.f32 d, a, 0f40000000; neg.f32 e, d; add.f32 f, e, c;",
       "fma.rn.f32 f, a, 0xc0000000, c"},
      {"mul.f32 d, a, 0f40000000; neg.f32 e, d; sub.f32 f, c, e;",
       "fma.rn.f32 f, a, 0x40000000, c"},
      {"mul.f32 d, a, 0f40000000; neg.f32 d, d; neg.f32 d, d; add.f32 d, d, c;",
       "fma.rn.f32 d, a, 0x40000000, c"},
      {"mul.ftz.f32 d, a, 0f40000000; neg.f32 e, d; add.ftz.f32 f, c, e;",
       "fma.rn.ftz.f32 f, a, 0xc0000000, c"},
      {"mul.f64 x, y, z; neg.f64 x, x; add.f64 x, x, y;",
       "xor.b64 %minus, y, 0x8000000000000000; fma.rn.f64 x, %minus, z, y"},
      // A factor that changes before the addition is kept.
      {"mul.f32 d, d, b; add.f32 d, d, c;", "fma.rn.f32 d, d, b, c"},
      {"mul.f32 d, a, b; mov.f32 a, c; add.f32 e, d, c;",
       "mov.b32 %factor, a; mov.f32 a, c; fma.rn.f32 e, %factor, b, c"},
      {"mul.f32 d, a, b; add.f32 b, b, c; @p add.f32 e, d, b;",
       "mov.b32 %factor, b; add.f32 b, b, c; @p fma.rn.f32 e, a, %factor, b"},
      {"mul.f32 d, d, b; mul.f32 e, b, c; add.f32 f, e, d; add.f32 d, d, c;",
       "mov.b32 %factor, d; mul.f32 d, d, b; fma.rn.f32 f, b, c, d; fma.rn.f32 d, %factor, b, c"},
      // Not contracted: an explicit rounding, different flushing, .sat, other uses, both operands,
      // guards.
      {"mul.f32 d, a, b; mov.f32 e, d; add.f32 f, e, d;", ""},
      {"mul.f32 d, a, b; neg.f32 e, d; add.f32 f, e, d;", ""},
      {"mul.f32 d, a, b; neg.f32 e, d; add.f32 f, e, c; mov.f32 c, e; mov.b32 u, c; not.b32 u, u;",
       ""},
      {"mul.f32 d, a, b; neg.ftz.f32 e, d; add.f32 f, e, c;", ""},
      {"mul.f32 d, a, b; abs.f32 e, d; add.f32 f, e, c;", ""},
      {"mul.f32 d, a, b; @p neg.f32 d, d; add.f32 f, d, c;", ""},
      {"mul.rn.f32 d, a, b; add.f32 e, d, c;", ""},
      {"mul.f32 d, a, b; add.rn.f32 e, d, c;", ""},
      {"mul.ftz.f32 d, a, b; add.f32 e, d, c;", ""},
      {"mul.sat.f32 d, a, b; add.f32 e, d, c;", ""},
      {"mul.f32 d, a, b; add.f32 e, d, c; abs.f32 f, d;", ""},
      {"mul.f32 d, a, b; add.f32 e, d, d;", ""},
      {"@p mul.f32 d, a, b; add.f32 e, d, c;", ""},
      {"mul.lo.u32 u, u, u; add.u32 u, u, u;", ""},
  };
  for (const Example& example : examples) {
    const std::string_view header = "8.0\n.target sm_80\n.address_size 64";
    const std::string plain = instructions(header, example.body, false);
    EXPECT_EQ(instructions(header, example.body, true),
              example.expected.empty() ? plain : example.expected)
        << example.body;
  }
}

TEST(Contract, EachInputForItself) {
  const std::string body = "() { .reg .f32 a, b, c, d; mul.f32 d, a, b; add.f32 d, d, c; ret; }\n";
  const std::string head = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .func ";
  const Compiled result =
      compile({{"together", head + "f" + body},
               {.name = "apart", .text = head + "g" + body, .contract = false}});
  ASSERT_TRUE(result.module) << result.messages();
  EXPECT_EQ(result.module->functions[0].insts.size(), 2u) << "fma, ret";
  EXPECT_EQ(result.module->functions[1].insts.size(), 3u) << "mul, add, ret";
}

TEST(Contract, OnlyWithinABasicBlock) {
  const std::string_view header = "8.0\n.target sm_80\n.address_size 64";
  const std::string_view across = "mul.f32 d, a, b; @p bra L; add.f32 e, d, c; L:";
  EXPECT_EQ(instructions(header, across, true), instructions(header, across, false));
  const std::string_view around = "L: add.f32 e, d, c; mul.f32 d, a, b; add.f32 f, d, c; bra L;";
  EXPECT_EQ(instructions(header, around, true), instructions(header, around, false));
  // Labels stay where they were.
  EXPECT_EQ(instructions(header, "L: mul.f32 d, a, b; add.f32 e, d, c; @p bra M; bra L; M:", true),
            "fma.rn.f32 e, a, b, c; @p bra @3; bra @0");
}

TEST(Legacy, OldTargetsFlush) {
  const Example examples[] = {
      {"add.f32 d, a, b;", "add.ftz.f32 d, a, b"},
      {"mul.rz.f32 d, a, b;", "mul.rz.ftz.f32 d, a, b"},
      {"setp.lt.f32 p, a, b;", "setp.lt.ftz.f32 p, _, a, b"},
      {"cvt.f32.f32 d, a;", "cvt.ftz.f32.f32 d, a"},
      {"rcp.approx.f32 d, a;", "rcp.approx.ftz.f32 d, a"},
      {"cvt.rn.f32.f64 d, x;", ""},
      {"cvt.rzi.u64.f32 w, a;", ""},
      {"add.f64 x, y, z;", ""},
      {"add.u32 u, u, u;", ""},
      {"mov.f32 d, a;", ""},
  };
  for (const Example& example : examples) {
    EXPECT_EQ(instructions("1.4\n.target sm_13", example.body, false),
              example.expected.empty() ? instructions("2.0\n.target sm_20", example.body, false)
                                       : example.expected)
        << example.body;
  }
  EXPECT_EQ(instructions("1.5\n.target sm_13", "cvt.rn.f32.f64 d, x;", false),
            "cvt.rn.ftz.f32.f64 d, x");
}

TEST(Legacy, DoublesBecomeSingles) {
  const Example examples[] = {
      {"add.f64 x, y, 0d3ff0000000000000;", "add.ftz.f32 x, y, 0x3f800000"},
      {"mov.f64 x, 0d4000000000000000;", "mov.f64 x, 0x40000000"},
      {"div.rn.f64 x, y, z;", "div.rn.ftz.f32 x, y, z"},
      {"cvt.f64.f32 x, a;", "cvt.ftz.f32.f32 x, a"},
      {"cvt.rn.f32.f64 a, x;", "cvt.ftz.f32.f32 a, x"},
      {"cvt.rn.f64.u64 x, w;", "cvt.rn.f32.u64 x, w"},
      {"cvt.rzi.u32.f64 u, x;", "cvt.rzi.ftz.u32.f32 u, x"},
      {"setp.lt.f64 p, x, y;", "setp.lt.ftz.f32 p, _, x, y"},
      {"neg.f64 x, y;", "neg.ftz.f32 x, y"},
      {"add.s32 u, u, u;", "add.s32 u, u, u"},
  };
  for (const Example& example : examples) {
    EXPECT_EQ(instructions("1.4\n.target sm_10, map_f64_to_f32", example.body, false),
              example.expected)
        << example.body;
  }
  EXPECT_THAT(instructions("1.4\n.target sm_10", "add.f64 x, y, z;", false),
              testing::HasSubstr("sm_13"));
}

}  // namespace
}  // namespace heddle::check
