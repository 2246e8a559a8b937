// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/memory/element_format.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace heddle::driver {
namespace {

using Texel = isa::TexelFormat;

struct Row {
  CUarray_format format;
  ElementFormat element;
};

// Formats whose number of channels the program chooses. `bytes` is that of a channel.
constexpr Row kPlain[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, {Texel::u8, 1, 1}},
    {CU_AD_FORMAT_SIGNED_INT8, {Texel::s8, 1, 1}},
    {CU_AD_FORMAT_UNSIGNED_INT16, {Texel::u16, 1, 2}},
    {CU_AD_FORMAT_SIGNED_INT16, {Texel::s16, 1, 2}},
    {CU_AD_FORMAT_UNSIGNED_INT32, {Texel::u32, 1, 4}},
    {CU_AD_FORMAT_SIGNED_INT32, {Texel::s32, 1, 4}},
    {CU_AD_FORMAT_HALF, {Texel::f16, 1, 2}},
    {CU_AD_FORMAT_FLOAT, {Texel::f32, 1, 4}},
};

// Formats that have their number of channels in the name.
constexpr Row kFixed[] = {
    {CU_AD_FORMAT_UNORM_INT8X1, {Texel::u8, 1, 1, true}},
    {CU_AD_FORMAT_UNORM_INT8X2, {Texel::u8, 2, 2, true}},
    {CU_AD_FORMAT_UNORM_INT8X4, {Texel::u8, 4, 4, true}},
    {CU_AD_FORMAT_UNORM_INT16X1, {Texel::u16, 1, 2, true}},
    {CU_AD_FORMAT_UNORM_INT16X2, {Texel::u16, 2, 4, true}},
    {CU_AD_FORMAT_UNORM_INT16X4, {Texel::u16, 4, 8, true}},
    {CU_AD_FORMAT_SNORM_INT8X1, {Texel::s8, 1, 1, true}},
    {CU_AD_FORMAT_SNORM_INT8X2, {Texel::s8, 2, 2, true}},
    {CU_AD_FORMAT_SNORM_INT8X4, {Texel::s8, 4, 4, true}},
    {CU_AD_FORMAT_SNORM_INT16X1, {Texel::s16, 1, 2, true}},
    {CU_AD_FORMAT_SNORM_INT16X2, {Texel::s16, 2, 4, true}},
    {CU_AD_FORMAT_SNORM_INT16X4, {Texel::s16, 4, 8, true}},
    {CU_AD_FORMAT_UNORM_INT_101010_2, {Texel::u10_10_10_2, 4, 4, true}},
    {CU_AD_FORMAT_BC1_UNORM, {Texel::bc1, 4, 8, true}},
    {CU_AD_FORMAT_BC1_UNORM_SRGB, {Texel::bc1, 4, 8, true, true}},
    {CU_AD_FORMAT_BC2_UNORM, {Texel::bc2, 4, 16, true}},
    {CU_AD_FORMAT_BC2_UNORM_SRGB, {Texel::bc2, 4, 16, true, true}},
    {CU_AD_FORMAT_BC3_UNORM, {Texel::bc3, 4, 16, true}},
    {CU_AD_FORMAT_BC3_UNORM_SRGB, {Texel::bc3, 4, 16, true, true}},
    {CU_AD_FORMAT_BC4_UNORM, {Texel::bc4_unsigned, 1, 8, true}},
    {CU_AD_FORMAT_BC4_SNORM, {Texel::bc4_signed, 1, 8, true}},
    {CU_AD_FORMAT_BC5_UNORM, {Texel::bc5_unsigned, 2, 16, true}},
    {CU_AD_FORMAT_BC5_SNORM, {Texel::bc5_signed, 2, 16, true}},
    {CU_AD_FORMAT_BC6H_UF16, {Texel::bc6h_unsigned, 3, 16}},
    {CU_AD_FORMAT_BC6H_SF16, {Texel::bc6h_signed, 3, 16}},
    {CU_AD_FORMAT_BC7_UNORM, {Texel::bc7, 4, 16, true}},
    {CU_AD_FORMAT_BC7_UNORM_SRGB, {Texel::bc7, 4, 16, true, true}},
};

// The formats of views: 1, 2 and 4 channels of each of these, then the compressed ones.
constexpr CUarray_format kOfViews[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                       CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                       CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                       CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
constexpr CUarray_format kCompressedViews[] = {
    CU_AD_FORMAT_BC1_UNORM, CU_AD_FORMAT_BC2_UNORM, CU_AD_FORMAT_BC3_UNORM, CU_AD_FORMAT_BC4_UNORM,
    CU_AD_FORMAT_BC4_SNORM, CU_AD_FORMAT_BC5_UNORM, CU_AD_FORMAT_BC5_SNORM, CU_AD_FORMAT_BC6H_UF16,
    CU_AD_FORMAT_BC6H_SF16, CU_AD_FORMAT_BC7_UNORM};

const ElementFormat* find(std::span<const Row> rows, CUarray_format format) {
  const auto found = std::ranges::find(rows, format, &Row::format);
  return found == rows.end() ? nullptr : &found->element;
}

}  // namespace

std::optional<ElementFormat> element_format(CUarray_format format, unsigned channels) {
  if (const ElementFormat* const fixed = find(kFixed, format)) {
    return fixed->channels == channels ? std::optional(*fixed) : std::nullopt;
  }
  const ElementFormat* const plain = find(kPlain, format);
  if (!plain || (channels != 1 && channels != 2 && channels != 4)) return std::nullopt;
  ElementFormat element = *plain;
  element.channels = static_cast<u8>(channels);
  element.bytes = static_cast<u8>(element.bytes * channels);
  return element;
}

std::optional<ElementFormat> element_format(CUresourceViewFormat format) {
  const auto index = static_cast<unsigned>(format) - CU_RES_VIEW_FORMAT_UINT_1X8;
  if (index < 3 * std::size(kOfViews)) return element_format(kOfViews[index / 3], 1u << index % 3);
  const auto compressed = static_cast<unsigned>(format) - CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
  if (compressed >= std::size(kCompressedViews)) return std::nullopt;
  return *find(kFixed, kCompressedViews[compressed]);
}

bool is_video_format(CUarray_format format) {
  return (format >= CU_AD_FORMAT_P010 && format <= CU_AD_FORMAT_YUV444_16bit_SemiPlanar &&
          format != 0xa0 && (format <= CU_AD_FORMAT_Y410 || format >= CU_AD_FORMAT_NV12));
}

}  // namespace heddle::driver
