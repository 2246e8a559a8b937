// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <set>

#include "diag/report.h"

namespace heddle::diag {

TEST(Kinds, CodesAreUniqueSortedAndWellFormed) {
  std::string_view before;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kind_count(); ++i) {
    const KindInfo& kind = info(static_cast<Kind>(i));
    EXPECT_EQ(kind.code.size(), 5u) << kind.name;
    EXPECT_EQ(kind.code[0], 'P') << kind.name;
    EXPECT_TRUE(kind.code[1] >= '1' && kind.code[1] <= '4') << kind.name;
    EXPECT_LT(before, kind.code) << "not sorted, or used twice";
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    before = kind.code;
  }
  EXPECT_GT(kind_count(), 0u);
}

// docs/diagnostics-style.md: one sentence, lower case unless it begins with a name, no full stop.
TEST(Kinds, MessagesFollowTheStyle) {
  for (std::size_t i = 0; i < kind_count(); ++i) {
    const KindInfo& kind = info(static_cast<Kind>(i));
    ASSERT_FALSE(kind.message.empty()) << kind.code;
    EXPECT_EQ(std::string_view(".!").find(kind.message.back()), std::string_view::npos)
        << kind.code;
    for (const std::string_view word : {"please", "failed to", "unable to", "unexpectedly"}) {
      EXPECT_EQ(kind.message.find(word), std::string_view::npos) << kind.code << ": " << word;
    }
  }
}

}  // namespace heddle::diag
