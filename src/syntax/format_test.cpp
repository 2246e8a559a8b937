// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the formatted text, that formatting it again changes nothing, and that its tree is the
// same.
#include "syntax/format.h"

#include <gtest/gtest.h>

#include "syntax/equal.h"
#include "syntax/parser.h"

namespace heddle::syntax {
namespace {

struct Case {
  const char* what;
  const char* before;
  const char* after;
};

constexpr Case kCases[] = {
    {"nothing", "", ""},
    {"comments only", "\n\n// a\n\n\n/* b */", "// a\n\n/* b */\n"},
    {"a module",
     R"(.version 8.0
  .target   sm_90
.address_size 64
.visible .entry k( .param .u64 p,.param .u32 n ) .maxntid 128,1,1 { .reg .b32 %r<4>,%x; .reg .pred %p; 
 ld.param.u32 %r1,[n];
L: @%p bra L; ret; }
)",
     R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(
    .param .u64 p,
    .param .u32 n
)
.maxntid 128, 1, 1
{
    .reg .b32 %r<4>, %x;
    .reg .pred %p;
    ld.param.u32 %r1, [n];
L:
    @%p bra L;
    ret;
}
)"},
    {"modifiers in canonical order",
     ".func f() {\nld.u32.global %r1, [%rd1+4];\nadd.ftz.rn.f32 a,b,c;\n}",
     ".func f()\n{\n    ld.global.u32 %r1, [%rd1+4];\n    add.rn.ftz.f32 a, b, c;\n}\n"},
    {"an instruction that nobody knows", ".func f() {\nfrob.b.a %r1;\n}",
     ".func f()\n{\n    frob.b.a %r1;\n}\n"},
    {"comments and blank lines",
     R"(// head
.version 8.0 // why


/* own */
.target sm_90
// before the function
.func f() // header
{ // body
  // first


  ret; // last
  // really
}
// end
)",
     R"(// head
.version 8.0 // why

/* own */
.target sm_90
// before the function
.func f() // header
{ // body
    // first

    ret; // last
    // really
}
// end
)"},
    {"a comment inside a statement",
     ".func f(.param .u32 a, // the first\n.param .u32 b) // the second\n{\n  mov.u32 /* d */ "
     "%r1,\n1;\n}",
     ".func f(.param .u32 a, // the first\n    .param .u32 b) // the second\n{\n    mov.u32 /* d "
     "*/ %r1,\n"
     "        1;\n}\n"},
    {"numbers stay as they are",
     ".global .f32 x[3] = {0F3F800000,1.50,1e3};\n.global .u32 y=0x0FU;",
     ".global .f32 x[3] = {0F3F800000, 1.50, 1e3};\n.global .u32 y = 0x0FU;\n"},
    {"lines for other tools", "# 1 \"a.ptx\"\n.version 8.0\n  #pragma x\n.target sm_90",
     "# 1 \"a.ptx\"\n.version 8.0\n#pragma x\n.target sm_90\n"},
    {"comment marks in a string", ".file 1 \"http://x\"\n.pragma \"// no\";",
     ".file 1 \"http://x\"\n.pragma \"// no\";\n"},
    {"comment marks in a line of DWARF", "@@DWARF .string \"http://x\" // c",
     "@@DWARF .string \"http://x\" // c\n"},
    {"nested blocks", ".func f(){{{ret;}}}",
     ".func f()\n{\n    {\n        {\n            ret;\n        }\n    }\n}\n"},
};

std::string formatted(const std::string& text) {
  diag::Source source("case.ptx", text);
  diag::Report report;
  Tree tree = parse(source, report);
  EXPECT_FALSE(report.has_errors()) << text;
  return format(source, std::move(tree));
}

TEST(Format, Cases) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.what);
    const std::string after = formatted(one.before);
    EXPECT_EQ(after, one.after);
    EXPECT_EQ(formatted(after), after);
    diag::Source before_source("before.ptx", one.before), after_source("after.ptx", after);
    diag::Report report;
    Tree before_tree = parse(before_source, report), after_tree = parse(after_source, report);
    sort_modifiers(before_tree);
    sort_modifiers(after_tree);
    EXPECT_TRUE(equal(before_tree, after_tree));
  }
}

}  // namespace
}  // namespace heddle::syntax
