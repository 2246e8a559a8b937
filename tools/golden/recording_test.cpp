// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare.h"

namespace heddle::golden {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Recording sample() {
  return {"a GPU",
          "2026-11-24",
          {{"add.u32", 17, true, 1, {1, 2, 3, 4}, {5, 6, 7, 8}}, {"mma", 18, false, 1, {}, {}}}};
}

TEST(Recording, IsReadAsItWasWritten) {
  const auto again = read(write(sample()));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, sample());
}

TEST(Recording, IsWhole) {
  const std::vector<u8> bytes = write(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto part = read({bytes.data(), size});
    ASSERT_FALSE(part.ok()) << size;
    EXPECT_EQ(part.error().message, size < 8 ? "not a recording" : "the recording ends too early");
  }
  std::vector<u8> more = bytes;
  more.push_back(0);
  EXPECT_EQ(read(more).error().message, "there is something behind the recording");
  more = bytes;
  more[std::string_view("HGOLDEN1....a GPU....2026-11-24........add.u32........").size()] = 2;
  EXPECT_EQ(read(more).error().message, "a record neither ran nor did not");
  more = bytes;
  more[0] = 'X';
  EXPECT_EQ(read(more).error().message, "not a recording");
}

Subject add() {
  Subject subject;
  subject.name = "add.u32";
  subject.raw_results = 2;
  subject.raw_columns = {2};
  subject.describe = [](u32 result) { return std::to_string(result) + ", 7"; };
  return subject;
}

TEST(Compare, TellsWhatDiffers) {
  struct Case {
    const char* what;
    std::function<void(Recording&)> change;
    u32 exact, different, changed, missing, neither;
    const char* line;
  };
  for (const Case& c : {
           Case{"the same", [](Recording&) {}, 1, 0, 0, 0, 1, ""},
           {"a sum", [](Recording& r) { r.records[0].sums[2] = 9; }, 0, 1, 0, 0, 1,
            "add.u32: 1 of 4 sums differ, first of group 2"},
           {"a result", [](Recording& r) { r.records[0].raw[2] = 9; }, 0, 1, 0, 0, 1,
            "add.u32: 1 of 2 results differ, first of 1, 7: 0x807 is now 0x809; units in the last "
            "place: +2: 1"},
           {"fewer groups",
            [](Recording& r) { r.records[0].stride = 2, r.records[0].sums = {1, 3}; }, 1, 0, 0, 0,
            1, ""},
           {"other groups",
            [](Recording& r) { r.records[0].stride = 2, r.records[0].sums = {1, 4}; }, 0, 1, 0, 0,
            1, "add.u32: 1 of 2 sums differ, first of group 2"},
           {"no groups", [](Recording& r) { r.records[0].sums.clear(); }, 0, 1, 0, 0, 1,
            "add.u32: no sum is in both"},
           {"other code", [](Recording& r) { r.records[0].identity = 1; }, 0, 0, 1, 0, 1,
            "add.u32: of other code or inputs"},
           {"fewer results", [](Recording& r) { r.records[0].raw.clear(); }, 0, 0, 1, 0, 1,
            "add.u32: of other code or inputs"},
           {"not run", [](Recording& r) { r.records[0].ran = false; }, 0, 0, 0, 1, 1,
            "add.u32: not run in the second"},
           {"run now", [](Recording& r) { r.records[1].ran = true; }, 1, 0, 0, 1, 0,
            "mma: not run in the first"},
           {"not there", [](Recording& r) { r.records.clear(); }, 0, 0, 0, 2, 0,
            "add.u32: not in the second"},
           {"new", [](Recording& r) { r.records.push_back({"sub.u32", 1, true, 1, {1}, {}}); }, 1,
            0, 0, 1, 1, "sub.u32: not in the first"},
       }) {
    Recording now = sample();
    c.change(now);
    Comparison found = compare(sample(), now, std::vector{add()});
    EXPECT_THAT(
        (std::vector{found.exact, found.different, found.changed, found.missing, found.neither}),
        ElementsAre(c.exact, c.different, c.changed, c.missing, c.neither))
        << c.what;
    std::vector<std::string> lines = found.differences;
    lines.insert(lines.end(), found.absences.begin(), found.absences.end());
    if (*c.line) {
      EXPECT_THAT(lines, testing::Contains(HasSubstr(c.line))) << c.what;
    } else {
      EXPECT_TRUE(lines.empty()) << c.what << ": " << lines[0];
    }
  }
}

}  // namespace
}  // namespace heddle::golden
