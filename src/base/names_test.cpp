// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/names.h"

#include <gtest/gtest.h>

namespace heddle {

TEST(Names, EqualTextEqualId) {
  Names names;
  const NameId a = names.intern("%r1");
  EXPECT_EQ(a, names.intern(std::string("%r") + "1"));
  EXPECT_NE(a, names.intern("%r2"));
  EXPECT_EQ(names[a], "%r1");
  EXPECT_FALSE(names.find("%r3"));
  EXPECT_EQ(names.find("%r1"), a);
}

TEST(Names, ManyAndLong) {
  Names names;
  std::vector<std::string> texts;
  for (int i = 0; i < 20000; ++i) texts.push_back(std::string(i % 97, 'x') + std::to_string(i));
  texts.push_back(std::string(200000, 'y'));
  for (const std::string& text : texts) names.intern(text);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(names.find(texts[i]).value, i);
    ASSERT_EQ(names[NameId(i)], texts[i]);
  }
}

}  // namespace heddle
