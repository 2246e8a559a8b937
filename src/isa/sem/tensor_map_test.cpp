// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/sem/tensor_map.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "isa/sem/tensor_box.h"

namespace heddle::sem {
namespace {

using isa::MapField;

TensorMap plain_map() {
  TensorMap map;
  map.address = 0x7f0012345670;
  map.type = TensorType::f16;
  map.rank = 3;
  map.dims[0] = 100, map.dims[1] = 20, map.dims[2] = 7;
  map.strides[0] = 208, map.strides[1] = 4160;
  map.box[0] = 64, map.box[1] = 8, map.box[2] = 1;
  map.swizzle_mode = TensorSwizzle::b128;
  return map;
}
TensorMap im2col_map() {
  TensorMap map = plain_map();
  map.mode = TensorMode::im2col;
  map.rank = 4;
  map.dims[3] = 5;
  map.strides[2] = 29120;
  map.lower[0] = map.lower[1] = -1;
  map.upper[0] = -1, map.upper[1] = 1;
  map.channels = 64, map.pixels = 1024;
  return map;
}

TEST(TensorMap, TheWordsHoldAllFields) {
  for (const TensorMap& map : {plain_map(), im2col_map()}) {
    TensorMapWords words, again;
    pack_tensor_map(map, words);
    EXPECT_EQ(tensor_map_fault(words, unpack_tensor_map(words)), TensorMapFault::none);
    pack_tensor_map(unpack_tensor_map(words), again);
    EXPECT_EQ(std::memcmp(words, again, sizeof words), 0);
    const TensorMap read = unpack_tensor_map(words);
    EXPECT_EQ(read.address, map.address);
    EXPECT_EQ(read.dims[0], 100u);
    EXPECT_EQ(read.strides[1], 4160u);
    EXPECT_EQ(read.lower[1], map.mode == TensorMode::tile ? 0 : -1);
    EXPECT_EQ(read.pixels, map.pixels);
  }
}

TEST(TensorMap, Bit21OfTheSecondWordMeansNothing) {
  TensorMapWords words;
  pack_tensor_map(im2col_map(), words);
  EXPECT_EQ(words[1] >> 21 & 1, 0u);
  words[1] |= u64{1} << 21;
  EXPECT_EQ(tensor_map_fault(words, unpack_tensor_map(words)), TensorMapFault::none);
}

TEST(TensorMap, ZerosWithTheFieldsThatTritonSetsAreATiledMap) {
  TensorMapWords words = {}, expected;
  const auto set = [&](MapField field, u32 ordinal, u64 value) {
    replace_in_tensor_map(words, field, ordinal, value);
  };
  const TensorMap map = plain_map();
  set(MapField::global_address, 0, map.address);
  set(MapField::rank, 0, map.rank - 1u);
  for (u32 i = 0; i < map.rank; ++i) {
    set(MapField::box_dim, i, map.box[i]);
    set(MapField::global_dim, i, map.dims[i]);
    set(MapField::element_stride, i, 1);
    if (i + 1 < map.rank) set(MapField::global_stride, i, map.strides[i]);
  }
  set(MapField::elemtype, 0, 6);
  set(MapField::interleave_layout, 0, 0);
  set(MapField::swizzle_mode, 0, 3);
  set(MapField::fill_mode, 0, 0);
  const TensorMap read = unpack_tensor_map(words);
  EXPECT_EQ(tensor_map_fault(words, read), TensorMapFault::none);
  TensorMap used = map;  // the element strides of unused dimensions are 0
  used.element_strides[3] = used.element_strides[4] = 0;
  pack_tensor_map(used, expected);
  EXPECT_EQ(std::memcmp(words, expected, sizeof words), 0);
}

TEST(TensorMap, EachLimitAtItsEdge) {
  using Change = std::function<void(TensorMap&)>;
  const struct {
    TensorMapFault fault;
    TensorMap map;
    Change right, wrong;
  } limits[] = {
      {TensorMapFault::address, plain_map(), [](auto& m) { m.address = 16; },
       [](auto& m) { m.address = 8; }},
      {TensorMapFault::rank, plain_map(), [](auto& m) { m.rank = 1; }, [](auto& m) { m.rank = 6; }},
      {TensorMapFault::rank, im2col_map(), [](auto& m) { m.rank = 3; },
       [](auto& m) { m.rank = 2; }},
      {TensorMapFault::dimension, plain_map(), [](auto& m) { m.dims[1] = kMostTensorDim; },
       [](auto& m) { m.dims[1] = kMostTensorDim + 1; }},
      {TensorMapFault::dimension, plain_map(), [](auto& m) { m.dims[2] = 1; },
       [](auto& m) { m.dims[2] = 0; }},
      {TensorMapFault::stride, plain_map(), [](auto& m) { m.strides[0] = 0; },
       [](auto& m) { m.strides[0] = 8; }},
      {TensorMapFault::stride, plain_map(), [](auto& m) { m.strides[1] = kTensorStrideLimit - 16; },
       [](auto& m) { m.strides[1] = kTensorStrideLimit; }},
      {TensorMapFault::box, plain_map(), [](auto& m) { m.box[1] = 256; },
       [](auto& m) { m.box[1] = 257; }},
      {TensorMapFault::box, plain_map(), [](auto& m) { m.box[0] = 8; },
       [](auto& m) { m.box[0] = 4; }},
      {TensorMapFault::element_stride, plain_map(), [](auto& m) { m.element_strides[1] = 8; },
       [](auto& m) { m.element_strides[1] = 9; }},
      {TensorMapFault::element_stride, plain_map(), [](auto& m) { m.element_strides[0] = 0; },
       [](auto& m) { m.element_strides[1] = 0; }},
      {TensorMapFault::interleave, plain_map(), [](auto&) {}, [](auto& m) { m.interleave = 1; }},
      {TensorMapFault::swizzle_span, plain_map(), [](auto& m) { m.box[0] = 64; },
       [](auto& m) { m.box[0] = 72; }},
      {TensorMapFault::swizzle, plain_map(),
       [](auto& m) { m.swizzle_atom = SwizzleAtom::b32_flip_8b; },
       [](auto& m) {
         m.swizzle_mode = TensorSwizzle::b64;
         m.swizzle_atom = SwizzleAtom::b32;
       }},
      {TensorMapFault::swizzle, im2col_map(),
       [](auto& m) {
         m.mode = TensorMode::im2col_w;
         m.swizzle_mode = TensorSwizzle::b96;
         m.channels = 48;
       },
       [](auto& m) {
         m.mode = TensorMode::im2col_w_128;
         m.swizzle_mode = TensorSwizzle::b96;
         m.channels = 48;
       }},
      {TensorMapFault::fill, plain_map(), [](auto& m) { m.fills_with_nan = true; },
       [](auto& m) {
         m.fills_with_nan = true;
         m.type = TensorType::u16;
       }},
      {TensorMapFault::corner, im2col_map(), [](auto& m) { m.lower[1] = -128; },
       [](auto& m) { m.lower[1] = -129; }},
      {TensorMapFault::corner, im2col_map(), [](auto& m) { m.lower[0] = 18; },  // W is 20
       [](auto& m) { m.lower[0] = 19; }},
      {TensorMapFault::channels, im2col_map(), [](auto& m) { m.channels = 8; },
       [](auto& m) { m.channels = 0; }},
      {TensorMapFault::pixels, im2col_map(), [](auto& m) { m.pixels = 1; },
       [](auto& m) { m.pixels = 1025; }},
      {TensorMapFault::not_a_map, plain_map(), [](auto&) {},
       [](auto& m) { m.mode = static_cast<TensorMode>(4); }},
  };
  for (const auto& limit : limits) {
    TensorMap right = limit.map, wrong = limit.map;
    limit.right(right);
    limit.wrong(wrong);
    EXPECT_EQ(tensor_map_fault(right), TensorMapFault::none) << static_cast<int>(limit.fault);
    EXPECT_EQ(tensor_map_fault(wrong), limit.fault) << static_cast<int>(limit.fault);
  }
}

TEST(TensorMap, StoresOfSixBitElementsHaveWeakerLimitsOnSm103a) {
  constexpr auto kWeak = TensorLimits::stores_of_sm_103a;
  using Change = void (*)(TensorMap&);
  TensorMap strict = plain_map();
  strict.type = TensorType::b6x16;
  strict.address = 0x7f0012345660;
  strict.dims[0] = 256, strict.box[0] = 128;
  strict.strides[0] = 192, strict.strides[1] = 4160;
  EXPECT_EQ(tensor_map_fault(strict), TensorMapFault::none);
  const struct {
    TensorMapFault fault;  // elsewhere
    Change change;
  } weaker[] = {
      {TensorMapFault::address, [](TensorMap& m) { m.address += 16; }},
      {TensorMapFault::stride, [](TensorMap& m) { m.strides[0] = 208; }},
      {TensorMapFault::dimension, [](TensorMap& m) { m.dims[0] = 192; }},
      {TensorMapFault::box, [](TensorMap& m) { m.box[0] = 64; }},
      {TensorMapFault::box,
       [](TensorMap& m) {
         m.box[0] = 64;
         m.swizzle_mode = TensorSwizzle::b64;
       }},
  };
  for (const auto& one : weaker) {
    TensorMap map = strict;
    one.change(map);
    EXPECT_EQ(tensor_map_fault(map), one.fault);
    EXPECT_EQ(tensor_map_fault(map, kWeak), TensorMapFault::none) << static_cast<int>(one.fault);
  }
  const struct {
    TensorMapFault fault;
    Change change;
  } wrong[] = {
      {TensorMapFault::address, [](TensorMap& m) { m.address += 8; }},
      {TensorMapFault::dimension, [](TensorMap& m) { m.dims[0] = 160; }},
      {TensorMapFault::box, [](TensorMap& m) { m.box[0] = 96; }},
      {TensorMapFault::swizzle, [](TensorMap& m) { m.swizzle_mode = TensorSwizzle::b32; }},
      {TensorMapFault::swizzle, [](TensorMap& m) { m.swizzle_atom = SwizzleAtom::b32_flip_8b; }},
      {TensorMapFault::address,
       [](TensorMap& m) {  // .b4x16_p64 is as strict as elsewhere
         m.type = TensorType::b4x16_p64;
         m.address += 16;
       }},
  };
  for (const auto& one : wrong) {
    TensorMap map = strict;
    one.change(map);
    EXPECT_EQ(tensor_map_fault(map, kWeak), one.fault) << static_cast<int>(one.fault);
  }
  const s32 at[] = {64, 0, 0};
  TensorOperands operands{LoadMode::none, 3, at};
  EXPECT_EQ(tensor_box_fault(strict, operands), TensorBoxFault::column);
  operands.limits = kWeak;
  EXPECT_EQ(tensor_box_fault(strict, operands), TensorBoxFault::none);
}

/// The three examples of 5.5.4: which pixels, and how many of each line of which image.
struct Line {
  s64 image, h, first_w, count;
};
struct Example {
  const char* name;
  u32 width, pixels;
  s32 lower, upper;
  u32 stride;
  s32 w;
  u16 offset;
  std::vector<Line> lines;
};
TEST(TensorRows, TheManualsExamplesOfIm2col) {
  const Example examples[] = {
      {"1",
       9,
       64,
       -1,
       -1,
       1,
       4,
       0,
       {{7, 7, 4, 4},
        {7, 8, -1, 9},
        {7, 9, -1, 9},
        {7, 10, -1, 9},
        {7, 11, -1, 9},
        {7, 12, -1, 9},
        {8, -1, -1, 9},
        {8, 0, -1, 6}}},
      {"2",
       9,
       64,
       0,
       -2,
       1,
       4,
       2,
       {{7, 9, 6, 3},
        {7, 10, 2, 7},
        {7, 11, 2, 7},
        {7, 12, 2, 7},
        {7, 13, 2, 7},
        {8, 2, 2, 7},
        {8, 3, 2, 7},
        {8, 4, 2, 7},
        {8, 5, 2, 7},
        {8, 6, 2, 5}}},
      {"3",
       8,
       32,
       -1,
       -1,
       2,
       5,
       1,
       {{7, 8, 6, 1},
        {7, 10, 0, 4},
        {7, 12, 0, 4},
        {8, 0, 0, 4},
        {8, 2, 0, 4},
        {8, 4, 0, 4},
        {8, 6, 0, 4},
        {8, 8, 0, 4},
        {8, 10, 0, 3}}},
  };
  for (const Example& example : examples) {
    TensorMap map;
    map.mode = TensorMode::im2col;
    map.rank = 4;
    map.type = TensorType::u16;
    map.dims[0] = 64, map.dims[1] = example.width, map.dims[2] = 14, map.dims[3] = 64;
    map.strides[0] = 1 << 7, map.strides[1] = 1 << 14, map.strides[2] = 1 << 21;
    map.lower[0] = map.lower[1] = example.lower;
    map.upper[0] = map.upper[1] = example.upper;
    map.element_strides[1] = map.element_strides[2] = example.stride;
    map.channels = 8, map.pixels = example.pixels;
    const s32 at[] = {0, example.w, 7, 7};
    const u16 offsets[] = {example.offset, example.offset};
    TensorRows rows = TensorRows::of_pixels(map, at, offsets);
    u64 total = 0, left = 0;
    TensorRun run{};
    for (const Line& line : example.lines) {
      for (s64 i = 0; i < line.count; ++i, ++total) {
        const s64 w = line.first_w + i * example.stride;
        const bool inside = w >= 0 && w < example.width && line.h >= 0;
        const u64 expected =
            inside ? static_cast<u64>(line.image << 21 | line.h << 14 | w << 7) : kNoRow;
        if (left == 0) run = rows.next(), left = run.count;
        const u64 row =
            run.address == kNoRow ? kNoRow : run.address + (run.count - left) * run.step;
        --left;
        EXPECT_EQ(row, expected) << example.name << " pixel " << total;
      }
    }
    EXPECT_EQ(total, rows.count());
  }
}

TEST(TensorRows, TheCountOfTheLargestBoxIsNotCutOff) {
  TensorMap map;
  map.rank = 5;
  for (u32& n : map.box) n = 256;
  const s32 at[5] = {};
  EXPECT_EQ(TensorRows::of_tile(map, at).count(), u64{1} << 32);
}

}  // namespace
}  // namespace heddle::sem
