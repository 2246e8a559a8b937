// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instructions lead, which loads and stores compute all addresses from lane 0, and of which
// registers lane 0 suffices.
#include <gtest/gtest.h>

#include "interp/decode_test.h"

namespace heddle::interp {
namespace {

struct Case {
  const char* what;
  const char* body;
  std::size_t ops;        // Ops with another handler in Code::whole_ops
  std::size_t registers;  // registers of which lane 0 suffices
};

constexpr Case kCases[] = {
    {"the address of an element", "mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r1;", 2,
     1},
    {"an element of another size", "mad.wide.u32 %rd2, %r1, 8, %rd1; st.global.u32 [%rd2], %r1;", 0,
     0},
    {"a vector", "mad.wide.u32 %rd2, %r1, 8, %rd1; st.global.v2.u32 [%rd2], {%r1, %r1};", 2, 1},
    {"in steps",
     "add.u32 %r2, %r1, %r5; shl.b32 %r6, %r2, 2; cvt.u64.u32 %rd2, %r6; "
     "add.u64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3 + 16];",
     5, 4},
    {"by rows",
     "mad.lo.u32 %r2, %r3, %r4, %r1; mad.wide.u32 %rd2, %r2, 4, %rd1; "
     "ld.global.f32 %f1, [%rd2];",
     3, 2},
    {"a stride that is not known",
     "mul.lo.u32 %r2, %r1, %r4; mad.wide.u32 %rd2, %r2, 4, %rd1; "
     "ld.global.f32 %f1, [%rd2];",
     0, 0},
    {"needed by a vector instruction too",
     "mad.wide.u32 %rd2, %r1, 4, %rd1; ld.global.f32 %f1, [%rd2]; shr.u64 %rd3, %rd2, 1;", 1, 0},
    {"a loop counter",
     "mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r4; "
     "@%p1 bra L;",
     3, 1},
    {"a counter whose loop threads leave one by one",
     "mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;", 3, 1},
    {"a limit for indices",
     "mad.lo.u32 %r2, %r5, %r4, %r1; setp.ge.u32 %p1, %r2, %r4; @%p1 exit; "
     "mad.wide.u32 %rd2, %r2, 4, %rd1; ld.global.f32 %f1, [%rd2];",
     4, 2},
    {"indices that are one number or not",
     "mad.lo.u32 %r2, %r5, %r4, %r1; setp.eq.u32 %p1, %r2, %r4; @%p1 exit;", 0, 0},
    {"a limit that threads do not share", "shr.u32 %r2, %r1, 1; setp.lt.u32 %p1, %r1, %r2;", 0, 0},
    {"a limit where only some threads look", "@%p1 setp.lt.u32 %p1, %r1, %r4;", 0, 0},
    {"a pointer that moves",
     "mad.wide.u32 %rd2, %r1, 4, %rd1; L: ld.global.f32 %f1, [%rd2]; "
     "add.u64 %rd2, %rd2, 128; bra L;",
     3, 1},
    {"two strides",
     "mad.wide.u32 %rd2, %r1, 4, %rd1; @%p1 add.u64 %rd2, %rd2, 128; "
     "mad.wide.u32 %rd2, %r1, 8, %rd1; ld.global.f32 %f1, [%rd2];",
     0, 0},
    {"guarded by what the lanes do not share",
     "setp.lt.u32 %p1, %r1, 7; mad.wide.u32 %rd2, %r1, 4, %rd1; @%p1 add.u64 %rd2, %rd2, 128; "
     "ld.global.f32 %f1, [%rd2];",
     1, 0},
    {"guarded access", "mad.wide.u32 %rd2, %r1, 4, %rd1; @%p1 ld.global.f32 %f1, [%rd2];", 0, 0},
    {"one number for all lanes",
     "ld.global.u64 %rd2, [%rd1]; ld.global.u32 %r2, [%rd2]; "
     "setp.eq.u32 %p1, %r2, 0;",
     3, 2},
    {"one factor for all lanes",
     "ld.global.f32 %f1, [%rd1]; fma.rn.f32 %f2, %f3, %f1, %f3; mul.f32 %f2, %f1, %f3;", 3, 1},
    {"both factors are one for all lanes",
     "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1 + 4]; mul.f32 %f3, %f1, %f2;", 3, 1},
    {"a load into its own address", "ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd2, [%rd2];", 1,
     0},
    {"one real number for all lanes", "ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1;", 1, 0},
    {"volatile", "ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;", 0, 0},
    {"local memory", "mov.u32 %r2, buffer; ld.local.u32 %r5, [%r2]; setp.eq.u32 %p1, %r5, 0;", 0,
     0},
    {"bytes into words", "ld.global.u8 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;", 3, 1},
    {"the clock", "mov.u32 %r2, %clock; setp.eq.u32 %p1, %r2, 0;", 0, 0},
    {"an atomic operation", "mad.wide.u32 %rd2, %r1, 4, %rd1; red.global.add.u32 [%rd2], 1;", 0, 0},
    {"carries", "add.cc.u32 %r2, %r3, %r4; addc.u32 %r6, %r3, 0; setp.eq.u32 %p1, %r6, 0;", 0, 0},
};

TEST(DecodeAffine, OpsAndRegisters) {
  for (const Case& one : kCases) {
    // %r1 = %tid.x, %r3 = %tid.y, %r4 and %rd1 are parameters, %r5 is uniform.
    const DecodedCase decoded(
        one.what, ".param .u32 n, .param .u64 p",
        ".reg .u32 %r<8>; .reg .u64 %rd<4>; .reg .f32 %f<4>; .reg .pred %p<2>;\n"
        ".local .u32 buffer;\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r3, %tid.y; ld.param.u32 %r4, [n];"
        "ld.param.u64 %rd1, [p]; mov.u32 %r5, %ctaid.x;\n",
        one.body);
    const Code& code = decoded.code();
    std::size_t different = 0;
    for (std::size_t i = 0; i < code.whole_ops.size(); ++i)
      different += code.whole_ops[i].full != code.ops[i].full;
    EXPECT_EQ(different, one.ops);
    EXPECT_EQ(code.affine.size(), one.registers);
  }
}

}  // namespace
}  // namespace heddle::interp
