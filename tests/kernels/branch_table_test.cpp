// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branch tables, from hand-written PTX.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(BranchTable, "branch_table");

TEST_P(BranchTable, ADifferentTargetInEveryLane) {
  const int n = 300;
  for (const Shape& shape : {Shape{{1}, {320}}, Shape{{10}, {32}}, Shape{{7}, {50}}}) {
    for (unsigned spread : {1u, 3u, 5u}) {  // 1: the whole grid takes one target
      SCOPED_TRACE(testing::Message() << shape << ", " << spread << " targets");
      const auto keys = tabulate(n, [&](size_t i) { return uint32_t(i * 7 % spread); });
      Buffer device(keys);
      Buffer<uint32_t> out(n);
      launch("choose", shape, device, out, n);
      EXPECT_SAME(out, tabulate(n, [&](size_t i) {
                    const uint32_t index = uint32_t(i);
                    switch (keys[i]) {
                      case 0:
                        return 100u;
                      case 1:
                        return index * index;
                      case 4:
                        return index ^ 0xff;
                      default:
                        return 0u - index;
                    }
                  }));
    }
  }
}

uint32_t count_words(const std::string& text) {
  uint32_t words = 0;
  bool inside = false;
  for (char letter : text.substr(0, text.find('.'))) {
    if (letter != ' ' && !inside) ++words;
    inside = letter != ' ';
  }
  return words;
}

TEST_P(BranchTable, StateMachineOverText) {
  const int n = 100;
  Random random(1);
  std::string text;
  std::vector<uint32_t> begin = {0}, expected;
  for (int i = 0; i < n; ++i) {
    std::string line(random.below(50), ' ');
    for (char& letter : line) letter = "ab  c d.efgh"[random.below(i % 2 ? 12 : 7)];
    text += line;
    begin.push_back(uint32_t(text.size()));
    expected.push_back(count_words(line));
  }
  Buffer device_text(std::vector<char>(text.begin(), text.end()));
  Buffer device_begin(begin);
  for (const Shape& shape : {Shape{{1}, {128}}, Shape{{4}, {32}}, Shape{{9}, {13}}}) {
    SCOPED_TRACE(shape);
    Buffer<uint32_t> out(n);
    launch("count_words", shape, device_text, device_begin, out, n);
    EXPECT_SAME(out, expected);
  }
}

}  // namespace
}  // namespace heddle::kernels
