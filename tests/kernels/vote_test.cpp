// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp votes, matches and shuffles.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Vote, "vote");

std::vector<int> small_values(size_t count, uint64_t seed) {
  Random random(seed);
  return tabulate(count, [&](size_t) { return int(random.below(101)); });
}

// The mask of the lanes of i's warp, among `lanes`, for which pred(index) holds.
template <class P>
uint32_t ballot(size_t i, uint32_t lanes, P pred) {
  uint32_t mask = 0;
  for (size_t lane = 0; lane < 32; ++lane) {
    if (lanes >> lane & 1 && pred(i / 32 * 32 + lane)) mask |= 1u << lane;
  }
  return mask;
}

constexpr uint32_t kAll = ~0u;

TEST_P(Vote, WholeWarps) {
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    const auto v = small_values(shape.threads(), 1);
    std::vector<uint32_t> expected;
    for (size_t i = 0; i < v.size(); ++i) {
      const uint32_t below = ballot(i, kAll, [&](size_t j) { return v[j] < 100; });
      for (uint32_t result : {ballot(i, kAll, [&](size_t j) { return v[j] & 1; }),
                              uint32_t(ballot(i, kAll, [&](size_t j) { return v[j] == 5; }) != 0),
                              uint32_t(below == kAll),
                              ballot(i, kAll, [&](size_t j) { return (v[j] & 7) == (v[i] & 7); }),
                              ballot(i, kAll, [&](size_t j) { return (v[j] & 3) == (v[i] & 3); }),
                              below == kAll || below == 0 ? kAll : 0}) {
        expected.push_back(result);
      }
    }
    Buffer device(v);
    Buffer<uint32_t> out(expected.size());
    launch("vote_whole_warp", shape, device, out);
    EXPECT_SAME(out, expected);
  }
}

TEST_P(Vote, BranchesWithTheirOwnMasks) {
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    const auto v = small_values(shape.threads(), 2);
    Buffer device(v);
    Buffer<uint32_t> out(v.size());
    launch("vote_in_branches", shape, device, out);
    EXPECT_SAME(out, tabulate(v.size(), [&](size_t i) {
                  const size_t lane = i % 32;
                  if (lane % 2 == 1) {
                    return ballot(i, 0xaaaaaaaa, [&](size_t j) { return v[j] > 50; }) ^
                           uint32_t(v[i / 32 * 32 + 31]);
                  }
                  if (lane % 4 == 0) {
                    return ballot(i, 0x11111111, [&](size_t j) { return v[j] % 3 == v[i] % 3; });
                  }
                  return uint32_t(v[lane + 4 < 32 ? i + 4 : i]);
                }));
  }
}

TEST_P(Vote, LanesLeaveALoopOneByOne) {
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    const auto rounds = small_values(shape.threads(), 3);
    Buffer device(rounds);
    Buffer<uint32_t> out(rounds.size());
    launch("vote_while_leaving", shape, device, out);
    EXPECT_SAME(out, tabulate(rounds.size(), [&](size_t i) {
                  uint32_t hash = 0;
                  for (int round = 0; round < rounds[i]; ++round) {
                    hash = hash * 31 + ballot(i, kAll, [&](size_t j) { return round < rounds[j]; });
                  }
                  return hash;
                }));
  }
}

TEST_P(Vote, ShufflesOfEveryMode) {
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    const auto v = random_values<int>(shape.threads(), 4);
    std::vector<int> expected;
    for (size_t i = 0; i < v.size(); ++i) {
      const size_t lane = i % 32, warp = i - lane;
      for (size_t source : {(lane * 5 + 1) % 32,                        // idx
                            lane >= lane % 4 ? lane - lane % 4 : lane,  // up
                            lane + 3 < 32 ? lane + 3 : lane,            // down
                            lane ^ 9,                                   // bfly in 16
                            lane / 8 * 8 + 2,                           // idx in 8
                            lane % 8 + 3 < 8 ? lane + 3 : lane}) {      // down in 8
        expected.push_back(v[warp + source]);
      }
    }
    Buffer device(v);
    Buffer<int> out(expected.size());
    launch("shuffle_modes", shape, device, out);
    EXPECT_SAME(out, expected);
  }
}

TEST_P(Vote, WarpAggregatedAtomics) {
  for (int n : {1, 40, 1000, 1024}) {
    SCOPED_TRACE(n);
    const auto values = small_values(n, 5);
    std::vector<uint32_t> bins(8);
    const auto keys = tabulate(n, [&](size_t i) { return uint32_t(values[i] % 8); });
    for (uint32_t key : keys) ++bins[key];
    Buffer device(keys);
    Buffer<uint32_t> device_bins(8);
    launch("aggregated_atomics", {{4}, {256}}, device, device_bins, n);
    EXPECT_SAME(device_bins, bins);
  }
}

TEST_P(Vote, ActiveMaskFollowsTheBranch) {
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    Buffer<uint32_t> out(shape.threads());
    launch("active_masks", shape, out);
    EXPECT_SAME(out, tabulate(shape.threads(),
                              [](size_t i) { return kAll ^ (i % 32 < 7 ? 0x7fu << 1 : 0); }));
  }
}

}  // namespace
}  // namespace heddle::kernels
