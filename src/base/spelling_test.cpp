// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/spelling.h"

#include <gtest/gtest.h>

namespace heddle {

TEST(Spelling, EditDistance) {
  struct Case {
    std::string_view a, b;
    std::size_t limit, distance;
  };
  for (const Case& c : {Case{"", "", 2, 0},
                        {"add", "add", 2, 0},
                        {"addd", "add", 2, 1},  // left out
                        {"ad", "add", 2, 1},    // added
                        {"adx", "add", 2, 1},   // changed
                        {"dad", "add", 2, 1},   // swapped
                        {"sharde", "shared", 2, 1},
                        {"abcd", "badc", 2, 2},
                        {"abcd", "wxyz", 2, 3},  // more than the limit
                        {"a", "abcdef", 2, 3}}) {
    EXPECT_EQ(edit_distance(c.a, c.b, c.limit), c.distance) << c.a << " " << c.b;
    EXPECT_EQ(edit_distance(c.b, c.a, c.limit), c.distance) << c.b << " " << c.a;
  }
}

TEST(Spelling, Question) {
  struct Case {
    std::string_view written;
    std::vector<std::string_view> known;
    std::string_view question;
  };
  for (const Case& c : {Case{"globl", {"global", "local"}, "did you mean '.global'?"},
                        {"addd", {"sub", "addc", "add", "addc"}, "did you mean '.addc' or '.add'?"},
                        {"MOV", {"mov", "mop"}, "did you mean '.mov'?"},
                        {"i32", {"s32", "u32", "b32", "f32"}, ""},  // too many candidates
                        {"%x", {"%r"}, ""},                         // too short
                        {"%tidd", {"%tid"}, "did you mean '.%tid'?"},
                        {"blah", {"reg"}, ""}}) {
    Spelling spelling(c.written);
    for (const std::string_view name : c.known) spelling.consider(name);
    EXPECT_EQ(spelling.question("."), c.question) << c.written;
  }
}

TEST(Spelling, ShortWordsOfTheLanguage) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"ad", "did you mean 'add' or 'and'?"},
      {"AD", "did you mean 'add' or 'and'?"},
      {"v3", "did you mean 'v2' or 'v4'?"},
      {"xy", ""},
      {"a", ""},
  };
  for (const auto& [written, question] : cases) {
    Spelling spelling(written, true);
    for (const std::string_view name : {"add", "and", "ld", "mad", "sad", "v2", "v4", "u3"})
      spelling.consider(name);
    EXPECT_EQ(spelling.question(), question) << written;
  }
}

}  // namespace heddle
