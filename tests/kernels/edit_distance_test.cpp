// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edit distances.
#include <algorithm>
#include <numeric>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(EditDistance, "edit_distance");

int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], int(i));
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

TEST_P(EditDistance, WordPairs) {
  std::vector<std::string> words = {"kitten", "sitting", "", "abc", "same", "same", "x", ""};
  Random random(1);
  for (int i = 0; i < 24; ++i) {
    std::string word(random.below(128) + 1, ' ');
    for (char& c : word) c = char('a' + random.below(3));
    words.push_back(word);
  }
  std::string text;
  std::vector<int> offsets = {0};
  for (const auto& word : words) {
    text += word;
    offsets.push_back(int(text.size()));
  }
  const size_t pairs = words.size() / 2;
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  Buffer device_text(std::vector<char>(text.begin(), text.end()));
  Buffer device_offsets(offsets);
  for (unsigned block : {1u, 32u, 50u, 128u}) {
    SCOPED_TRACE(block);
    Buffer<int> distances(pairs);
    launch("edit_distance", {{unsigned(pairs)}, {block}}, device_text, device_offsets, distances);
    EXPECT_SAME(distances, tabulate(pairs, [&](size_t p) {
                  return edit_distance(words[2 * p], words[2 * p + 1]);
                }));
  }
}

}  // namespace
}  // namespace heddle::kernels
