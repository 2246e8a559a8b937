// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lop3: every table, defined by the three constants 0xF0, 0xCC, 0xAA (PTX ISA 9.7.8.6).
#include "isa/sem/logic.h"

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

TEST(Lop3, TableIsTheResultForTheThreeConstants) {
  for (u32 table = 0; table < 256; ++table) {
    EXPECT_EQ(lop3(0xf0, 0xcc, 0xaa, table) & 0xff, table);
    EXPECT_EQ(lop3(0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, table | 0xffffff00), table * 0x01010101);
  }
}

TEST(Lop3, CombinesThePredicateWithNonzero) {
  for (bool q : {false, true}) {
    EXPECT_EQ(lop3_bool(Boolop::and_, 5, 0, 0, 0xf0, q).second, q);
    EXPECT_EQ(lop3_bool(Boolop::and_, 0, 0, 0, 0xf0, q).second, false);
    EXPECT_EQ(lop3_bool(Boolop::or_, 5, 0, 0, 0xf0, q).second, true);
    EXPECT_EQ(lop3_bool(Boolop::or_, 0, 0, 0, 0xf0, q).second, q);
  }
}

}  // namespace
}  // namespace heddle::sem
