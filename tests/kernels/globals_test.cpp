// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Module-scope variables, read by kernels and by the host.
#include <array>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Globals, "globals");

constexpr Shape kOneThread = {{1}, {1}};

TEST_P(Globals, InitialisersWithAddresses) {
  write_global("settings", std::array<uint32_t, 3>{1000, 2, 30000});
  Buffer<double> out(6);
  launch("read_globals", kOneThread, out);
  const double entries = 7 * 1000 + 2.5 + 3 + (-9 * 1000 + -1e300 * 0 + 100) + (11 * 1000 + 0.1);
  EXPECT_NEAR(out.values()[5], entries, 1e-9);
  auto values = out.values();
  values.pop_back();
  EXPECT_SAME(values, {100, 7, 5, 0.5 + -1.25 * 3.0, 31000});
}

TEST_P(Globals, StringsAreReachedThroughATable) {
  const std::string words[] = {"zero", "one", "two", "and weft"};
  for (int which = 0; which < 4; ++which) {
    Buffer<char> out(16);
    launch("copy_word", kOneThread, which, out);
    EXPECT_EQ(std::string(out.values().data()), words[which]);
  }
}

TEST_P(Globals, KernelsOfAModuleShareState) {
  launch("add_to_counter", {{3}, {40}}, 2);
  EXPECT_SAME(read_global<int>("counter"), {100 + 3 * 40 * 2});
  write_global("counter", 5);
  launch("add_to_counter", kOneThread, -6);
  EXPECT_SAME(read_global<int>("counter"), {-1});

  launch("move_middle", kOneThread, -2);
  Buffer<double> out(6);
  launch("read_globals", kOneThread, out);
  EXPECT_EQ(out.values()[1], 3);  // primes[1]
}

TEST_P(Globals, EveryModuleStartsFresh) {
  EXPECT_SAME(read_global<int>("counter"), {100});
  EXPECT_SAME(read_global<int>("primes"), {2, 3, 5, 7, 11, 0, 0, 0});
  EXPECT_SAME(read_global<uint32_t>("settings"), {0, 0, 0});
}

TEST_P(Globals, ConstantTableWithDivergentIndex) {
  write_global("settings", std::array<uint32_t, 3>{0, 3, 0});
  const float weights[] = {0.5f, -1.25f, 3.0f, 1e-3f};
  const auto which = random_values<int>(200, 1);
  Buffer device(which);
  for (const Shape& shape : {Shape{{2}, {128}}, Shape{{8}, {27}}}) {
    Buffer<float> out(200);
    launch("weigh", shape, device, out, 200);
    EXPECT_SAME(out, tabulate(200, [&](size_t i) { return weights[which[i] & 3] * 3.0f; }));
  }
}

}  // namespace
}  // namespace heddle::kernels
