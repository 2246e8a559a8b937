// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference here evaluates the manual's canonical layouts as they are written, nested shapes
// and strides in elements, and the swizzling functions as Swizzle<B, M, S>.
#include "isa/sem/matrix_descriptor.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::sem {
namespace {

/// One dimension of a layout: the coordinate is taken apart from the first shape on; the last one
/// may be exceeded.
struct LayoutMode {
  u32 shape, stride;
};
u32 offset_in(const std::vector<LayoutMode>& modes, u32 coordinate) {
  u32 offset = 0;
  for (const LayoutMode& mode : modes) {
    const bool last = &mode == &modes.back();
    offset += (last ? coordinate : coordinate % mode.shape) * mode.stride;
    coordinate /= mode.shape;
  }
  return offset;
}

/// CuTe's Swizzle<B, M, S>: `bits` bits from `base + shift` on are xored to those from `base` on.
u32 cute_swizzle(u32 bits, u32 base, u32 shift, u32 address) {
  for (u32 bit = 0; bit < bits; ++bit) {
    if ((address >> (base + shift + bit) & 1) != 0) address ^= 1u << (base + bit);
  }
  return address;
}

/// A row of the manual's table, for elements of `size` bytes; strides in elements.
struct Canonical {
  std::vector<LayoutMode> mn, k;
};
Canonical canonical_layout(Major major, Swizzle mode, u32 size, u32 leading, u32 stride) {
  const u32 t = 16 / size, lbo = leading / size, sbo = stride / size, any = ~0u;
  if (major == Major::mn) {
    switch (mode) {
      case Swizzle::none:
        return {{{t, 1}, {1, t}, {any, sbo}}, {{8, t}, {any, lbo}}};
      case Swizzle::b32:
        return {{{t, 1}, {2, t}, {any, lbo}}, {{8, 2 * t}, {any, sbo}}};
      case Swizzle::b64:
        return {{{t, 1}, {4, t}, {any, lbo}}, {{8, 4 * t}, {any, sbo}}};
      case Swizzle::b128:
        return {{{t, 1}, {8, t}, {any, lbo}}, {{8, 8 * t}, {any, sbo}}};
      default:
        return {{{t, 1}, {8, t}, {any, lbo}}, {{4, 8 * t}, {any, sbo}}};
    }
  }
  switch (mode) {
    case Swizzle::none:
      return {{{8, t}, {any, sbo}}, {{t, 1}, {any, lbo}}};
    case Swizzle::b32:
      return {{{8, 2 * t}, {any, sbo}}, {{t, 1}, {any, t}}};
    case Swizzle::b64:
      return {{{8, 4 * t}, {any, sbo}}, {{t, 1}, {any, t}}};
    case Swizzle::b128:
      return {{{8, 8 * t}, {any, sbo}}, {{t, 1}, {any, t}}};
    default:
      return {{{4, 8 * t}, {any, sbo}}, {{t, 1}, {any, t}}};
  }
}
u32 swizzle_of(Swizzle mode, u32 address) {
  switch (mode) {
    case Swizzle::none:
      return cute_swizzle(0, 4, 3, address);
    case Swizzle::b32:
      return cute_swizzle(1, 4, 3, address);
    case Swizzle::b64:
      return cute_swizzle(2, 4, 3, address);
    case Swizzle::b128:
      return cute_swizzle(3, 4, 3, address);
    default:
      return cute_swizzle(2, 5, 2, address);
  }
}

/// Every address is the manual's. The pattern begins at the line that the base offset names.
void expect_canonical(const MatrixDescriptor& d, Major major, u32 size) {
  const MatrixLayout layout = matrix_layout(d, major);
  const Canonical expected = canonical_layout(major, d.swizzle, size, d.leading, d.stride);
  const u32 pattern_start = d.base_offset * 128;
  for (u32 mn = 0; mn < 128; ++mn) {
    for (u32 k = 0; k < 64; ++k) {
      const u32 plain = d.start + (offset_in(expected.mn, mn) + offset_in(expected.k, k)) * size;
      const u32 row = major == Major::k ? mn : k;
      const u32 column = major == Major::k ? k : mn;
      ASSERT_EQ(element_address(layout, row, column, size * 8),
                pattern_start + swizzle_of(d.swizzle, plain - pattern_start))
          << "mn " << mn << " k " << k << " size " << size << " swizzle "
          << static_cast<int>(d.swizzle) << " start " << d.start << " base " << d.base_offset;
    }
  }
}

TEST(MatrixDescriptor, LayoutsAreTheCanonicalOnes) {
  for (const Major major : {Major::k, Major::mn}) {
    for (const Swizzle mode :
         {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128, Swizzle::b128_atom_32b}) {
      for (const u32 size : {1u, 2u, 4u}) {
        for (const u32 start : {0u, 0x10420u, 0x3f70u}) {
          // Without swizzling, the field of the base offset means nothing.
          for (const u32 base : {0u, 6u}) {
            expect_canonical({start, 2048, 1024, base, mode}, major, size);
            expect_canonical({start, 48, 4096 + 16, base, mode}, major, size);
          }
        }
      }
    }
  }
}

/// The manual's examples, with the exact layouts and the encoded offsets that it gives.
TEST(MatrixDescriptor, ExamplesOfTheManual) {
  struct Row {
    const char* what;
    Major major;
    u64 swizzle_code;
    u32 size;
    std::vector<LayoutMode> mn, k;
    u64 leading, stride;  // encoded
    u32 bits;             // of the swizzling function
  };
  const Row rows[] = {
      {"K, none, tf32", Major::k, 0, 4, {{8, 4}, {2, 32}}, {{4, 1}, {4, 64}}, 16, 8, 0},
      {"K, 32B, tf32", Major::k, 3, 4, {{8, 8}, {2, 64}}, {{4, 1}, {4, 4}}, 1, 16, 1},
      {"MN, none, bf16", Major::mn, 0, 2, {{8, 1}, {1, 8}, {2, 64}}, {{8, 8}, {2, 128}}, 16, 8, 0},
      {"MN, 32B, bf16",
       Major::mn,
       3,
       2,
       {{8, 1}, {2, 8}, {2, 128}},
       {{8, 16}, {2, 256}},
       16,
       32,
       1},
      {"MN, 64B, bf16",
       Major::mn,
       2,
       2,
       {{8, 1}, {4, 8}, {2, 256}},
       {{8, 32}, {2, 512}},
       32,
       64,
       2},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const u64 bits = row.leading << 16 | row.stride << 32 | row.swizzle_code << 62;
    const MatrixLayout layout = matrix_layout(wgmma_descriptor(bits), row.major);
    for (u32 mn = 0; mn < 16; ++mn) {
      for (u32 k = 0; k < 16; ++k) {
        const bool k_major = row.major == Major::k;
        EXPECT_EQ(
            element_address(layout, k_major ? mn : k, k_major ? k : mn, row.size * 8),
            cute_swizzle(row.bits, 4, 3, (offset_in(row.mn, mn) + offset_in(row.k, k)) * row.size));
      }
    }
  }
}

constexpr u64 kTcgen05Fixed = u64{1} << 46;

TEST(MatrixDescriptor, Fields) {
  constexpr u64 kAddresses = 0x3ffe | u64{0x1234} << 16 | u64{0x2345} << 32 | u64{5} << 49;
  struct Row {
    MatrixDescriptor d;
    Swizzle swizzle;
    bool absolute = false;
  };
  const Row rows[] = {
      {wgmma_descriptor(kAddresses), Swizzle::none},
      {wgmma_descriptor(kAddresses | u64{1} << 62), Swizzle::b128},
      {wgmma_descriptor(kAddresses | u64{2} << 62), Swizzle::b64},
      {wgmma_descriptor(kAddresses | u64{3} << 62), Swizzle::b32},
      // wgmma gives no meaning to the other bits.
      {wgmma_descriptor(kAddresses | u64{0x1ff} << 53 | u64{0xc000'c000}), Swizzle::none},
      {tcgen05_descriptor(kAddresses | kTcgen05Fixed | u64{1} << 61), Swizzle::b128_atom_32b},
      {tcgen05_descriptor(kAddresses | kTcgen05Fixed | u64{2} << 61), Swizzle::b128},
      {tcgen05_descriptor(kAddresses | kTcgen05Fixed | u64{4} << 61), Swizzle::b64},
      {tcgen05_descriptor(kAddresses | kTcgen05Fixed | u64{6} << 61), Swizzle::b32},
      {tcgen05_descriptor(kAddresses | kTcgen05Fixed | u64{1} << 52), Swizzle::none, true},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(row.d.start, 0x3ffe0u);
    EXPECT_EQ(row.d.leading, 0x12340u);
    EXPECT_EQ(row.d.stride, 0x23450u);
    EXPECT_EQ(row.d.base_offset, 5u);
    EXPECT_EQ(row.d.swizzle, row.swizzle);
    EXPECT_EQ(row.d.leading_is_address, row.absolute);
  }
}

TEST(MatrixDescriptor, FaultsOfTcgen05) {
  constexpr u64 kAbsolute = u64{1} << 52;
  struct Row {
    u64 bits;
    Major major;
    DescriptorFault fault;
  };
  const Row rows[] = {
      {kTcgen05Fixed, Major::mn, DescriptorFault::none},
      {0, Major::k, DescriptorFault::fixed_bits},
      {kTcgen05Fixed << 1, Major::k, DescriptorFault::fixed_bits},
      {kTcgen05Fixed | u64{1} << 53, Major::k, DescriptorFault::fixed_bits},
      {kTcgen05Fixed | u64{1} << 60, Major::k, DescriptorFault::fixed_bits},
      {kTcgen05Fixed | u64{3} << 61, Major::k, DescriptorFault::swizzle_code},
      {kTcgen05Fixed | u64{5} << 61, Major::k, DescriptorFault::swizzle_code},
      {kTcgen05Fixed | u64{7} << 61, Major::k, DescriptorFault::swizzle_code},
      {kTcgen05Fixed | u64{2} << 61 | kAbsolute, Major::k, DescriptorFault::none},
      {kTcgen05Fixed | u64{2} << 61 | kAbsolute, Major::mn, DescriptorFault::absolute_mode},
      {kTcgen05Fixed | u64{4} << 61 | kAbsolute, Major::k, DescriptorFault::absolute_mode},
      {kTcgen05Fixed | u64{2} << 61 | kAbsolute | u64{1} << 49, Major::k,
       DescriptorFault::absolute_mode},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(tcgen05_descriptor_fault(row.bits, row.major), row.fault) << std::hex << row.bits;
  }
}

/// 48 bytes of K that begin 32 bytes before the end of a line: the last 16 lie in the buffer at the
/// absolute address.
TEST(MatrixDescriptor, TheSecondBufferOfTheAbsoluteMode) {
  const MatrixDescriptor d{1024 + 96, 8192, 1024, 0, Swizzle::b128, true};
  const MatrixLayout layout = matrix_layout(d, Major::k);
  for (u32 row = 0; row < 128; ++row) {
    const u32 line = row % 8 * 128 + row / 8 * 1024;
    EXPECT_EQ(chunk_address(layout, row, 0), cute_swizzle(3, 4, 3, 1024 + 96 + line));
    EXPECT_EQ(chunk_address(layout, row, 1), cute_swizzle(3, 4, 3, 1024 + 112 + line));
    EXPECT_EQ(chunk_address(layout, row, 2), cute_swizzle(3, 4, 3, 8192 + line));
  }
}

/// Elements of 4 bits: two of them share a byte.
TEST(MatrixDescriptor, ElementsOfFourBits) {
  const MatrixLayout layout = matrix_layout({1024, 0, 1024, 0, Swizzle::b128}, Major::k);
  for (u32 row = 0; row < 16; ++row) {
    for (u32 k = 0; k < 128; ++k) {
      EXPECT_EQ(element_address(layout, row, k, 4), element_address(layout, row, k / 2, 8));
    }
  }
}

TEST(Swizzle, EveryModeIsAPermutationAndItsOwnInverse) {
  for (int mode = 0; mode <= static_cast<int>(Swizzle::b128_atom_64b); ++mode) {
    const SwizzlePattern pattern = swizzle_pattern(static_cast<Swizzle>(mode));
    for (u32 address = 0; address < 4096; ++address) {
      const u32 there = swizzled(pattern, address);
      EXPECT_EQ(there / kSwizzleLine, address / kSwizzleLine);
      EXPECT_EQ(swizzled(pattern, there), address);
    }
  }
}

TEST(Swizzle, Modes) {
  struct Row {
    Swizzle mode;
    u32 bits, base, shift, flip;
  };
  const Row rows[] = {
      {Swizzle::none, 0, 4, 3, 0},
      {Swizzle::b32, 1, 4, 3, 0},
      {Swizzle::b64, 2, 4, 3, 0},
      {Swizzle::b96, 1, 4, 3, 0},
      {Swizzle::b128, 3, 4, 3, 0},
      {Swizzle::b128_atom_32b, 2, 5, 2, 0},
      {Swizzle::b128_atom_32b_flip_8b, 2, 5, 2, 8},
      {Swizzle::b128_atom_64b, 1, 6, 1, 0},
  };
  for (const Row& row : rows) {
    for (u32 address = 0; address < 4096; ++address) {
      const u32 flip = (address & 128) != 0 ? row.flip : 0;
      EXPECT_EQ(swizzled(swizzle_pattern(row.mode), address),
                cute_swizzle(row.bits, row.base, row.shift, address) ^ flip);
    }
  }
}

}  // namespace
}  // namespace heddle::sem
