// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "check/check.h"

namespace heddle::check {
namespace {

Input module(std::string name, std::string_view body, int address_size = 64) {
  return {std::move(name),
          fmt::format(".version 8.5\n.target sm_75\n.address_size {}\n{}\n", address_size, body)};
}

}  // namespace

TEST(Link, SaysWhatDoesNotFitTogether) {
  struct Case {
    Input a, b;
    std::string_view messages;
  };
  const Case cases[] = {
      {module("a", ".visible .global .b32 x;"), module("b", ".visible .global .b32 x;"),
       "error[P4001]: 'x' is defined in 'a' and in 'b'\n"},
      {module("a", ".visible .func f() { ret; }"), module("b", ".visible .func f() { ret; }"),
       "error[P4001]: 'f' is defined in 'a' and in 'b'\n"},
      {module("a", ""), module("b", "", 32),
       "error[P4002]: 'b' has 32-bit addresses, 'a' has 64-bit ones\n"},
      // These do.
      {module("a", ".visible .global .b32 x;"), module("b", ".extern .global .b32 x;"), ""},
      {module("a", ".visible .global .b32 x;"), module("b", ".weak .global .b32 x;"), ""},
      {module("a", ".common .global .b32 x;"), module("b", ".common .global .b32 x;"), ""},
      {module("a", ".global .b32 x;"), module("b", ".global .b32 x;"), ""},
      {module("a", ".extern .func f();"), module("b", ".visible .func f() { ret; }"), ""},
      {module("a", ".func f() { ret; }"), module("b", ".visible .func f() { ret; }"), ""},
  };
  for (const Case& c : cases) {
    const Compiled result = compile({c.a, c.b});
    EXPECT_EQ(result.messages, c.messages) << c.a.text << c.b.text;
    EXPECT_EQ(result.module != nullptr, c.messages.empty()) << c.a.text << c.b.text;
  }
}

}  // namespace heddle::check
