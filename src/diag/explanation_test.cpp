// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "diag/explanation.h"

#include <gtest/gtest.h>

namespace heddle::diag {

TEST(Explanation, TitlesNameNoArguments) {
  const std::pair<Kind, std::string_view> cases[] = {
      {Kind::undeclared, "'...' is not declared here"},
      {Kind::operand_type, "operand '...' is ..., but ... takes ... here"},
      {Kind::unclosed_block, "expected '}' before ..."},
      {Kind::unmatched_brace, "'}' closes no block"},
      {Kind::call_count, "number of ...s: the callee has ..., the call has ..."},
      {Kind::not_positive, "... must be a positive integer"},
      {Kind::constant_operand, "constant operand"},
  };
  for (const auto& [kind, expected] : cases) EXPECT_EQ(title(kind), expected);
}

TEST(Explanation, CodesAreFoundInUpperAndLowerCase) {
  EXPECT_EQ(find_kind("P2010"), Kind::undeclared);
  EXPECT_EQ(find_kind("p4002"), Kind::different_address_sizes);
  for (const std::string_view wrong : {"", "P", "P201", "P20100", "2010", "P0000"})
    EXPECT_FALSE(find_kind(wrong)) << wrong;
}

// src/check/explanations_test.cpp checks the examples.
TEST(Explanation, NamesTheManualAndSaysItInAFewSentences) {
  for (std::size_t i = 0; i < kind_count(); ++i) {
    const Kind kind = static_cast<Kind>(i);
    const std::string_view why = explanation(kind).why;
    EXPECT_GT(why.size(), 60u) << info(kind).code;
    EXPECT_LT(why.size(), 500u) << info(kind).code;
    EXPECT_EQ(why.back(), '.') << info(kind).code;
    EXPECT_NE(explanation(kind).wrong.text, explanation(kind).right.text) << info(kind).code;
  }
}

}  // namespace heddle::diag
