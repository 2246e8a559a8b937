// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shfl, vote, match, elect, redux on whole and partial warps (PTX ISA 9.7.9.6, 9.7.13.8 to .14).
#include <gtest/gtest.h>

#include "isa/sem/warp_redux.h"
#include "isa/sem/warp_shuffle.h"
#include "isa/sem/warp_vote.h"

namespace heddle::sem {
namespace {

constexpr u32 kAll = 0xffffffff;

/// All members are active.
constexpr WarpLanes together(u32 members) { return {members, members}; }

u32 shuffled(Shflmode mode, u32 members, const u32* a, const u32* b, const u32* c, u32* d) {
  Predicate in_range{0};
  shuffle(mode, together(members), a, b, c, d, in_range);
  return in_range.bits;
}
/// What lane 31 or, where it is no member, the lowest one gets.
u32 any_of(u32 members, const u32* d) {
  return d[members >> 31 ? 31 : static_cast<u32>(std::countr_zero(members))];
}
u32 vote_bits(Votemode mode, u32 members, u32 a) {
  Predicate d{0};
  vote(mode, together(members), {a}, d);
  return d.bits;
}
u32 ballot_of(u32 members, u32 a) {
  u32 d[kWarpSize] = {};
  ballot(together(members), {a}, d);
  return any_of(members, d);
}
struct Elected {
  u32 lane, bits;
  bool operator==(const Elected&) const = default;
};
Elected elect_of(u32 members) {
  u32 d[kWarpSize] = {};
  Predicate p{0};
  elect(together(members), d, p);
  return {any_of(members, d), p.bits};
}
struct Matched {
  u32 mask, bits;
  bool operator==(const Matched&) const = default;
};
template <class T>
Matched match_all_of(u32 members, const T* a) {
  u32 d[kWarpSize] = {};
  Predicate p{0};
  match_all(together(members), a, d, p);
  return {any_of(members, d), p.bits};
}
template <class T>
T redux_of(Reduxop op, u32 members, const T* a) {
  T d[kWarpSize] = {};
  redux(op, together(members), a, d);
  return static_cast<T>(any_of(members, reinterpret_cast<const u32*>(d)));
}

struct ShuffleCase {
  Shflmode mode;
  u32 b, c;
  u32 lane, source;
  bool in_range;
};
constexpr ShuffleCase kShuffles[] = {
    {Shflmode::up, 1, 0, 0, 0, false},
    {Shflmode::up, 1, 0, 5, 4, true},
    {Shflmode::up, 0, 0, 0, 0, true},
    {Shflmode::up, 4, 0x1800, 8, 8, false},  // segments of 8: lane 8 is the first of its own
    {Shflmode::up, 4, 0x1800, 13, 9, true},
    {Shflmode::down, 1, 31, 31, 31, false},
    {Shflmode::down, 1, 31, 30, 31, true},
    {Shflmode::down, 33, 31, 7, 8, true},  // only five bits of b count
    {Shflmode::down, 4, 0x181f, 4, 4, false},
    {Shflmode::down, 4, 0x181f, 3, 7, true},
    {Shflmode::bfly, 16, 31, 3, 19, true},
    {Shflmode::bfly, 31, 31, 0, 31, true},
    {Shflmode::bfly, 8, 0x181f, 3, 3, false},
    {Shflmode::bfly, 8, 7, 11, 3, true},  // clamp 7: only towards lower lanes
    {Shflmode::idx, 5, 31, 20, 5, true},
    {Shflmode::idx, 37, 31, 20, 5, true},
    {Shflmode::idx, 5, 0x181f, 20, 21, true},  // lane 5 of the segment 16..23
    {Shflmode::idx, 5, 3, 20, 20, false},
};

TEST(Shuffle, SourceLane) {
  for (const ShuffleCase& test : kShuffles) {
    const ShuffleSource source = shuffle_source(test.mode, test.lane, test.b, test.c);
    EXPECT_EQ(source.lane, test.source) << static_cast<int>(test.mode) << " lane " << test.lane;
    EXPECT_EQ(source.in_range, test.in_range)
        << static_cast<int>(test.mode) << " lane " << test.lane;
  }
}

TEST(Shuffle, DestinationMayBeASource) {
  u32 a[kWarpSize], b[kWarpSize], c[kWarpSize];
  for (u32 i = 0; i < kWarpSize; ++i) a[i] = 100 + i, b[i] = 31 - i, c[i] = 31;
  EXPECT_EQ(shuffled(Shflmode::idx, kAll, a, b, c, a), kAll);
  for (u32 i = 0; i < kWarpSize; ++i) EXPECT_EQ(a[i], 131 - i);
  EXPECT_EQ(shuffled(Shflmode::idx, 0xf0, a, b, c, b), 0xf0u);
  for (u32 i = 0; i < kWarpSize; ++i)
    EXPECT_EQ(b[i], i >= 4 && i < 8 ? 100 + i : 31 - i);  // others keep theirs
}

TEST(Shuffle, EachLaneHasItsOwnSelector) {
  u32 a[kWarpSize], b[kWarpSize], c[kWarpSize], d[kWarpSize] = {};
  for (u32 i = 0; i < kWarpSize; ++i) a[i] = i, b[i] = i * 7, c[i] = i % 2 ? 31 : 0;
  const u32 in_range = shuffled(Shflmode::idx, kAll, a, b, c, d);
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u32 lane = i * 7 % 32;
    const bool in = i % 2 != 0 || lane == 0;
    EXPECT_EQ(d[i], in ? lane : i);
    EXPECT_EQ((in_range >> i & 1) != 0, in);
  }
}

// All lanes name one lane: a special case of `idx`, with the same results.
TEST(Shuffle, Broadcast) {
  for (const u32 source : {0u, 7u, 31u, 39u}) {
    for (const u32 packed : {31u, 3u, 0x181fu}) {
      u32 a[32], b[32], c[32], d[32];
      for (u32 i = 0; i < 32; ++i) a[i] = 100 + i, b[i] = source, c[i] = packed, d[i] = 5;
      const u32 members = 0xfff0ffff;
      const u32 in_range = shuffled(Shflmode::idx, members, a, b, c, d);
      for (u32 lane = 0; lane < 32; ++lane) {
        const ShuffleSource from = shuffle_source(Shflmode::idx, lane, source, packed);
        const bool takes_part = (members >> lane & 1) != 0;
        EXPECT_EQ(d[lane], takes_part ? 100 + from.lane : 5u) << source << " " << lane;
        EXPECT_EQ(in_range >> lane & 1, static_cast<u32>(takes_part && from.in_range));
      }
    }
  }
}

TEST(Vote, OnlyMembersCount) {
  EXPECT_EQ(vote_bits(Votemode::all, 0x0f, 0xff), 0x0fu);
  EXPECT_EQ(vote_bits(Votemode::all, 0xff, 0x0f), 0u);
  EXPECT_EQ(vote_bits(Votemode::any, 0xff, 0x80), 0xffu);
  EXPECT_EQ(vote_bits(Votemode::any, 0x0f, 0xf0), 0u);
  EXPECT_EQ(vote_bits(Votemode::uni, 0x0f, 0xf0), 0x0fu);
  EXPECT_EQ(vote_bits(Votemode::uni, 0xf0, 0xf0), 0xf0u);
  EXPECT_EQ(vote_bits(Votemode::uni, 0xff, 0xf0), 0u);
  EXPECT_EQ(ballot_of(0xff, 0x0ff0), 0xf0u);
  EXPECT_EQ(elect_of(0xf0), (Elected{4, 0x10}));
  EXPECT_EQ(elect_of(0x80000000), (Elected{31, 0x80000000}));
}

// A wrong membermask: lanes get the result of others, and only they get it.
TEST(Vote, ActiveLanesThatAreNoMembers) {
  u32 d[kWarpSize] = {};
  ballot({0x0f, 0x30}, {0x3c}, d);
  for (u32 lane = 0; lane < kWarpSize; ++lane) EXPECT_EQ(d[lane], 0x30 >> lane & 1 ? 0x0cu : 0u);
  Predicate p{0xff};
  vote(Votemode::all, {0x0f, 0x30}, {0x3c}, p);
  EXPECT_EQ(p.bits, 0xcfu);
}

TEST(Match, GroupsOfEqualValues) {
  u64 a[kWarpSize];
  for (u32 i = 0; i < kWarpSize; ++i) a[i] = (u64{i} % 4) << 32;
  u32 d[kWarpSize] = {};
  match_any(together(0xffff00ff), a, d);
  for (u32 i = 0; i < kWarpSize; ++i) {
    EXPECT_EQ(d[i], (0xffff00ff >> i & 1) != 0 ? (0x11111111u << (i % 4)) & 0xffff00ff : 0u);
  }
  EXPECT_EQ(match_all_of(kAll, a), (Matched{0, 0}));
  EXPECT_EQ(match_all_of(0x22222222, a), (Matched{0x22222222, 0x22222222}));
  EXPECT_EQ(match_all_of(1, a), (Matched{1, 1}));

  u32 same[kWarpSize] = {7, 7, 8, 7};
  match_any(together(0xf), same, same);
  EXPECT_EQ(same[0], 0xbu);
  EXPECT_EQ(same[2], 0x4u);
  EXPECT_EQ(same[3], 0xbu);
}

TEST(Redux, Integers) {
  u32 a[kWarpSize];
  s32 s[kWarpSize];
  for (u32 i = 0; i < kWarpSize; ++i) a[i] = i + 0xfffffff0, s[i] = static_cast<s32>(a[i]);
  EXPECT_EQ(redux_of(Reduxop::add, kAll, a), 0xfffffff0u * 32 + 496);
  EXPECT_EQ(redux_of(Reduxop::min, kAll, a), 0u);
  EXPECT_EQ(redux_of(Reduxop::max, kAll, a), 0xffffffffu);
  EXPECT_EQ(redux_of(Reduxop::min, kAll, s), -16);
  EXPECT_EQ(redux_of(Reduxop::max, kAll, s), 15);
  EXPECT_EQ(redux_of(Reduxop::min, 0xff000000, s), 8);
  EXPECT_EQ(redux_of(Reduxop::and_, 0x0000ffff, a), 0xfffffff0u);
  EXPECT_EQ(redux_of(Reduxop::or_, 0xffff0000, a), 0xfu);
  EXPECT_EQ(redux_of(Reduxop::xor_, 0x3, a), 1u);
}

struct FloatCase {
  Reduxop op;
  Flag abs, nan;
  u32 members;
  u32 expected;
};
// Lanes: -0, +0, 1.0, -2.0, NaN, +inf, -subnormal.
constexpr u32 kFloats[kWarpSize] = {0x80000000, 0,          0x3f800000, 0xc0000000,
                                    0xffc00001, 0x7f800000, 0x80000001};
constexpr FloatCase kFloatCases[] = {
    {Reduxop::min, Flag::off, Flag::off, 0x03, 0x80000000},  // -0 < +0
    {Reduxop::max, Flag::off, Flag::off, 0x03, 0},
    {Reduxop::min, Flag::off, Flag::off, 0x1f, 0xc0000000},
    {Reduxop::max, Flag::off, Flag::off, 0x3f, 0x7f800000},
    {Reduxop::max, Flag::on, Flag::off, 0x1f, 0x40000000},
    {Reduxop::min, Flag::on, Flag::off, 0x0c, 0x3f800000},
    {Reduxop::min, Flag::off, Flag::on, 0x1f, 0x7fffffff},
    {Reduxop::min, Flag::off, Flag::on, 0x0f, 0xc0000000},
    {Reduxop::max, Flag::off, Flag::off, 0x10, 0x7fffffff},  // nothing but NaN
    {Reduxop::max, Flag::off, Flag::off, 0x48, 0x80000001},
};

TEST(Redux, Floats) {
  for (const FloatCase& test : kFloatCases) {
    u32 d[kWarpSize] = {};
    redux_f32(test.op, test.abs, test.nan, together(test.members), kFloats, d);
    EXPECT_EQ(any_of(test.members, d), test.expected) << "members " << test.members;
  }
}

}  // namespace
}  // namespace heddle::sem
