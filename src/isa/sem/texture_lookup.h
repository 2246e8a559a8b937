// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lookup of all lanes in one texture (PTX ISA 9.7.10.3, 9.7.10.4; docs/textures.md): coordinates
// to texels, texels to a weighted mean.
#pragma once

#include "isa/sem/texture_cube.h"
#include "isa/sem/texture_texels.h"

namespace heddle::sem {

/// What an instruction asks for. Rows are 32 lanes of f32 or integers.
struct Lookup {
  enum class Detail : u8 { base, level, gradient };

  u32 dimensions = 1;  ///< 3 also for cubes
  bool cube = false;
  bool layered = false;
  bool whole = false;  ///< coordinates are s32: texels
  const u32* coordinate[3] = {};
  const u32* layer = nullptr;      ///< u32, if layered
  const s32* offset[3] = {};       ///< null: none
  const u32* reference = nullptr;  ///< the depth to compare with, or null
  Detail detail = Detail::base;
  const u32* level = nullptr;  ///< f32, or s32 where coordinates are whole
  Gradient gradient;
};

class TextureLookup {
 public:
  TextureLookup(const isa::Texture& texture, const isa::Sampler& sampler, const Lookup& lookup,
                u32 lanes)
      : texture_(texture),
        sampler_(sampler),
        lookup_(lookup),
        lanes_(lanes),
        reading_(texture),
        linear_(sampler.filter == isa::TextureFilter::linear && !lookup.whole) {
    normalized_ = sampler.normalized && !lookup.whole;
    for (u32& one : slice_) one = 0;
    if (lookup.layered) {
      const u32 last =
          lookup.cube ? (texture.layers + kFaces - 1) / kFaces - 1 : texture.layers - 1;
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        slice_[lane] = std::min(lookup.layer[lane], last) * (lookup.cube ? kFaces : 1);
    }
    if (lookup.cube) use_faces();
  }

  /// tex: four channels of each lane.
  void sample(Texels& out) {
    if (lookup_.detail == Lookup::Detail::base || texture_.levels == 1) {
      if (!linear_ && !lookup_.reference) return nearest(texture_.level[0], lanes_, out);
      WeightedSum sum;
      add_level(texture_.level[0], full_weight(), sum);
      return sum.values(result_reading(), out);
    }
    sample_levels(out);
  }

  /// tld4: one channel of the four texels that a linear filter would mix, counter-clockwise from
  /// the lower left one.
  void gather(u32 channel, Texels& out) {
    linear_ = true;
    const isa::TextureLevel& level = texture_.level[0];
    find_axes(level);
    constexpr u32 kCorner[kChannels] = {2, 3, 1, 0};  // x in bit 0, y in bit 1
    for (u32 i = 0; i < kChannels; ++i) {
      Places places;
      find_corner(level, kCorner[i], places);
      Texels texels;
      read(level, places, texels);
      values_of_codes(result_reading(), texels);
      std::memcpy(out.code[i], texels.code[channel], sizeof out.code[i]);
    }
  }

 private:
  struct Weights {
    alignas(64) f64 of[kWarpSize];
  };
  static Weights full_weight() {
    Weights weights;
    for (f64& one : weights.of) one = 1;
    return weights;
  }

  Reading result_reading() const {
    return lookup_.reference ? Reading::comparison(reading_) : reading_;
  }

  void use_faces() {
    const bool derives = lookup_.detail == Lookup::Detail::gradient;
    project(lookup_.coordinate, derives ? &lookup_.gradient : nullptr, faces_);
    for (u32 lane = 0; lane < kWarpSize; ++lane)
      slice_[lane] = std::min(slice_[lane] + faces_.face[lane], texture_.layers - 1);
    lookup_.dimensions = 2;
    lookup_.coordinate[0] = faces_.u, lookup_.coordinate[1] = faces_.v;
    for (u32 i = 0; i < 2; ++i)
      lookup_.gradient.dx[i] = faces_.dx[i], lookup_.gradient.dy[i] = faces_.dy[i];
    normalized_ = true;
    seamless_ = sampler_.seamless;
  }

  s32 size_of(const isa::TextureLevel& level, u32 dimension) const {
    return static_cast<s32>(dimension == 0   ? level.width
                            : dimension == 1 ? level.height
                                             : level.depth);
  }

  void find_axes(const isa::TextureLevel& level) {
    for (u32 i = 0; i < lookup_.dimensions; ++i) {
      const Coordinate coordinate{lookup_.coordinate[i], lookup_.whole, normalized_};
      if (seamless_ && linear_)
        find_texels(AddressMode::clamp_ogl, coordinate, size_of(level, i), true, nullptr, axes_[i]);
      else
        place(sampler_.address[i], coordinate, size_of(level, i), linear_, lookup_.offset[i],
              axes_[i]);
    }
  }

  /// Corner: bit i says which of the two texels of dimension i.
  void find_corner(const isa::TextureLevel& level, u32 corner, Places& places) const {
    const u32 bytes = bytes_of(texture_.format, texture_.channels);
    const bool blocks = isa::is_block_format(texture_.format);
    const auto texel = [&](u32 i) -> const s32(&)[kWarpSize] {
      return axes_[i].texel[corner >> i & 1];
    };
    places.outside = 0;
    for (u32 i = 0; i < lookup_.dimensions; ++i)
      places.outside |= axes_[i].outside[corner >> i & 1];
    places.outside &= lanes_;
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      const u64 x = static_cast<u32>(texel(0)[lane]);
      places.offset[lane] = (blocks ? x / 4 : x) * bytes;
      places.in_block[lane] = x % 4;
    }
    if (lookup_.dimensions > 1) {
      const u32 pitch = static_cast<u32>(level.pitch);
      for (u32 lane = 0; lane < kWarpSize; ++lane) {
        const u64 y = static_cast<u32>(texel(1)[lane]);
        places.offset[lane] += (blocks ? y / 4 : y) * pitch;
        places.in_block[lane] += y % 4 * 4;
      }
    }
    if (lookup_.dimensions > 2) {
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        places.offset[lane] += static_cast<u32>(texel(2)[lane]) * level.slice;
    } else if (lookup_.layered || lookup_.cube) {
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        places.offset[lane] += slice_[lane] * level.slice;
    }
  }

  void read(const isa::TextureLevel& level, const Places& places, Texels& texels) const {
    read_texels(texture_, sampler_, level, places, lanes_, texels);
    if (lookup_.reference) compare_depth(reading_, lookup_.reference, texels);
  }

  /// The lanes' texels in one level without a filter.
  void nearest(const isa::TextureLevel& level, u32 lanes, Texels& out) {
    find_axes(level);
    Places places;
    find_corner(level, 0, places);
    if (lanes == lanes_) {
      read(level, places, out);
      return values_of_codes(result_reading(), out);
    }
    Texels texels;
    read(level, places, texels);
    values_of_codes(result_reading(), texels);
    for (u32 c = 0; c < kChannels; ++c)
      for_each_lane(lanes, [&](u32 lane) { out.code[c][lane] = texels.code[c][lane]; });
  }

  /// Adds the texel of a level, or those that the filter mixes, with these weights in all.
  void add_level(const isa::TextureLevel& level, const Weights& weights, WeightedSum& sum) {
    find_axes(level);
    const u32 corners = linear_ ? 1u << lookup_.dimensions : 1;
    if (seamless_ && linear_) return add_across_edges(level, weights, sum);
    for (u32 corner = 0; corner < corners; ++corner) {
      Places places;
      find_corner(level, corner, places);
      Texels texels;
      read(level, places, texels);
      Weights part = weights;
      for (u32 i = 0; linear_ && i < lookup_.dimensions; ++i)
        weigh(axes_[i], corner >> i & 1, part);
      sum.add(result_reading().channels, texels, part.of);
    }
  }

  static void weigh(const Axis& axis, bool second, Weights& weights) {
    constexpr f64 kUnit = 1.0 / kWeightOne;
    for (u32 lane = 0; lane < kWarpSize; ++lane)
      weights.of[lane] *= (second ? axis.weight[lane] : kWeightOne - axis.weight[lane]) * kUnit;
  }

  /// A texel beyond an edge is one of the neighbouring face. The one beyond a corner does not
  /// exist: it is the mean of the other three.
  void add_across_edges(const isa::TextureLevel& level, const Weights& weights, WeightedSum& sum) {
    constexpr u32 kCorners = 4;
    const s32 size = static_cast<s32>(level.width);
    Weights parts[kCorners];
    Places places[kCorners];
    for (u32 corner = 0; corner < kCorners; ++corner) {
      parts[corner] = weights;
      for (u32 i = 0; i < 2; ++i) weigh(axes_[i], corner >> i & 1, parts[corner]);
    }
    const u32 bytes = bytes_of(texture_.format, texture_.channels);
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      u32 missing = kCorners;
      for (u32 corner = 0; corner < kCorners; ++corner) {
        FaceTexel texel{faces_.face[lane], axes_[0].texel[corner & 1][lane],
                        axes_[1].texel[corner >> 1][lane]};
        const bool beyond_x = texel.x < 0 || texel.x >= size,
                   beyond_y = texel.y < 0 || texel.y >= size;
        if (beyond_x && beyond_y) missing = corner;
        if (beyond_x != beyond_y) texel = across_edge(texel, size);
        const u64 x = static_cast<u64>(std::clamp(texel.x, 0, size - 1));
        const u64 y = static_cast<u64>(std::clamp(texel.y, 0, size - 1));
        const bool blocks = isa::is_block_format(texture_.format);
        const u32 slice =
            std::min(slice_[lane] / kFaces * kFaces + texel.face, texture_.layers - 1);
        places[corner].offset[lane] =
            (blocks ? x / 4 : x) * bytes + (blocks ? y / 4 : y) * level.pitch + slice * level.slice;
        places[corner].in_block[lane] = static_cast<u32>(x % 4 + y % 4 * 4);
      }
      if (missing == kCorners) continue;
      const f64 share = parts[missing].of[lane] / (kCorners - 1);
      for (Weights& part : parts) part.of[lane] += share;
      parts[missing].of[lane] = 0;
    }
    for (u32 corner = 0; corner < kCorners; ++corner) {
      Texels texels;
      read(level, places[corner], texels);
      sum.add(result_reading().channels, texels, parts[corner].of);
    }
  }

  // --- mipmaps ---

  void sample_levels(Texels& out) {
    const bool gradient = lookup_.detail == Lookup::Detail::gradient;
    Footprint footprint;
    if (gradient) {
      f64 scale[3];
      for (u32 i = 0; i < 3; ++i) scale[i] = normalized_ ? size_of(texture_.level[0], i) : 1;
      footprint =
          measure(lookup_.gradient, lookup_.dimensions, scale, linear_ ? sampler_.anisotropy : 1);
    } else {
      for (u32 lane = 0; lane < kWarpSize; ++lane) {
        const u32 level = lookup_.level[lane];
        constexpr s32 kMost = isa::kMostTextureLevels;
        footprint.detail[lane] =
            lookup_.whole ? std::clamp(static_cast<s32>(level), -kMost, kMost) * kDetailOne
                          : detail_of(as_f32(level));
      }
    }
    const Levels levels = choose_levels(texture_, sampler_, footprint.detail);
    if (!linear_ && !levels.two && !lookup_.reference) {
      return for_each_level(levels, 0, [&](const isa::TextureLevel& level, u32 lanes) {
        nearest(level, lanes, out);
      });
    }
    WeightedSum sum;
    if (footprint.most_samples > 1)
      add_samples(footprint, levels, sum);
    else
      add_levels(levels, full_weight(), sum);
    sum.values(result_reading(), out);
  }

  void add_levels(const Levels& levels, const Weights& weights, WeightedSum& sum) {
    for (u32 which = 0; which <= u32{levels.two}; ++which) {
      for_each_level(levels, which, [&](const isa::TextureLevel& level, u32 lanes) {
        Weights part{};
        for_each_lane(lanes, [&](u32 lane) {
          const s32 second = levels.weight[lane];
          part.of[lane] = weights.of[lane] * (which ? second : kDetailOne - second) / kDetailOne;
        });
        add_level(level, part, sum);
      });
    }
  }

  /// Several samples along the direction in which the coordinates change most (anisotropy).
  void add_samples(const Footprint& footprint, const Levels& levels, WeightedSum& sum) {
    alignas(64) u32 moved[3][kWarpSize];
    const u32* const middle[3] = {lookup_.coordinate[0], lookup_.coordinate[1],
                                  lookup_.coordinate[2]};
    for (u32 i = 0; i < lookup_.dimensions; ++i) lookup_.coordinate[i] = moved[i];
    for (u32 sample = 0; sample < footprint.most_samples; ++sample) {
      Weights weights{};
      for (u32 lane = 0; lane < kWarpSize; ++lane) {
        const u32 count = footprint.samples[lane];
        if (sample < count) weights.of[lane] = 1.0 / count;
        const f64 step = (sample + 0.5) / count - 0.5;
        const auto& along = footprint.along_y[lane] ? lookup_.gradient.dy : lookup_.gradient.dx;
        for (u32 i = 0; i < lookup_.dimensions; ++i)
          moved[i][lane] = bits_of(
              static_cast<f32>(f64{as_f32(middle[i][lane])} + step * f64{as_f32(along[i][lane])}));
      }
      add_levels(levels, weights, sum);
    }
  }

  /// f(level, lanes) for each level that lanes need.
  template <class F>
  void for_each_level(const Levels& levels, u32 which, F f) const {
    u32 rest = lanes_;
    while (rest) {
      const u8 level = levels.level[which][std::countr_zero(rest)];
      u32 same = 0;
      for_each_lane(
          rest, [&](u32 lane) { same |= (levels.level[which][lane] == level ? 1u : 0u) << lane; });
      f(texture_.level[level], same);
      rest &= ~same;
    }
  }

  const isa::Texture& texture_;
  const isa::Sampler& sampler_;
  Lookup lookup_;
  u32 lanes_;
  Reading reading_;
  bool linear_, normalized_ = false, seamless_ = false;
  alignas(64) u32 slice_[kWarpSize];
  CubeCoordinates faces_;
  Axis axes_[3];
};

}  // namespace heddle::sem
