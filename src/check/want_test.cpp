// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report is the same with Want::report and Want::module.
#include <gtest/gtest.h>

#include "check/check.h"
#include "syntax/parser.h"

namespace heddle::check {
namespace {

constexpr const char* kModule = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry first(.param .u64 p) {
  .reg .u32 %r<4>;
  .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1+4+4];
L:
  add.u32 %r2, %r1, %rd1;
  bra L;
}
.visible .entry second() {
  .reg .f32 %r<4>;
  add.u32 %r1, %r2, %r9;
  ret;
}
)";

TEST(Want, ReportIsTheSameWithoutAModule) {
  diag::Source source("module.ptx", kModule);
  diag::Report parsed;
  const syntax::Tree tree = syntax::parse(source, parsed);
  ASSERT_FALSE(parsed.has_errors());
  diag::Report whole, report;
  const auto module = check(tree, source, whole);
  const auto declarations = check(tree, source, report, Want::report);
  EXPECT_EQ(whole.error_count(), 2u);
  EXPECT_EQ(diag::render_text(whole, source), diag::render_text(report, source));
  ASSERT_EQ(module->functions.size(), 2u);
  ASSERT_EQ(declarations->functions.size(), 2u);
  EXPECT_FALSE(module->functions[0].insts.empty());
  EXPECT_EQ(module->functions[0].insts[1].at.line, 8u);
  EXPECT_TRUE(declarations->functions[0].insts.empty());
}

}  // namespace
}  // namespace heddle::check
