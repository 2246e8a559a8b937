// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions and their operands, read and printed. PTX ISA 4.3.2, 4.5, chapter 6.
#include <gtest/gtest.h>

#include "syntax/equal.h"
#include "syntax/parser.h"
#include "syntax/printer.h"

namespace heddle::syntax {
namespace {

constexpr std::string_view kBefore = ".entry k\n{\n    ";
constexpr std::string_view kAfter = "\n}\n";

std::string wrap(std::string_view line) {
  return std::string(kBefore) + std::string(line) + std::string(kAfter);
}

std::string print_line(std::string_view line) {
  diag::Source source("t.ptx", wrap(line));
  diag::Report report;
  const Tree tree = parse(source, report);
  if (report.has_errors()) return render_text(report, source);
  std::string text = print(tree);
  text.erase(0, kBefore.size());
  text.erase(text.size() - kAfter.size());
  return text;
}

struct Case {
  std::string_view input;
  std::string_view printed = {};  ///< empty: the input itself
};

void expect_prints(const Case& test) {
  const std::string_view expected = test.printed.empty() ? test.input : test.printed;
  EXPECT_EQ(print_line(test.input), expected) << test.input;
  EXPECT_EQ(print_line(expected), expected) << test.input;
}

TEST(Operand, Instructions) {
  const Case cases[] = {
      {"ret;"},
      {"@%p1 bra $L__BB0_2;"},
      {"@ %p1 bra L;", "@%p1 bra L;"},
      {"@! %p add.u32 a,b,c ;", "@!%p add.u32 a, b, c;"},
      {"add .u32 a, b, c;", "add.u32 a, b, c;"},
      {"mad\n.lo /* c */ .u32 a, b, c, d;", "mad.lo.u32 a, b, c, d;"},
      {"ld.global.L1::no_allocate.L2::256B.v4.f32 {a, b, c, d}, [p];"},
      {"ld.const[2].b32 a, [b+4];"},
      {"tex.3d.v4.s32.s32 {r1, r2, r3, r4}, [tex_a, {f1, f2, f3, f4}];"},
      {"tex.1d.v4.f32.f32 {a, b, c, d}|p, [t, s, {x}], {e}, f0;"},
      {"tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [taddr2], sdesc2;"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {a, b}, {c}, {d}, {-1, _};"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.tile [d], [m, {c0, c1}], [mbar];"},
      {"setp.lt.and.s32 p|q, a, b, !r;"},
      {"setp.eq.u32 p|_, a, b;"},
      {"shfl.sync.down.b32 %r14|%p17, %r10, 2, 31, -1;"},
      {"vadd.u32.u32.u32.add d, a.b0, b.h1, c;"},
      {"vadd4.u32.u32.u32 d.b012, a.b7654, -b.b0, c;"},
      {"mov.u32 %r1, %tid.x;"},
      {"mov.u32 a, %tid .x;", "mov.u32 a, %tid.x;"},
      {"atom.add.u32 _, [a], 1;"},
      {"call (%out), f, (%a, 5, _);"},
      {"call.uni (retval0), \n vprintf, \n (\n param0, \n param1\n );",
       "call.uni (retval0), vprintf, (param0, param1);"},
      {"call %r0, (a), proto;"},
      {"call g, ();"},
      {"call abort;"},
      {"callx (5);", "callx 5;"},
      {"bar.sync 0, 64;"},
      {"mov.b64 {lo, hi}, x;"},
      {"st.v2.u32 [a], {0, b.x};"},
      {"cvta.global.u64 %r30, buffer+131072;", "cvta.global.u64 %r30, buffer + 131072;"},
      {"ld.b32 %r0, [%r1].unified;"},
      {"ld.u32 a, [b] .unified, policy;", "ld.u32 a, [b].unified, policy;"},
      {"ld.shared.u32 s, a[0];"},
      {"ld.shared.u32 s, a[i + 1];"},
      {"mov.u32 s, a [1];", "mov.u32 s, a[1];"},
      {"exit; trap;", "exit;\n    trap;"},
  };
  for (const Case& test : cases) expect_prints(test);
}

TEST(Operand, Addresses) {
  const Case cases[] = {
      {"ld.u32 a, [b];"},
      {"ld.u32 a, [b+4];"},
      {"ld.u32 a, [ b + -4 ];", "ld.u32 a, [b+-4];"},
      {"ld.u32 a, [b-4];"},
      {"ld.u32 a, [b + 4*2 + (1<<3)];", "ld.u32 a, [b+4*2+(1<<3)];"},
      {"ld.u32 a, [data0+0];"},
      {"ld.u32 a, [240];"},
      {"ld.u32 a, [b+5 % 3];", "ld.u32 a, [b+5% 3];"},
  };
  for (const Case& test : cases) expect_prints(test);
}

TEST(Operand, Numbers) {
  const Case cases[] = {
      {"m 0, 1, 42, 18446744073709551615;"},
      {"m 0x1F, 0XfU, 017, 0b101, 0B1U, 5U;", "m 0x1f, 0xfU, 017, 0b101, 0b1U, 5U;"},
      {"m 0xffffffffffffffff, 0x8000000000000000U;", "m 0xffffffffffffffff, 0x8000000000000000;"},
      {"m 00, 000U;", "m 00, 00U;"},
      {"m 0f3F800000, 0F00000000;", "m 0f3f800000, 0f00000000;"},
      {"m 0d3FF0000000000000, 0DFFF0000000000000;", "m 0d3ff0000000000000, 0dfff0000000000000;"},
      {"m 1.0, .5, 1., 1e10, 1E+5, 2.5e-3;", "m 1.0, 0.5, 1.0, 1e+10, 1e+05, 0.0025;"},
      {"m 5e-324, 1.7976931348623157e308;", "m 5e-324, 1.7976931348623157e+308;"},
      {"m -1.5, - 3;", "m -1.5, -3;"},
  };
  for (const Case& test : cases) expect_prints(test);
}

// Table 4 of 4.5.4. The printed form has parentheses only where precedence requires them, so it
// shows the grouping of the input.
TEST(Operand, Precedence) {
  const Case cases[] = {
      {"m 1+2*3;", "m 1 + 2 * 3;"},
      {"m (1+2)*3;", "m (1 + 2) * 3;"},
      {"m 1-2-3;", "m 1 - 2 - 3;"},
      {"m 1-(2-3);", "m 1 - (2 - 3);"},
      {"m 8/4 % 3*2;", "m 8 / 4 % 3 * 2;"},
      {"m 1<<2+3;", "m 1 << 2 + 3;"},
      {"m 1<2<<3;", "m 1 < 2 << 3;"},
      {"m 1==2<3;", "m 1 == 2 < 3;"},
      {"m (1==2)<3;", "m (1 == 2) < 3;"},
      {"m 1&2==3;", "m 1 & 2 == 3;"},
      {"m (1&2)==3;", "m (1 & 2) == 3;"},
      {"m 1|2^3&4;", "m 1 | 2 ^ 3 & 4;"},
      {"m 1||2&&3|4;", "m 1 || 2 && 3 | 4;"},
      {"m 1?2:3?4:5;", "m 1 ? 2 : 3 ? 4 : 5;"},
      {"m (1?2:3)?4:5;", "m (1 ? 2 : 3) ? 4 : 5;"},
      {"m 1>=2, 1<=2, 1>2, 1!=2, 1>>2;", "m 1 >= 2, 1 <= 2, 1 > 2, 1 != 2, 1 >> 2;"},
      {"m -(-42), !~+1;", "m --42, !~+1;"},
      {"m -(1+2);", "m -(1 + 2);"},
      {"m (.s64)1U+2, (.u64)(1+2);", "m (.s64)1U + 2, (.u64)(1 + 2);"},
      {"m (5), ((6));", "m 5, 6;"},
      {"m WARP_SZ|1, 1|2;", "m WARP_SZ | 1, 1 | 2;"},
      {"m p|q, (1|2), (1|2)|3;", "m p|q, 1 | 2, 1 | 2 | 3;"},
      {"m {a|b, 1?2:3}, [a|b];", "m {a | b, 1 ? 2 : 3}, [a|b];"},
  };
  for (const Case& test : cases) expect_prints(test);
}

TEST(Operand, Spans) {
  diag::Source source("t.ptx", ".entry k { add.u32  a , -b.x, [c + 4].unified ; }");
  diag::Report report;
  const Tree tree = parse(source, report);
  ASSERT_FALSE(report.has_errors());
  const Instruction& add = tree.instructions[0];
  const auto operand = [&](u32 i) -> const Expr& {
    return tree[tree.expr_lists[add.operands.first + i]];
  };
  EXPECT_EQ(source.text(add.mnemonic_span), "add.u32");
  EXPECT_EQ(source.text(operand(0).span), "a");
  EXPECT_EQ(source.text(operand(1).span), "-b.x");
  EXPECT_EQ(source.text(operand(2).span), "[c + 4].unified");
  EXPECT_EQ(source.text(tree[tree.expr_lists[operand(2).list.first]].span), "c + 4");
}

TEST(Operand, Heights) {
  diag::Source source("t.ptx", ".entry k { m a, [a+4], {{1}, -1}; }");
  diag::Report report;
  const Tree tree = parse(source, report);
  const Range<ExprId> operands = tree.instructions[0].operands;
  const u8 heights[] = {0, 2, 2};
  for (u32 i = 0; i < 3; ++i) {
    EXPECT_EQ(tree[tree.expr_lists[operands.first + i]].height, heights[i]) << i;
  }
}

}  // namespace
}  // namespace heddle::syntax
