// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of random bytes against texels that two other decoders agree on, and the rules where
// decoders are free to differ.
#include "isa/sem/texture_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>

namespace heddle::sem {
namespace {

using Format = isa::TexelFormat;

struct Texel {
  f32 channel[4] = {-1000, -1000, -1000, -1000};
};

Texel decode(Format format, u64 low, u64 high, u32 x, u32 y) {
  const u64 block[2] = {low, high};
  Texel texel;
  decode_block_texel(format, reinterpret_cast<const u8*>(block), x, y, texel.channel);
  return texel;
}

struct Block {
  u64 low, high;
  /// At (0, 0), (2, 1) and (3, 3): a byte per channel, R highest; of BC6H two bytes.
  u64 texel[3];
};

constexpr Block kBc1[] = {
    {0xfc7b9598c9549116, 0, {0x9420b5ff, 0xce28a5ff, 0x00000000}},
    {0xd117c73aa2c12392, 0, {0x63654eff, 0x217194ff, 0x00000000}},
    {0x274535369f9fa560, 0, {0xa2c555ff, 0x9fdcaaff, 0xa5ae00ff}},
    {0x1bda535b445aa28e, 0, {0x6377b5ff, 0x428ad6ff, 0xa55173ff}},
};

constexpr Block kBc2[] = {
    {0xcba8396c05c54b27, 0xc473083db58d92bd, {0xb5b26b77, 0x9455ef55, 0xaa9397cc}},
    {0x4eb0a4242af6efb9, 0x5fc38ed277d323db, {0x3ca4c899, 0x2179deaa, 0x73fb9c44}},
    {0x747303d8f6eeaaa2, 0x35d04bee78b52be5, {0x445a5522, 0x297d2966, 0x297d2977}},
    {0xddd29f77f73067c0, 0x5b3d8f6d75606d0a, {0x73ae0000, 0x6ba25277, 0x73ae00dd}},
};

constexpr Block kBc3[] = {
    {0x8896b79995f1d46b, 0x04164b14dd3d7a75, {0x7b4dadd4, 0x7b4dad00, 0x7b4dadaa}},
    {0x20b473c14fba4834, 0x4ea8c4dd723b9ddb, {0x7345de38, 0x9cbade34, 0x7345de48}},
    {0x5be72e6fa5100dd8, 0x0db7ed5046b9a7bd, {0xa5f7efd8, 0x84ece49e, 0xa5f7efbb}},
    {0x236414fdb081d855, 0x61039348471feae8, {0xef5d42d8, 0x42e3ffff, 0x42e3ffd8}},
};

// Two blocks of each mode.
constexpr Block kBc7[] = {
    {0xc932dc1a0f4e5e79, 0x8d199af4a27c736b, {0x8d6279ff, 0x4461a8ff, 0x9973aeff}},
    {0xb509d2d5345c9a77, 0x292ef8c0246c95d0, {0x489689ff, 0x4a6b5aff, 0x21e7e7ff}},
    {0x3e6f74f5cba0e8f2, 0x559eb9afdd730ddf, {0xa3d7fbff, 0xd48e2bff, 0xe7cf67ff}},
    {0xe0e6ddce0a90c5d6, 0x2971fabe2ef84ae5, {0x126677ff, 0x08e548ff, 0xa5b5b9ff}},
    {0x5195ae48f7e8e64c, 0x63e1221e5b8b994c, {0x71e147ff, 0xef52bdff, 0x39526bff}},
    {0x56e2113b7557b5fc, 0x5a6ccb4b424a4974, {0xe10d6dff, 0x8fc34cff, 0xe10d6dff}},
    {0xcd220a9553964728, 0x173ec6ba2ffb7e76, {0x22543aff, 0xa6a4f6ff, 0x22543aff}},
    {0x635df5fe5501cf28, 0x1db07e33a3450793, {0xe6aec8ff, 0xc58f8cff, 0xe6aec8ff}},
    {0x5fa5d923e9469fb0, 0xca94233935e181f8, {0x888cf7ff, 0x7f939bb2, 0x75939bb2}},
    {0x2f7d74c78c83d570, 0xc14164678cd85f3e, {0xc5444d8d, 0xc5444f8d, 0xad005bc6}},
    {0xc2384b08bac2ffa0, 0x9a9e1bb1bd143cc7, {0xaf8e46be, 0xafae46be, 0x0ad0128b}},
    {0x136aee23571c7d60, 0x648a3112f6ccd3b1, {0xa9b9c5fb, 0x4460be9e, 0xa98dc2cd}},
    {0x2178b0a1f897b4c0, 0x5c1ec7f9c5a18236, {0xce79326d, 0xcb703866, 0xcb703866}},
    {0x00ba2aec754fb8c0, 0x762ccfdeff510eb4, {0xd45ca3a0, 0x7c8e1400, 0xb26f6c63}},
    {0xdeed111aacae0380, 0xfa66ee9473c0157b, {0xbd28de1e, 0xaab259cb, 0x7997b0db}},
    {0x163bc593ba4fb680, 0x08c2ca6f5f328972, {0xbe358b1b, 0xd7e7969e, 0xf724c714}},
};

// A block of each mode.
constexpr Block kBc6hUnsigned[] = {
    {0xcfe42a5ab0a0e790, 0x34cf086855f1d867, {0x645326ee29b7, 0x627d282529ee, 0x62c027892b69}},
    {0xcfaaa4120d96a439, 0x44b37cb0f0189497, {0x20ff31cc0ebe, 0x221e3d8f201a, 0x267a39901fd9}},
    {0xcceea92f6f4671c2, 0x7123a0c96a1db04f, {0x754165a2776e, 0x752b658c778d, 0x757e65b0777b}},
    {0xabb91cf5d47d6ac6, 0xf969d165b842cbd5, {0x71bc0f2a6b32, 0x71aa0f726b71, 0x719d0fa66b9f}},
    {0x351cc79dcf5ac68a, 0xa190c29da420d779, {0x602d29fd6b04, 0x5ffc2a2b6b27, 0x5ff82a2b6af7}},
    {0x15466abd1b60394e, 0x770e35bbbe2077d0, {0x6f0b2e9f2245, 0x72ad308f2207, 0x71382c9a223c}},
    {0x294cdae5fb334152, 0xc43864c7a9325907, {0x051631a67aca, 0x051631a67aca, 0x10bd342574f6}},
    {0x1b69821b04656d16, 0x71c99cf84fc9f5ce, {0x330663b83dd9, 0x341267e63a5e, 0x364761353992}},
    {0x122f40a744ee79da, 0x78ce3d8d5deb0e29, {0x626369fc4ae5, 0x6192699448fd, 0x6192699448fd}},
    {0xe2ff588a3f99aa1e, 0xc504cad8fd385ca7, {0x208367982edd, 0x44d739ab30d4, 0x44d739ab30d4}},
    {0x795f852c291f2803, 0xebce4f7cc8b0f8b7, {0x22ff4a3d45f1, 0x1cd651ca4ec3, 0x15365b2359af}},
    {0x7d6f50063b27f0a7, 0x422817aa0160973b, {0x74955f264a90, 0x7495614e677b, 0x74955fa8515e}},
    {0x24581f7631276dab, 0xd155ac96805685a1, {0x779030e036fd, 0x779030e036fd, 0x77182f3638dd}},
    {0x267158459a40c24f, 0xa602fbd7c924b66d, {0x06cf0dcd12ca, 0x06ce0dcc12ca, 0x06ce0dcc12c9}},
};

constexpr Block kBc6hSigned[] = {
    {0xdcca5b33e3e0ad20, 0x4260f3dcf8daed06, {0x57f590557802, 0x575b8e467988, 0x57f88ce979ce}},
    {0xc07e899f82e6a749, 0x1dff62939ff15d00, {0x7158e3c8fbff, 0x6a42ea97fbff, 0x7158dc084c88}},
    {0x097365e2b04c2cc2, 0xad11aaaeecd58a82, {0xd0c6e9bcd25e, 0xd1a1e9c2d267, 0xd0ffe98cd267}},
    {0x6e836d9d5eb9e146, 0xf3808b51ff3cb2c2, {0x9db12cbba905, 0x9d972cf6a8be, 0x9d862c96a8dc}},
    {0xef971093889fd42a, 0xc1ceae340c042b8d, {0xaa87d59136c7, 0xaa5bd64336b1, 0xa9c8d5e33714}},
    {0xc8499d75d196f88e, 0xaf14d1e53706921a, {0x9c59e5a06f87, 0x9c59e5a06f87, 0x986ee2446b0c}},
    {0xc1ff6a8227025112, 0x4e124f7bc9da1d0c, {0xf06002b913b5, 0xe53c817415cc, 0xf08e83960bca}},
    {0xf51ec3abe9d22516, 0xc910c4b546c77366, {0x25bcdaf88abf, 0x27dee6bf00f0, 0x1e13e1ef83c8}},
    {0xd5ddac97cc5dd61a, 0x07bede6de1c2ed08, {0xcdfcc35499ac, 0xd112ba089e1f, 0xca1cbd84845c}},
    {0x3e07be4b3423303e, 0x510c0199c4d704eb, {0x0a2c13bd55cb, 0x2074881d808b, 0x0e880e4a44e7}},
    {0xe17b52dbdcdfa743, 0x8de260f69dd03914, {0x331a5bd37643, 0xcd04073a6e9a, 0x92872dd97219}},
    {0xad6b13b87e9cb6e7, 0x81b461b10fb41561, {0xc6e6d628f46e, 0xb87dea806f96, 0xbf3ee0f704b4}},
    {0x77827bd792ad2c0b, 0x737e7ebada1f1d10, {0xa8b714fa3ab3, 0xa3c015c03a01, 0xa54115853a38}},
    {0x89c1f0044a045e0f, 0xdd6a8a693c63326d, {0x06b803e7ee4b, 0x06b803e6ee4a, 0x06b803e6ee49}},
};

void check(Format format, std::span<const Block> blocks) {
  constexpr u32 kPlaces[3][2] = {{0, 0}, {2, 1}, {3, 3}};
  const bool halves = format == Format::bc6h_unsigned || format == Format::bc6h_signed;
  for (const Block& block : blocks) {
    for (u32 place = 0; place < 3; ++place) {
      const auto [x, y] = kPlaces[place];
      const Texel texel = decode(format, block.low, block.high, x, y);
      u64 packed = 0;
      for (u32 c = 0; c < (halves ? 3 : 4); ++c)
        packed = halves ? packed << 16 | to_f16(texel.channel[c]).bits
                        : packed << 8 | static_cast<u8>(texel.channel[c]);
      EXPECT_EQ(packed, block.texel[place])
          << "format " << static_cast<u32>(format) << ", row " << &block - blocks.data()
          << ", place " << place << std::hex << ": 0x" << packed;
    }
  }
}

TEST(TextureBlocks, Decode) {
  check(Format::bc1, kBc1);
  check(Format::bc2, kBc2);
  check(Format::bc3, kBc3);
  check(Format::bc7, kBc7);
  check(Format::bc6h_unsigned, kBc6hUnsigned);
  check(Format::bc6h_signed, kBc6hSigned);
}

/// Texels 0 to 3 have indices 0 to 3.
TEST(TextureBlocks, ColorsAreRoundedToTheNearestCode) {
  constexpr u64 kIndices = u64{0b11100100} << 32;
  struct {
    u64 first, second;  ///< R 5, G 6, B 5 bits
    u32 texel[4];       ///< R, G, B, A
  } constexpr kRows[] = {
      // R: 255 and 0. G: 4 and 0. B: 8 and 16.
      {0xf821, 0x0002, {0xff0408ff, 0x000010ff, 0xaa030bff, 0x55010dff}},
      // The first endpoint is not larger: the mean and transparent black.
      {0x0002, 0xf821, {0x000010ff, 0xff0408ff, 0x80020cff, 0x00000000}},
      {0x0802, 0x0802, {0x080010ff, 0x080010ff, 0x080010ff, 0x00000000}},
  };
  for (const auto& row : kRows) {
    for (u32 x = 0; x < 4; ++x) {
      const Texel texel = decode(Format::bc1, row.first | row.second << 16 | kIndices, 0, x, 0);
      for (u32 c = 0; c < 4; ++c)
        EXPECT_EQ(texel.channel[c], row.texel[x] >> (24 - 8 * c) & 255) << x << ' ' << c;
    }
  }
  // BC2 and BC3 have no black.
  for (const Format format : {Format::bc2, Format::bc3})
    EXPECT_EQ(decode(format, 0, 0x0002 | 0xf821u << 16 | kIndices, 3, 0).channel[0], 170);
}

/// Texels 0 to 7 have indices 0 to 7.
TEST(TextureBlocks, CodesOfOneChannelAreExact) {
  constexpr u64 kIndices = u64{0b111'110'101'100'011'010'001'000} << 16;
  struct {
    Format format;
    u64 first, second;
    f32 code[8];
  } constexpr kRows[] = {
      {Format::bc4_unsigned,
       255,
       1,
       {255, 1, 1531 / 7.f, 1277 / 7.f, 1023 / 7.f, 769 / 7.f, 515 / 7.f, 261 / 7.f}},
      {Format::bc4_unsigned, 1, 255, {1, 255, 259 / 5.f, 513 / 5.f, 767 / 5.f, 1021 / 5.f, 0, 255}},
      {Format::bc4_unsigned, 9, 9, {9, 9, 9, 9, 9, 9, 0, 255}},
      {Format::bc4_signed,
       0x7f,
       0xff,
       {127, -1, 761 / 7.f, 633 / 7.f, 505 / 7.f, 377 / 7.f, 249 / 7.f, 121 / 7.f}},
      {Format::bc4_signed,
       0x80,
       0x00,
       {-127, 0, -508 / 5.f, -381 / 5.f, -254 / 5.f, -127 / 5.f, -127, 127}},
      // -127 is larger than -128, and both are -127.
      {Format::bc4_signed, 0x81, 0x80, {-127, -127, -127, -127, -127, -127, -127, -127}},
      {Format::bc4_signed, 0x80, 0x81, {-127, -127, -127, -127, -127, -127, -127, 127}},
  };
  for (const auto& row : kRows) {
    const u64 block = row.first | row.second << 8 | kIndices;
    const Format two = row.format == Format::bc4_signed ? Format::bc5_signed : Format::bc5_unsigned;
    for (u32 i = 0; i < 8; ++i) {
      const Texel one = decode(row.format, block, 0, i % 4, i / 4);
      EXPECT_EQ(one.channel[0], row.code[i]) << &row - kRows << ' ' << i;
      EXPECT_EQ(one.channel[1], -1000);
      const Texel second = decode(two, 0, block, i % 4, i / 4);
      EXPECT_EQ(second.channel[0], 0);
      EXPECT_EQ(second.channel[1], row.code[i]) << &row - kRows << ' ' << i;
      EXPECT_EQ(second.channel[2], -1000);
    }
  }
}

TEST(TextureBlocks, ReservedModesAreZero) {
  for (const u64 number : {0x13u, 0x17u, 0x1bu, 0x1fu}) {
    const Texel texel = decode(Format::bc6h_unsigned, ~u64{31} | number, ~u64{0}, 1, 1);
    for (u32 c = 0; c < 3; ++c) EXPECT_EQ(texel.channel[c], 0) << number;
    EXPECT_EQ(texel.channel[3], -1000);
  }
  const Texel texel = decode(Format::bc7, ~u64{255}, ~u64{0}, 1, 1);
  for (const f32 code : texel.channel) EXPECT_EQ(code, 0);
}

TEST(TextureBlocks, AllBytesAreBlocks) {
  std::mt19937_64 random(4);
  for (u32 round = 0; round < 40'000; ++round) {
    const u64 low = random(), high = random();
    for (Format format = Format::bc1; format <= Format::bc7;
         format = static_cast<Format>(static_cast<u32>(format) + 1)) {
      const f32 most =
          format == Format::bc6h_unsigned || format == Format::bc6h_signed ? 65504 : 255;
      const Texel texel = decode(format, low, high, round % 4, round / 4 % 4);
      for (const f32 code : texel.channel) {
        if (code != Texel().channel[0])
          ASSERT_LE(std::abs(code), most) << std::hex << low << ' ' << high;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::sem
