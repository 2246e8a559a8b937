// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instructions run once for the launch, once for a CTA, in each warp, or not at all because
// their result is a copy of a special register.
#include <gtest/gtest.h>

#include "interp/decode_test.h"

namespace heddle::interp {
namespace {

struct Case {
  const char* what;
  const char* body;
  // Numbers of Ops, without the last `ret` and the end, but with the Op that fetches a special
  // register of the CTA.
  std::size_t launch, cta, warp;
};

constexpr Case kCases[] = {
    {"parameters and what comes of them",
     "ld.param.u32 %r1, [n]; add.u32 %r2, %r1, 1; mov.u32 %r3, 7; cvta.to.global.u64 %rd1, 4096;",
     4, 0, 0},
    {"a vector of parameters", "ld.param.v2.u32 {%r1, %r2}, [pair]; add.u32 %r3, %r1, %r2;", 2, 0,
     0},
    {"the CTA's number", "mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x; mul.lo.u32 %r3, %r1, %r2;",
     0, 2, 0},
    {"a copy of %tid.x", "mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1;", 0, 0, 1},
    {"%ctaid.x made narrower", "cvt.u16.u32 %h1, %ctaid.x;", 0, 2, 0},
    {"the clock", "mov.u32 %r1, %clock; add.u32 %r2, %r1, 1;", 0, 0, 3},
    {"two writers", "mov.u32 %r1, 1; add.u32 %r1, %r1, 1; mov.u32 %r2, %r1;", 0, 0, 3},
    {"guarded", "setp.eq.u32 %p1, 0, 0; @%p1 mov.u32 %r1, 1;", 0, 0, 2},
    {"a loop counter", "mov.u32 %r1, 0; L: add.u32 %r2, %r1, 1; mov.u32 %r1, %r2; bra L;", 0, 0, 4},
    {"a parameter beyond the block", "ld.param.u32 %r1, [n + 1000];", 0, 0, 1},
    {"what comes from memory", "mov.u64 %rd1, 4096; ld.global.u32 %r1, [%rd1];", 1, 0, 1},
    {"carries", "add.cc.u32 %r1, 1, 2; addc.u32 %r2, 3, 4;", 0, 0, 2},
};

TEST(DecodeOnce, OpsByScope) {
  for (const Case& one : kCases) {
    const DecodedCase decoded(
        one.what, ".param .u32 n, .param .align 8 .b8 pair[8]",
        ".reg .u16 %h<4>; .reg .u32 %r<4>; .reg .u64 %rd<4>; .reg .pred %p<2>;\n", one.body);
    const Code& code = decoded.code();
    EXPECT_EQ(code.prologues[0].ops.size() - 1, one.launch);
    EXPECT_EQ(code.prologues[1].ops.size() - 1, one.cta);
    EXPECT_EQ(code.ops.size() - 2, one.warp);
  }
}

}  // namespace
}  // namespace heddle::interp
