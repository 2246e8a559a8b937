// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers share places.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "interp/decode_test.h"

namespace heddle::interp {
namespace {

struct Case {
  const char* what;
  const char* body;    // %r0 is a loaded value
  const char* places;  // of %r1, %r2 and so on, a letter for each place
};

constexpr Case kCases[] = {
    {"a chain takes two places",
     "add.u32 %r1, %r0, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; add.u32 %r4, %r3, 1;", "abab"},
    {"lives that overlap",
     "add.u32 %r1, %r0, 1; add.u32 %r2, %r0, 2; add.u32 %r3, %r1, %r2; add.u32 %r4, %r3, 1;",
     "abcb"},
    {"a result that nobody reads", "add.u32 %r1, %r0, 1; add.u32 %r2, %r0, 2;", "aa"},
    {"read in another stretch",
     "add.u32 %r1, %r0, 1; L: add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; bra L;", "abc"},
    {"carried around a loop",
     "L: add.u32 %r1, %r1, %r0; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; add.u32 %r4, %r3, 1; bra "
     "L;",
     "abcb"},
    {"each stretch anew",
     "add.u32 %r1, %r0, 1; add.u32 %r0, %r1, 1; L: add.u32 %r2, %r0, 1; add.u32 %r0, %r2, 2; bra "
     "L;",
     "aa"},
    {"behind a branch, not by it alone",
     "setp.eq.u32 %p1, %r0, 0; add.u32 %r1, %r0, 1; @%p1 bra L; add.u32 %r2, %r1, 1; "
     "add.u32 %r3, %r2, 1; L:",
     "aba"},
    {"a guard leaves lanes as they were",
     "setp.eq.u32 %p1, %r0, 0; @%p1 add.u32 %r1, %r0, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;",
     "abc"},
    {"written under a guard once it has been written",
     "setp.eq.u32 %p1, %r0, 0; add.u32 %r1, %r0, 2; @%p1 add.u32 %r1, %r0, 1; add.u32 %r2, %r1, 1; "
     "add.u32 %r3, %r2, 1;",
     "aba"},
    {"computed for the CTA", "mov.u32 %r1, %ctaid.x; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, %r0;",
     "abc"},
    {"lane 0 suffices",
     "mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; mul.wide.u32 %rd2, %r3, 4; "
     "ld.global.u32 %r4, [%rd2];",
     "abcd"},
    {"another size", "add.u32 %r1, %r0, 1; cvt.u16.u32 %h1, %r1; cvt.u32.u16 %r2, %h1;", "aa"},
};

TEST(DecodePlaces, Shared) {
  for (const Case& one : kCases) {
    const DecodedCase decoded(
        one.what, "",
        ".reg .u32 %r<5>; .reg .u16 %h<2>; .reg .u64 %rd<3>; .reg .pred %p<2>;\n"
        "mov.u64 %rd1, 4096; ld.volatile.global.u32 %r0, [%rd1];\n",
        one.body);
    const Code& code = decoded.code();
    std::map<Place, char> letters;
    std::string places;
    for (const char* name : {"%r1", "%r2", "%r3", "%r4"}) {
      const auto& all = code.function->registers;
      const auto found = std::ranges::find(all, name, &ir::Register::name);
      if (found == all.end()) continue;
      const auto next = static_cast<char>('a' + letters.size());
      const Place place = code.registers[static_cast<std::size_t>(found - all.begin())];
      places += letters.try_emplace(place, next).first->second;
    }
    EXPECT_EQ(places, one.places);
  }
}

}  // namespace
}  // namespace heddle::interp
