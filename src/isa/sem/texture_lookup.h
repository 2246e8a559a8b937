// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lookup of a warp in one texture (PTX ISA 9.7.10.3, 9.7.10.4; docs/textures.md): coordinates to
// texels, texels to a weighted mean.
#pragma once

#include "isa/sem/texture_cube.h"
#include "isa/sem/texture_format.h"

namespace heddle::sem {

/// What an instruction asks for.
struct Lookup {
  enum class Detail : u8 { base, level, gradient };

  u32 dimensions = 1;  ///< of the coordinates: 3 of a cube
  bool cube = false, layered = false;
  bool whole = false;  ///< coordinates are s32: texels
  Detail detail = Detail::base;
  // Rows of f32, s32 or u32 values by lane.
  const u32* coordinate[3] = {};
  const u32* layer = nullptr;      ///< if layered
  const s32* offset[3] = {};       ///< null: none
  const u32* reference = nullptr;  ///< the depth to compare with, or null
  const u32* level = nullptr;      ///< f32, or s32 where coordinates are whole
  const u32 *dx[3] = {}, *dy[3] = {};
};

/// A filter's mean of codes as what a lookup returns.
template <class V>
HEDDLE_INLINE V value_of_mean(const Reading& reading, u32 channel, V mean) {
  using T = std::remove_cvref_t<decltype(mean[0])>;
  if (reading.rounds_to_code) mean = floor_of(mean + static_cast<T>(0.5));
  if (const u32 greatest = reading.greatest[channel]) mean = mean / static_cast<T>(greatest);
  return mean;
}

/// A mean of texels with any weights. A texel without weight counts as 0, even if it is infinite.
class WeightedSum {
 public:
  void add(u32 channels, const Codes& codes, f64x32 weight) {
    for (u32 c = 0; c < channels; ++c) {
      const f64x32 part = weight * convert<f64x32>(as<f32x32>(codes[c]));
      sum_[c] += weight == 0 ? f64x32{} : part;
    }
  }
  /// What a lookup returns.
  void values(const Reading& reading, Codes& out) const {
    for (u32 c = 0; c < reading.channels; ++c)
      out[c] = as<u32x32>(convert<f32x32>(value_of_mean(reading, c, sum_[c])));
    fill_channels(reading, out);
  }

 private:
  f64x32 sum_[kChannels] = {};
};

template <class Format, u32 kDimensions>
class TextureLookup {
 public:
  TextureLookup(const isa::Texture& texture, const isa::Sampler& sampler, const Lookup& lookup,
                u32 lanes)
      : texture_(texture),
        sampler_(sampler),
        lookup_(lookup),
        lanes_(lanes),
        reading_(Format::reading(texture)),
        linear_(sampler.filter == isa::TextureFilter::linear && !lookup.whole),
        normalized_(sampler.normalized && !lookup.whole),
        sliced_(lookup.layered || lookup.cube) {
    for (u32 i = 0; i < lookup.dimensions; ++i) coordinate_[i] = row(lookup.coordinate[i]);
    if (lookup.detail == Lookup::Detail::gradient) {
      for (u32 i = 0; i < lookup.dimensions; ++i)
        gradient_.dx[i] = row(lookup.dx[i]), gradient_.dy[i] = row(lookup.dy[i]);
    }
    if (sliced_) find_slices();
  }

  /// tex: four channels of each lane.
  void sample(Codes& out) {
    if (lookup_.detail != Lookup::Detail::base && texture_.levels > 1) return sample_levels(out);
    const isa::TextureLevel& level = texture_.level[0];
    if (!linear_ && !lookup_.reference) return nearest(level, out);
    if (linear_ && !crosses_edges() && blend(level, out)) return;
    WeightedSum sum;
    add_level(level, f64x32{} + 1, sum);
    sum.values(result(), out);
  }

  /// tld4: one channel of the four texels that a linear filter would mix, counter-clockwise from
  /// the lower left one. Beyond a corner of a cube's face, the face's own texel at the corner
  /// stands for the one that does not exist.
  void gather(u32 channel, Codes& out) {
    linear_ = true;
    const isa::TextureLevel& level = texture_.level[0];
    Axes axes;
    find_axes(level, axes);
    CrossingTexels crossing;
    if (crosses_edges()) crossing = cross_edges(level, axes);
    constexpr u32 kCorner[sem::kChannels] = {2, 3, 1, 0};  // x in bit 0, y in bit 1
    for (u32 i = 0; i < sem::kChannels; ++i) {
      Codes codes;
      if (crosses_edges())
        read_crossing(level, crossing, kCorner[i], codes);
      else
        read_corner(level, axes, kCorner[i], codes);
      values_of_codes(result(), codes);
      out[i] = codes[channel];
    }
  }

 private:
  static constexpr u32 kCorners = 1u << kDimensions;

  static u32x32 row(const u32* lanes) { return load<u32x32>(lanes); }
  /// A constant where the format is known.
  u32 channels() const { return Format::kPlain ? Format::kChannels : reading_.channels; }
  const Reading& result() const { return lookup_.reference ? kCompared : reading_; }
  u32 result_channels() const { return lookup_.reference ? 1 : channels(); }

  void find_slices() {
    const u32 last = texture_.layers - 1;
    if (lookup_.layered) {
      const u32 most = lookup_.cube ? last / kFaces : last;
      slice_ = min(row(lookup_.layer), u32x32{} + most) * (lookup_.cube ? kFaces : 1);
    }
    if (!lookup_.cube) return;
    const bool derives = lookup_.detail == Lookup::Detail::gradient;
    const CubeCoordinates faces = project(coordinate_, derives ? &gradient_ : nullptr);
    slice_ = min(slice_ + faces.face, u32x32{} + last);
    coordinate_[0] = faces.u, coordinate_[1] = faces.v;
    for (u32 i = 0; i < 2; ++i) gradient_.dx[i] = faces.dx[i], gradient_.dy[i] = faces.dy[i];
    normalized_ = true;
    seamless_ = sampler_.seamless;
  }

  static s32 size_of(const isa::TextureLevel& level, u32 dimension) {
    return static_cast<s32>(dimension == 0   ? level.width
                            : dimension == 1 ? level.height
                                             : level.depth);
  }
  bool crosses_edges() const { return kDimensions == 2 && seamless_ && linear_; }

  /// Where the texels of a lookup in one level lie.
  struct Axes {
    Axis of[kDimensions];
    bool border = false;  ///< some may be outside
  };

  HEDDLE_INLINE void find_axes(const isa::TextureLevel& level, Axes& axes) const {
    for (u32 i = 0; i < kDimensions; ++i) {
      const Coordinate coordinate{coordinate_[i], lookup_.whole, normalized_};
      const s32* offset = lookup_.offset[i];
      if (crosses_edges()) {
        find_texels(AddressMode::clamp_ogl, coordinate, size_of(level, i), true, nullptr,
                    axes.of[i]);
        continue;
      }
      place(sampler_.address[i], coordinate, size_of(level, i), linear_, offset, axes.of[i]);
      axes.border |= has_border(sampler_.address[i]);
    }
  }

  // --- texels ---

  HEDDLE_INLINE u32x32 offset_of(const isa::TextureLevel& level, const Axes& axes,
                                 u32 corner) const {
    const auto texel = [&](u32 i) { return as<u32x32>(axes.of[i].texel[corner >> i & 1]); };
    const u32 slice = static_cast<u32>(level.slice);
    u32x32 offset = texel(0) * Format::kBytes;
    if constexpr (kDimensions > 1) offset += texel(1) * static_cast<u32>(level.pitch);
    if constexpr (kDimensions > 2) offset += texel(2) * slice;
    if (kDimensions < 3 && sliced_) offset += slice_ * slice;
    return offset;
  }

  /// The same for any format and size.
  void find_places(const isa::TextureLevel& level, u32x32 x, u32x32 y, u32x32 slice,
                   Places& places) const {
    const u64 bytes = bytes_of(texture_.format, texture_.channels);
    const u32 side = isa::is_block_format(texture_.format) ? 4 : 1;
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      places.offset[lane] =
          x[lane] / side * bytes + y[lane] / side * level.pitch + slice[lane] * level.slice;
      places.in_block[lane] = x[lane] % 4 + y[lane] % 4 * 4;
    }
  }

  /// The texels of a corner of the filter: bit i says which of the two of dimension i.
  HEDDLE_INLINE void read_corner(const isa::TextureLevel& level, const Axes& axes, u32 corner,
                                 Codes& codes) const {
    const u8* base = reinterpret_cast<const u8*>(level.base);
    if constexpr (Format::kPlain) {
      Format::read(base, offset_of(level, axes, corner), codes);
    } else {
      const auto texel = [&](u32 i) { return as<u32x32>(axes.of[i].texel[corner >> i & 1]); };
      Places places;
      find_places(level, texel(0), kDimensions > 1 ? texel(1) : u32x32{},
                  kDimensions > 2 ? texel(2) : slice_, places);
      read_codes(texture_, base, places, codes);
    }
    if (axes.border) {
      s32x32 outside{};
      for (u32 i = 0; i < kDimensions; ++i) outside |= axes.of[i].outside[corner >> i & 1];
      put_border(reading_, sampler_, outside, codes);
    }
    compare(codes);
  }
  void compare(Codes& codes) const {
    if (lookup_.reference) compare_depth(reading_, as<f32x32>(row(lookup_.reference)), codes);
  }

  HEDDLE_INLINE void nearest(const isa::TextureLevel& level, Codes& out) const {
    Axes axes;
    find_axes(level, axes);
    read_corner(level, axes, 0, out);
    values_of_codes(reading_, out);
  }

  /// A texel that a linear filter mixes. The weight is exact: a product of multiples of 1/256.
  struct Tap {
    Codes codes;
    f32x32 weight;
  };
  HEDDLE_INLINE void find_taps(const isa::TextureLevel& level, Tap (&taps)[kCorners]) const {
    Axes axes;
    find_axes(level, axes);
    f32x32 part[kDimensions][2];
    for (u32 i = 0; i < kDimensions; ++i) weigh(axes.of[i], part[i]);
    for (u32 corner = 0; corner < kCorners; ++corner) {
      read_corner(level, axes, corner, taps[corner].codes);
      taps[corner].weight = part[0][corner & 1];
      for (u32 i = 1; i < kDimensions; ++i) taps[corner].weight *= part[i][corner >> i & 1];
    }
  }

  /// The mean of a level's texels. False: a result is NaN, perhaps only because of a texel without
  /// weight.
  HEDDLE_INLINE bool blend(const isa::TextureLevel& level, Codes& out) const {
    Tap taps[kCorners];
    find_taps(level, taps);
    bool has_nan = false;
    for (u32 c = 0; c < result_channels(); ++c) {
      f32x32 mean{};
      if constexpr (Format::kSumsInF32 && kDimensions < 3) {
        for (const Tap& tap : taps) mean += tap.weight * as<f32x32>(tap.codes[c]);
        mean = value_of_mean(result(), c, mean);
      } else {
        blend_in_f64(taps, c, mean);
      }
      out[c] = as<u32x32>(mean);
      if (Format::kMayBeNan) has_nan |= any(mean != mean);
    }
    fill_channels(result(), out);
    return !has_nan;
  }
  /// A few lanes at a time, whose sums stay in registers.
  HEDDLE_INLINE void blend_in_f64(const Tap (&taps)[kCorners], u32 channel, f32x32& mean) const {
    constexpr u32 kFew = 8;
    using Few = f32 __attribute__((vector_size(kFew * sizeof(f32))));
    alignas(64) f32 means[kWarpSize];
    for (u32 lane = 0; lane < kWarpSize; lane += kFew) {
      const auto few = [&](const auto& all) {
        return convert<f64x8>(load<Few>(reinterpret_cast<const u8*>(&all) + lane * sizeof(f32)));
      };
      f64x8 sum{};
      for (const Tap& tap : taps) sum += few(tap.weight) * few(tap.codes[channel]);
      store(means + lane, convert<Few>(value_of_mean(result(), channel, sum)));
    }
    mean = load<f32x32>(means);
  }

  /// Adds the texel of a level, or those that the filter mixes, with these weights in all.
  void add_level(const isa::TextureLevel& level, f64x32 weight, WeightedSum& sum) const {
    if (crosses_edges()) return add_across_edges(level, weight, sum);
    if (!linear_) {
      Axes axes;
      find_axes(level, axes);
      Codes codes;
      read_corner(level, axes, 0, codes);
      return sum.add(result_channels(), codes, weight);
    }
    Tap taps[kCorners];
    find_taps(level, taps);
    for (const Tap& tap : taps)
      sum.add(result_channels(), tap.codes, weight * convert<f64x32>(tap.weight));
  }

  HEDDLE_INLINE static void weigh(const Axis& axis, f32x32 (&part)[2]) {
    part[1] = convert<f32x32>(axis.weight) * (1 / static_cast<f32>(kWeightOne));
    part[0] = 1 - part[1];
  }

  /// The four texels of a lookup that crosses the edges of a cube's faces.
  struct CrossingTexels {
    static constexpr u32 kCount = 4;
    u32x32 x[kCount], y[kCount], slice[kCount];
    u8 missing[kWarpSize];  ///< the one beyond a corner of the face, or kCount
  };

  /// A texel beyond an edge is one of the neighbouring face. The one beyond a corner does not
  /// exist.
  CrossingTexels cross_edges(const isa::TextureLevel& level, const Axes& axes) const {
    CrossingTexels texels;
    const Axis &along_x = axes.of[0], &along_y = axes.of[kDimensions - 1];
    const s32 size = static_cast<s32>(std::min(level.width, level.height));
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      texels.missing[lane] = CrossingTexels::kCount;
      for (u32 i = 0; i < CrossingTexels::kCount; ++i) {
        FaceTexel texel{slice_[lane] % kFaces, along_x.texel[i & 1][lane],
                        along_y.texel[i >> 1][lane]};
        const bool beyond_x = texel.x < 0 || texel.x >= size;
        const bool beyond_y = texel.y < 0 || texel.y >= size;
        if (beyond_x && beyond_y) texels.missing[lane] = static_cast<u8>(i);
        if (beyond_x != beyond_y) texel = across_edge(texel, size);
        texels.x[i][lane] = static_cast<u32>(std::clamp(texel.x, 0, size - 1));
        texels.y[i][lane] = static_cast<u32>(std::clamp(texel.y, 0, size - 1));
        texels.slice[i][lane] =
            std::min(slice_[lane] / kFaces * kFaces + texel.face, texture_.layers - 1);
      }
    }
    return texels;
  }
  void read_crossing(const isa::TextureLevel& level, const CrossingTexels& texels, u32 number,
                     Codes& codes) const {
    Places places;
    find_places(level, texels.x[number], texels.y[number], texels.slice[number], places);
    read_codes(texture_, reinterpret_cast<const u8*>(level.base), places, codes);
    compare(codes);
  }

  /// The texel that does not exist is the mean of the other three.
  void add_across_edges(const isa::TextureLevel& level, f64x32 weight, WeightedSum& sum) const {
    if constexpr (kDimensions == 2) {
      constexpr u32 kCount = CrossingTexels::kCount;
      Axes axes;
      find_axes(level, axes);
      const CrossingTexels texels = cross_edges(level, axes);
      f32x32 part[2][2];
      f64x32 whole[kCount];
      for (u32 i = 0; i < 2; ++i) weigh(axes.of[i], part[i]);
      for (u32 i = 0; i < kCount; ++i)
        whole[i] = weight * convert<f64x32>(part[0][i & 1] * part[1][i >> 1]);
      for (u32 lane = 0; lane < kWarpSize; ++lane) {
        const u32 missing = texels.missing[lane];
        if (missing == kCount) continue;
        const f64 share = whole[missing][lane] / (kCount - 1);
        for (f64x32& one : whole) one[lane] += share;
        whole[missing][lane] = 0;
      }
      for (u32 i = 0; i < kCount; ++i) {
        Codes codes;
        read_crossing(level, texels, i, codes);
        sum.add(result_channels(), codes, whole[i]);
      }
    }
  }

  // --- mipmaps ---

  void sample_levels(Codes& out) {
    const bool gradient = lookup_.detail == Lookup::Detail::gradient;
    Footprint footprint;
    if (gradient) {
      f64 scale[3];
      for (u32 i = 0; i < 3; ++i) scale[i] = normalized_ ? size_of(texture_.level[0], i) : 1;
      footprint = measure(gradient_, kDimensions, scale, linear_ ? sampler_.anisotropy : 1);
    } else {
      constexpr s32 kMost = isa::kMostTextureLevels;
      for (u32 lane = 0; lane < kWarpSize; ++lane) {
        const u32 level = lookup_.level[lane];
        footprint.detail[lane] =
            lookup_.whole ? std::clamp(static_cast<s32>(level), -kMost, kMost) * kDetailOne
                          : detail_of(as_f32(level));
      }
    }
    const Levels levels = choose_levels(texture_, sampler_, footprint.detail);
    if (!linear_ && !levels.two && !lookup_.reference) {
      return for_each_level(levels.level[0], [&](const isa::TextureLevel& level, s32x32 same) {
        Codes codes;
        nearest(level, codes);
        for (u32 c = 0; c < sem::kChannels; ++c) out[c] = same ? codes[c] : out[c];
      });
    }
    WeightedSum sum;
    if (footprint.most_samples > 1)
      add_samples(footprint, levels, sum);
    else
      add_levels(levels, f64x32{} + 1, sum);
    sum.values(result(), out);
  }

  void add_levels(const Levels& levels, f64x32 weight, WeightedSum& sum) {
    for (u32 which = 0; which <= u32{levels.two}; ++which) {
      const s32x32 second = levels.two ? levels.weight : s32x32{};
      const f64x32 part =
          weight * convert<f64x32>(which ? second : kDetailOne - second) / kDetailOne;
      for_each_level(levels.level[which], [&](const isa::TextureLevel& level, s32x32 same) {
        add_level(level, part * convert<f64x32>(same & 1), sum);
      });
    }
  }

  /// Several samples along the direction in which the coordinates change most (anisotropy).
  void add_samples(const Footprint& footprint, const Levels& levels, WeightedSum& sum) {
    u32x32 middle[kDimensions];
    for (u32 i = 0; i < kDimensions; ++i) middle[i] = coordinate_[i];
    for (u32 sample = 0; sample < footprint.most_samples; ++sample) {
      f64x32 weight{};
      for (u32 lane = 0; lane < kWarpSize; ++lane) {
        const u32 count = footprint.samples[lane];
        if (sample < count) weight[lane] = 1.0 / count;
        const f64 step = (sample + 0.5) / count - 0.5;
        const auto& along = footprint.along_y[lane] ? gradient_.dy : gradient_.dx;
        for (u32 i = 0; i < kDimensions; ++i)
          coordinate_[i][lane] = bits_of(
              static_cast<f32>(f64{as_f32(middle[i][lane])} + step * f64{as_f32(along[i][lane])}));
      }
      add_levels(levels, weight, sum);
    }
  }

  /// f(level, which lanes) for each level that active lanes need.
  template <class F>
  void for_each_level(s32x32 level, F f) const {
    u32 rest = lanes_;
    while (rest) {
      const s32 number = level[static_cast<u32>(std::countr_zero(rest))];
      const s32x32 same = level == number;
      f(texture_.level[static_cast<u32>(number)], same);
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        if (same[lane]) rest &= ~(1u << lane);
    }
  }

  const isa::Texture& texture_;
  const isa::Sampler& sampler_;
  const Lookup& lookup_;
  const u32 lanes_;
  const Reading reading_;
  bool linear_, normalized_, seamless_ = false;
  const bool sliced_;
  u32x32 coordinate_[3];
  Gradient gradient_;
  u32x32 slice_{};
};

/// Calls f(lookup) with the lookup of the texture's format and dimensions.
template <class F>
inline void with_lookup(const isa::Texture& texture, const isa::Sampler& sampler,
                        const Lookup& lookup, u32 lanes, F f) {
  with_format(texture, [&]<class Format>(Format) {
    const u32 dimensions = lookup.cube ? 2 : lookup.dimensions;
    if (dimensions == 1) return f(TextureLookup<Format, 1>(texture, sampler, lookup, lanes));
    if (dimensions == 2) return f(TextureLookup<Format, 2>(texture, sampler, lookup, lanes));
    f(TextureLookup<Format, 3>(texture, sampler, lookup, lanes));
  });
}

/// tex: four channels of each lane.
inline void sample(const isa::Texture& texture, const isa::Sampler& sampler, const Lookup& lookup,
                   u32 lanes, Codes& values) {
  with_lookup(texture, sampler, lookup, lanes, [&](auto look) { look.sample(values); });
}
/// tld4: one channel of four texels.
inline void gather(const isa::Texture& texture, const isa::Sampler& sampler, const Lookup& lookup,
                   u32 lanes, u32 channel, Codes& values) {
  with_lookup(texture, sampler, lookup, lanes, [&](auto look) { look.gather(channel, values); });
}

}  // namespace heddle::sem
