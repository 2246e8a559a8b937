// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading of texels by vectors. A texture of one of the usual formats, and below 2 GiB, has code of
// its own (PlainFormat); all others share AnyFormat.
#pragma once

#include "isa/sem/texture_texels.h"

namespace heddle::sem {

/// Channels of kCount numbers one behind the other. `kNormalized`: they are integers of 8 bits,
/// which are read as f32.
template <class Stored, u32 kCount, bool kNormalized>
struct PlainFormat {
  static constexpr bool kPlain = true;
  static constexpr u32 kChannels = kCount, kBytes = kCount * sizeof(Stored);
  static Reading reading(const isa::Texture& texture) {
    if constexpr (kNormalized) return {TexelFormat::u8, TexelReading::normalized, kCount};
    return {texture.format == TexelFormat::f32 ? TexelFormat::f32 : TexelFormat::u32,
            TexelReading::bits, kCount};
  }
  /// All codes times weights of a linear filter in two dimensions have 24 bits.
  static constexpr bool kSumsInF32 = kNormalized && sizeof(Stored) == 1;
  static constexpr bool kMayBeNan = !kNormalized;

  HEDDLE_INLINE static void read(const u8* base, u32x32 offset, Codes& codes) {
    if constexpr (kBytes > sizeof(u32)) {
      read_wide(base, offset, codes);
    } else {
      const u32x32 words = read_words(base, offset);
      for (u32 c = 0; c < kCount; ++c) {
        const u32x32 code = kBytes == sizeof(Stored) ? words : words >> c * 8 & 0xff;
        codes[c] = kNormalized ? as<u32x32>(convert<f32x32>(as<s32x32>(code))) : code;
      }
    }
  }

 private:
  using Word = std::conditional_t<kBytes == 1, u8, u32>;

  /// Lanes often read neighbouring texels.
  HEDDLE_INLINE static u32x32 read_words(const u8* base, u32x32 offset) {
    if constexpr (sizeof(Word) == sizeof(u32)) {
      constexpr u32x32 kSteps = {0,  4,  8,  12,  16,  20,  24,  28,  32,  36, 40,
                                 44, 48, 52, 56,  60,  64,  68,  72,  76,  80, 84,
                                 88, 92, 96, 100, 104, 108, 112, 116, 120, 124};
      if (!any(offset - kSteps != u32x32{} + offset[0])) return load<u32x32>(base + offset[0]);
    }
    alignas(64) u32 at[kWarpSize];
    store(at, offset);
    u32x16 halves[2];  // a compiler inserts elements one by one only into vectors of the processor
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      Word word;
      std::memcpy(&word, base + at[lane], sizeof word);
      halves[lane / kVectorLanes][lane % kVectorLanes] = word;
    }
    return load<u32x32>(halves);
  }

  /// Four channels of 32 bits: rows of four texels become columns.
  HEDDLE_INLINE static void read_wide(const u8* base, u32x32 offset, Codes& codes) {
    static_assert(kBytes == 4 * sizeof(u32));
    using Row = u32 __attribute__((vector_size(16)));
    alignas(64) u32 columns[kCount][kWarpSize], at[kWarpSize];
    store(at, offset);
    for (u32 lane = 0; lane < kWarpSize; lane += 4) {
      const Row a = load<Row>(base + at[lane]), b = load<Row>(base + at[lane + 1]);
      const Row c = load<Row>(base + at[lane + 2]), d = load<Row>(base + at[lane + 3]);
      const Row ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
      const Row ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const Row cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const Row cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      store(columns[0] + lane, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
      store(columns[1] + lane, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
      store(columns[2] + lane, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
      store(columns[3] + lane, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
    }
    for (u32 i = 0; i < kCount; ++i) codes[i] = load<u32x32>(columns[i]);
  }
};

struct AnyFormat {
  static constexpr bool kPlain = false, kSumsInF32 = false, kMayBeNan = true;
  static constexpr u32 kChannels = sem::kChannels;  ///< at most
  static Reading reading(const isa::Texture& texture) {
    return {texture.format, texture.reading, texture.channels};
  }
};

/// Calls f(format) with the value that stands for the texture's format.
template <class F>
inline void with_format(const isa::Texture& texture, F f) {
  constexpr u64 kMost = u64{1} << 31;
  const isa::TextureLevel& level = texture.level[0];
  if (level.slice * std::max(level.depth, texture.layers) >= kMost) return f(AnyFormat{});
  const bool bits = texture.reading == TexelReading::bits;
  const bool normalized = texture.reading == TexelReading::normalized;
  const bool words = texture.format == TexelFormat::f32 || texture.format == TexelFormat::u32 ||
                     texture.format == TexelFormat::s32;
  if (bits && words && texture.channels == 1) return f(PlainFormat<u32, 1, false>{});
  if (bits && words && texture.channels == 4) return f(PlainFormat<u32, 4, false>{});
  if (normalized && texture.format == TexelFormat::u8 && texture.channels == 1)
    return f(PlainFormat<u8, 1, true>{});
  if (normalized && texture.format == TexelFormat::u8 && texture.channels == 4)
    return f(PlainFormat<u8, 4, true>{});
  f(AnyFormat{});
}

}  // namespace heddle::sem
