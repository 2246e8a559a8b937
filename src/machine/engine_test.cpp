// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/engine.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace heddle::machine {
namespace {

TEST(Launch, BeginsEveryCtaOnceAndColumnsTogether) {
  struct Case {
    Dim3 grid;
    u32 rows;
  };
  for (const auto& [grid, rows] : {Case{{5, 3, 2}, 1}, Case{{5, 8, 1}, 4}, Case{{3, 7, 2}, 4},
                                   Case{{1, 9, 3}, 2}, Case{{4, 2, 2}, 4}, Case{{6, 1, 1}, 4}}) {
    Launch launch{};
    launch.grid = grid;
    launch.rows = rows;
    std::set<std::tuple<u32, u32, u32>> seen;
    Dim3 before{};
    for (u64 number = 0; number < grid.volume(); ++number) {
      const Dim3 place = launch.place_of(number);
      EXPECT_TRUE(place.x < grid.x && place.y < grid.y && place.z < grid.z) << number;
      EXPECT_TRUE(seen.emplace(place.x, place.y, place.z).second) << number;
      const bool top = place.y % rows == 0;
      if (!top) EXPECT_TRUE(place.x == before.x && place.y == before.y + 1) << number;
      before = place;
    }
  }
}

}  // namespace
}  // namespace heddle::machine
