// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions see of the descriptors of a texture or surface: levels, formats, effective
// modes.
#include "driver/core/texture/texture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "driver/api.h"

namespace heddle::driver {
namespace {

using isa::AddressMode;
using isa::TexelFormat;
using isa::TexelReading;
using isa::TextureFilter;
using testing::ElementsAre;

class Textures : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context_, 0, 0), CUDA_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cuCtxDestroy_v2(context_), CUDA_SUCCESS); }

  static CUarray array(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
    CUarray made = nullptr;
    EXPECT_EQ(cuArray3DCreate_v2(&made, &descriptor), CUDA_SUCCESS);
    return made;
  }
  static CUDA_RESOURCE_DESC of_array(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
    CUDA_RESOURCE_DESC resource{};
    resource.res.array.hArray = array(descriptor);
    return resource;
  }
  static CUDA_RESOURCE_DESC of_mipmap(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    EXPECT_EQ(cuMipmappedArrayCreate(&resource.res.mipmap.hMipmappedArray, &descriptor, 99),
              CUDA_SUCCESS);
    return resource;
  }
  /// The texture, which must be valid.
  static isa::TextureObject make(const CUDA_RESOURCE_DESC& resource, CUDA_TEXTURE_DESC sampling,
                                 std::optional<CUDA_RESOURCE_VIEW_DESC> view = {}) {
    isa::TextureObject made;
    EXPECT_EQ(make_texture({resource, sampling, view}, made), CUDA_SUCCESS);
    return made;
  }
  static CUresult result(const CUDA_RESOURCE_DESC& resource, CUDA_TEXTURE_DESC sampling,
                         std::optional<CUDA_RESOURCE_VIEW_DESC> view = {}) {
    isa::TextureObject made;
    return make_texture({resource, sampling, view}, made);
  }
  static CUDA_TEXTURE_DESC flags(unsigned flags, CUfilter_mode filter = CU_TR_FILTER_MODE_POINT) {
    CUDA_TEXTURE_DESC sampling{};
    sampling.flags = flags;
    sampling.filterMode = filter;
    return sampling;
  }

 private:
  CUcontext context_ = nullptr;
};

TEST_F(Textures, ShapesOfArrays) {
  const struct {
    CUDA_ARRAY3D_DESCRIPTOR array;
    u32 dimensions;
    bool layered, cube;
    u32 layers, depth;
  } cases[] = {
      {{5, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0}, 1, false, false, 1, 1},
      {{5, 3, 0, CU_AD_FORMAT_FLOAT, 1, 0}, 2, false, false, 1, 1},
      {{5, 3, 4, CU_AD_FORMAT_FLOAT, 1, 0}, 3, false, false, 1, 4},
      {{5, 0, 4, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}, 1, true, false, 4, 1},
      {{5, 3, 4, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}, 2, true, false, 4, 1},
      {{5, 5, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP}, 2, false, true, 6, 1},
      {{5, 5, 12, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED},
       2,
       true,
       true,
       12,
       1},
  };
  for (const auto& each : cases) {
    const auto made = make(of_array(each.array), {});
    SCOPED_TRACE(each.dimensions);
    EXPECT_TRUE(made.bound);
    EXPECT_EQ(made.texture.dimensions, each.dimensions);
    EXPECT_EQ(made.texture.layered, each.layered);
    EXPECT_EQ(made.texture.cube, each.cube);
    EXPECT_EQ(made.texture.layers, each.layers);
    EXPECT_EQ(made.texture.levels, 1);
    const auto& level = made.texture.level[0];
    EXPECT_EQ(level.width, 5u);
    EXPECT_EQ(level.height, std::max<std::size_t>(each.array.Height, 1));
    EXPECT_EQ(level.depth, each.depth);
    EXPECT_EQ(level.pitch, 64u);
    EXPECT_EQ(level.slice, 64 * level.height);
    EXPECT_NE(level.base, 0u);
  }
}

TEST_F(Textures, HowTexelsAreRead) {
  const struct {
    CUarray_format format;
    unsigned channels, flags;
    TexelFormat texel;
    TexelReading reading;
    unsigned texel_channels;
  } cases[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, 4, 0, TexelFormat::u8, TexelReading::normalized, 4},
      {CU_AD_FORMAT_UNSIGNED_INT8, 4, CU_TRSF_SRGB, TexelFormat::u8, TexelReading::srgb, 4},
      {CU_AD_FORMAT_SIGNED_INT16, 2, CU_TRSF_READ_AS_INTEGER, TexelFormat::s16, TexelReading::bits,
       2},
      {CU_AD_FORMAT_UNSIGNED_INT32, 1, 0, TexelFormat::u32, TexelReading::bits, 1},
      {CU_AD_FORMAT_HALF, 1, 0, TexelFormat::f16, TexelReading::bits, 1},
      {CU_AD_FORMAT_SNORM_INT8X2, 2, CU_TRSF_READ_AS_INTEGER, TexelFormat::s8,
       TexelReading::normalized, 2},
      {CU_AD_FORMAT_UNORM_INT_101010_2, 4, 0, TexelFormat::u10_10_10_2, TexelReading::normalized,
       4},
      {CU_AD_FORMAT_BC1_UNORM, 4, 0, TexelFormat::bc1, TexelReading::normalized, 4},
      {CU_AD_FORMAT_BC4_SNORM, 1, 0, TexelFormat::bc4_signed, TexelReading::normalized, 1},
      {CU_AD_FORMAT_BC6H_SF16, 3, 0, TexelFormat::bc6h_signed, TexelReading::bits, 3},
      {CU_AD_FORMAT_BC7_UNORM_SRGB, 4, 0, TexelFormat::bc7, TexelReading::srgb, 4},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.format);
    const auto made = make(of_array({8, 8, 0, each.format, each.channels, 0}), flags(each.flags));
    EXPECT_EQ(made.texture.format, each.texel);
    EXPECT_EQ(made.texture.reading, each.reading);
    EXPECT_EQ(made.texture.channels, each.texel_channels);
  }
  const auto floats = of_array({8, 8, 0, CU_AD_FORMAT_FLOAT, 4, 0});
  EXPECT_EQ(result(floats, flags(CU_TRSF_SRGB)), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Textures, EffectiveModes) {
  const auto resource = of_array({8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0});
  CUDA_TEXTURE_DESC sampling{};
  sampling.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
  sampling.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
  sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
  sampling.maxAnisotropy = 7;
  sampling.maxMipmapLevelClamp = 3;
  auto sampler = make(resource, sampling).sampler;
  EXPECT_TRUE(sampler.normalized);
  EXPECT_EQ(sampler.address[0], AddressMode::wrap);
  EXPECT_EQ(sampler.address[1], AddressMode::mirror);
  EXPECT_EQ(sampler.anisotropy, 6);
  EXPECT_EQ(sampler.most, 0) << "there is one level";

  sampling.flags = 0;
  sampler = make(resource, sampling).sampler;
  EXPECT_EQ(sampler.address[0], AddressMode::clamp_to_edge);
  EXPECT_EQ(sampler.address[1], AddressMode::clamp_to_edge);
  sampling.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  EXPECT_EQ(make(resource, sampling).sampler.address[1], AddressMode::clamp_to_border);

  const auto cube = of_array({8, 8, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP});
  sampling.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SEAMLESS_CUBEMAP;
  sampler = make(cube, sampling).sampler;
  EXPECT_EQ(sampler.address[0], AddressMode::clamp_to_edge) << "modes are ignored";
  EXPECT_FALSE(sampler.seamless) << "points cross no edge";
  sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  EXPECT_TRUE(make(cube, sampling).sampler.seamless);
}

TEST_F(Textures, BorderColors) {
  CUDA_TEXTURE_DESC sampling{};
  const float color[] = {2, -0.5f, std::bit_cast<float>(7), 0.25f};
  std::copy_n(color, 4, sampling.borderColor);
  const auto bits = [](float value) { return std::bit_cast<u32>(value); };
  EXPECT_THAT(make(of_array({8, 8, 0, CU_AD_FORMAT_FLOAT, 4, 0}), sampling).sampler.border,
              ElementsAre(bits(2), bits(-0.5f), 7u, bits(0.25f)));
  EXPECT_THAT(make(of_array({8, 8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0}), sampling).sampler.border,
              ElementsAre(bits(1), bits(0), 7u, bits(0.25f)));
  EXPECT_THAT(make(of_array({8, 8, 0, CU_AD_FORMAT_SIGNED_INT8, 4, 0}), sampling).sampler.border,
              ElementsAre(bits(1), bits(-0.5f), 7u, bits(0.25f)));
}

TEST_F(Textures, Mipmaps) {
  const auto resource = of_mipmap({16, 5, 0, CU_AD_FORMAT_FLOAT, 1, 0});
  EXPECT_EQ(result(resource, {}), CUDA_ERROR_INVALID_VALUE) << "coordinates must be normalized";
  CUDA_TEXTURE_DESC sampling = flags(CU_TRSF_NORMALIZED_COORDINATES, CU_TR_FILTER_MODE_LINEAR);
  sampling.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
  sampling.mipmapLevelBias = -0.5f;
  sampling.minMipmapLevelClamp = 1.25f;
  sampling.maxMipmapLevelClamp = 100;
  const auto made = make(resource, sampling);
  EXPECT_TRUE(made.texture.mipmapped);
  EXPECT_EQ(made.texture.levels, 5);
  EXPECT_EQ(made.texture.level[2].width, 4u);
  EXPECT_EQ(made.texture.level[2].height, 1u);
  EXPECT_EQ(made.sampler.mip_filter, TextureFilter::linear);
  EXPECT_EQ(made.sampler.bias, -128);
  EXPECT_EQ(made.sampler.least, 320);
  EXPECT_EQ(made.sampler.most, 4095);

  CUDA_RESOURCE_VIEW_DESC view{};
  view.width = 16;
  view.height = 5;
  view.firstMipmapLevel = 2;
  view.lastMipmapLevel = 3;
  const auto seen = make(resource, sampling, view);
  EXPECT_EQ(seen.texture.levels, 2);
  EXPECT_EQ(seen.texture.level[0].base, made.texture.level[2].base);
  EXPECT_EQ(seen.texture.level[1].width, 2u);
  view.lastMipmapLevel = 5;
  EXPECT_EQ(result(resource, sampling, view), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Textures, Views) {
  const auto layers = of_array({8, 8, 5, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_LAYERED});
  CUDA_RESOURCE_VIEW_DESC view{};
  view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
  view.width = view.height = 8;
  view.depth = 5;
  view.firstLayer = 2;
  view.lastLayer = 3;
  const auto whole = make(layers, {});
  const auto seen = make(layers, {}, view);
  EXPECT_EQ(seen.texture.format, TexelFormat::f32);
  EXPECT_EQ(seen.texture.channels, 1);
  EXPECT_EQ(seen.texture.layers, 2u);
  EXPECT_EQ(seen.texture.level[0].base, whole.texture.level[0].base + 2 * 64 * 8);
  view.format = CU_RES_VIEW_FORMAT_FLOAT_2X32;
  EXPECT_EQ(result(layers, {}, view), CUDA_ERROR_INVALID_VALUE) << "elements of 8 bytes";

  const auto cubes =
      of_array({8, 8, 18, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP});
  view.format = CU_RES_VIEW_FORMAT_NONE;
  view.depth = 18;
  view.firstLayer = 6;
  view.lastLayer = 17;
  EXPECT_EQ(make(cubes, {}, view).texture.layers, 12u);
  view.firstLayer = 5;
  EXPECT_EQ(result(cubes, {}, view), CUDA_ERROR_INVALID_VALUE) << "no whole cubes";
}

TEST_F(Textures, ViewsOfBlocks) {
  const auto words = of_mipmap({5, 2, 0, CU_AD_FORMAT_UNSIGNED_INT32, 2, 0});
  CUDA_RESOURCE_VIEW_DESC view{};
  view.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
  view.width = 20;
  view.height = 8;
  view.lastMipmapLevel = 2;
  const auto sampling = flags(CU_TRSF_NORMALIZED_COORDINATES, CU_TR_FILTER_MODE_LINEAR);
  const auto made = make(words, sampling, view);
  EXPECT_EQ(made.texture.format, TexelFormat::bc1);
  EXPECT_EQ(made.texture.levels, 3);
  EXPECT_EQ(made.texture.level[0].width, 20u);
  EXPECT_EQ(made.texture.level[0].height, 8u);
  EXPECT_EQ(made.texture.level[1].width, 8u) << "of 10, because the level has two blocks";
  EXPECT_EQ(made.texture.level[2].width, 4u);
  EXPECT_EQ(made.texture.level[2].height, 2u);
  view.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC7;
  EXPECT_EQ(result(words, sampling, view), CUDA_ERROR_INVALID_VALUE) << "blocks of four words";
}

TEST_F(Textures, Memory) {
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuMemAlloc_v2(&memory, 4096), CUDA_SUCCESS);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {memory, CU_AD_FORMAT_FLOAT, 2, 100};
  // The filter and the coordinates are ignored.
  auto made = make(resource, flags(CU_TRSF_NORMALIZED_COORDINATES, CU_TR_FILTER_MODE_LINEAR));
  EXPECT_TRUE(made.texture.linear);
  EXPECT_EQ(made.texture.level[0].width, 12u);
  EXPECT_FALSE(made.sampler.normalized);
  EXPECT_EQ(made.sampler.filter, TextureFilter::nearest);
  EXPECT_EQ(made.sampler.address[0], AddressMode::clamp_to_border);

  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {memory, CU_AD_FORMAT_UNSIGNED_INT8, 1, 40, 64, 64};
  made = make(resource, flags(0, CU_TR_FILTER_MODE_LINEAR));
  EXPECT_EQ(made.texture.dimensions, 2u);
  EXPECT_EQ(made.texture.level[0].base, memory);
  EXPECT_EQ(made.texture.level[0].pitch, 64u);
  EXPECT_EQ(made.sampler.filter, TextureFilter::linear);
  resource.res.pitch2D.height = 65;
  EXPECT_EQ(result(resource, {}), CUDA_ERROR_INVALID_VALUE) << "leaves the allocation";
}

TEST_F(Textures, Surfaces) {
  isa::TextureObject made;
  const auto resource = of_array(
      {5, 5, 6, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_SURFACE_LDST});
  ASSERT_EQ(make_surface(resource, made), CUDA_SUCCESS);
  EXPECT_EQ(made.kind, isa::TextureObject::Kind::surface);
  EXPECT_EQ(made.texture.reading, TexelReading::bits);
  EXPECT_TRUE(made.texture.layered) << "faces are layers";
  EXPECT_EQ(made.texture.layers, 6u);
  EXPECT_EQ(make_surface(of_array({5, 5, 0, CU_AD_FORMAT_FLOAT, 1, 0}), made),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::driver
