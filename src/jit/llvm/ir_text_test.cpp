// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/ir_text.h"

#include <gmock/gmock.h>

#include "jit/llvm/host/compiler_context.h"

namespace heddle::jit {
namespace {

constexpr const char* kCode = R"(
define void @kernel() {
  %x = call i32 @"heddle.load:1.i32"(i32 0, i64 64)
  call void @"heddle.store:1.i32"(i32 1, i64 128, i32 %x)
  ret void
}
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
)";
constexpr const char* kSites = R"(
!heddle.sites = !{!10, !11}
!10 = !{!"sem", !"ld", !"space", !"global"}
!11 = !{!"sem", !"st", !"space", !"global", !"distance", i64 -4}
)";

std::string read(const std::string& text, std::string* again = nullptr) {
  const CompilerContext::Loan compiler("");
  PassState state(compiler->context, *compiler->target);
  std::string why = read_state(text, "t.ll", state);
  if (again) *again = print_state(state);
  return why;
}

TEST(IrText, IsReadAsItIsPrinted) {
  const std::string text = std::string(kCode) + kSites + R"(
!heddle.kernel = !{!0, !1, !2}
!0 = !{!"block", i64 32, i64 4, i64 1}
!1 = !{!"shared_bytes", i64 1024}
!2 = !{!"zeroes_subnormals", i64 1}
!heddle.locals = !{!3}
!3 = !{i64 40, i64 8}
!heddle.symbols = !{!4}
!4 = !{i64 2147483649}
)";
  std::string once, twice;
  EXPECT_EQ(read(text, &once), "");
  EXPECT_EQ(read(once, &twice), "");
  EXPECT_EQ(once, twice);
  EXPECT_THAT(once, testing::HasSubstr(R"(!{!"block", i64 32, i64 4, i64 1})"));
  EXPECT_THAT(once, testing::HasSubstr(R"(!"distance", i64 -4)"));
}

/// The site of an instruction that the fallback engine executes names no elements.
TEST(IrText, StepsAreReadAsTheyArePrinted) {
  const std::string text = R"(
define void @kernel() {
  call void @"heddle.step:i64"(i32 0, i64 64)
  ret void
}
declare void @"heddle.step:i64"(i32, i64)
!heddle.sites = !{!0}
!0 = !{!"sem", !"cp_async_mbarrier_arrive", !"count", i64 0}
)";
  std::string once, twice;
  EXPECT_EQ(read(text, &once), "");
  EXPECT_EQ(read(once, &twice), "");
  EXPECT_EQ(once, twice);
}

struct Wrong {
  const char* text;
  const char* said;
};

TEST(IrText, WhatIsWrongIsSaid) {
  const Wrong kCases[] = {
      {"define void @k(", "t.ll:1:16: "},
      {"define void @k() { ret i32 0 }", "t.ll:1:"},
      {"", "there is no code"},
      {"define i32 @f() { ret i32 0 }", "there is no code"},
      {"define void @a() { ret void }\ndefine void @b() { ret void }", "two functions void()"},
      {"define void @a() { ret void }\ndefine i32 @cta(ptr %a, ptr %b) { ret i32 0 }",
       "the code of one thread and of CTAs"},
      {"define i32 @cta() { ret i32 0 }", "'cta' has to be i32(ptr, ptr)"},
      {"declare void @heddle.frob()\ndefine void @k() { call void @heddle.frob() ret void }",
       "there is no operation 'heddle.frob'"},
      {"declare void @heddle.trap()\ndefine void @k() { call void @heddle.trap() ret void }",
       "heddle.trap has at least 1 operands"},
      {"declare void @heddle.trap(i32)\ndefine void @k() { call void @heddle.trap(i32 0) ret void "
       "}",
       "the first operand of heddle.trap is the number of one of 0 sites"},
      {"declare void @heddle.trap(float)\n"
       "define void @k() { call void @heddle.trap(float 0.0) ret void }",
       "the first operand of heddle.trap"},
      {"declare i32 @heddle.load(i32, i64)\n"
       "define void @k() { call i32 @heddle.load(i32 0, i64 0) ret void }\n"
       "!heddle.sites = !{!0}\n!0 = !{!\"sem\", !\"ld\", !\"count\", i64 0}",
       "heddle.load is the access of 1 to 16 elements"},
      {"!heddle.kernel = !{!0}\n!0 = !{!\"block\", i64 0, i64 1, i64 1}", "a block has 1 to 1024"},
      {"!heddle.kernel = !{!0}\n!0 = !{!\"block\", i64 4294967296, i64 1, i64 1}", "a block has"},
      {"!heddle.kernel = !{!0}\n!0 = !{!\"block\", i64 65536, i64 65536, i64 1}", "a block has"},
      {"!heddle.kernel = !{!0}\n!0 = !{!\"block\", !\"x\"}", "operand 1 has to be an integer"},
      {"!heddle.kernel = !{!0}\n!0 = !{!\"colour\", i64 1}", "there is no 'colour'"},
      {"!heddle.kernel = !{!0}\n!0 = !{}", "operand 0 has to be a string"},
      {"!heddle.kernel = !{!0}\n!0 = !{null}", "operand 0 has to be a string"},
      {"!heddle.kernel = !{!0}\n!0 = !{!\"stack_pointer\", i64 0}", "stack_pointer is not"},
      {"!heddle.kernel = !{!0}\n!0 = !{!\"team\", i64 7}", "a team is 32 or 64 lanes"},
      {"!heddle.sites = !{!0}\n!0 = !{!\"sem\"}", "operand 1 has to be a string"},
      {"!heddle.sites = !{!0}\n!0 = !{!\"sem\", i64 1}", "operand 1 has to be a string"},
      {"!heddle.sites = !{!0}\n!0 = !{!\"sem\", !\"weave\"}", "there is no 'weave'"},
      {"!heddle.sites = !{!0}\n!0 = !{!\"space\", !\"outer\"}", "there is no 'outer'"},
      {"!heddle.sites = !{!0}\n!0 = !{!\"bytes\", i64 3}", "an element has 1, 2, 4, 8 or 16 bytes"},
      {"!heddle.sites = !{!0}\n!0 = !{!\"count\", i64 99}", "an access has 1 to 16 elements"},
      {"!heddle.sites = !{!0}\n!0 = !{i64 1, i64 2}", "operand 0 has to be a string"},
      {"!heddle.locals = !{!0}\n!0 = !{i64 4, i64 3}", "an alignment is a power of two"},
      {"!heddle.locals = !{!0}\n!0 = !{i64 4}", "operand 1 has to be an integer"},
      {"!heddle.symbols = !{!0}\n!0 = !{!\"x\"}", "operand 0 has to be an integer"},
      {"!heddle.first_lines = !{!0}\n!0 = !{i128 0}", "operand 0 has to be an integer"},
  };
  for (const auto& [text, said] : kCases) {
    const bool is_metadata = text[0] == '!';
    const std::string whole =
        std::string(is_metadata ? "define void @k() { ret void }\n" : "") + text;
    EXPECT_THAT(read(whole), testing::HasSubstr(said)) << whole;
  }
}

}  // namespace
}  // namespace heddle::jit
