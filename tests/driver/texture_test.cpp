// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects, and references, as a program sees them: what was described is
// returned, handles have a life, memory may be freed first. Driver API 6.13, 6.26 to 6.29.
#include <cstring>
#include <vector>

#include "client.h"

namespace {

using testing::ElementsAre;

class Textures : public InContext {
 protected:
  static CUarray array(CUDA_ARRAY3D_DESCRIPTOR descriptor) {
    CUarray made = nullptr;
    EXPECT_OK(cuArray3DCreate_v2(&made, &descriptor));
    return made;
  }
  static CUDA_RESOURCE_DESC of(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.res.array.hArray = array;
    return resource;
  }
  static CUtexObject texture(const CUDA_RESOURCE_DESC& resource, CUDA_TEXTURE_DESC sampling = {}) {
    CUtexObject made = 0;
    EXPECT_OK(cuTexObjectCreate(&made, &resource, &sampling, nullptr));
    return made;
  }
};

TEST_F(Textures, DescriptorsComeBack) {
  CUDA_ARRAY3D_DESCRIPTOR shape{16, 16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0};
  CUDA_RESOURCE_DESC resources[4] = {};
  resources[0] = of(array(shape));
  resources[1].resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  ASSERT_OK(cuMipmappedArrayCreate(&resources[1].res.mipmap.hMipmappedArray, &shape, 3));
  CUdeviceptr memory = 0;
  ASSERT_OK(cuMemAlloc_v2(&memory, 4096));
  resources[2].resType = CU_RESOURCE_TYPE_LINEAR;
  resources[2].res.linear = {memory, CU_AD_FORMAT_FLOAT, 1, 4096};
  resources[3].resType = CU_RESOURCE_TYPE_PITCH2D;
  resources[3].res.pitch2D = {memory, CU_AD_FORMAT_HALF, 2, 8, 16, 64};

  CUDA_TEXTURE_DESC sampling{};
  sampling.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  sampling.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  sampling.maxAnisotropy = 99;
  sampling.borderColor[2] = 0.5f;
  sampling.maxMipmapLevelClamp = 2;
  CUDA_RESOURCE_VIEW_DESC view{};
  view.format = CU_RES_VIEW_FORMAT_UINT_4X8;
  view.width = view.height = 16;
  for (const CUDA_RESOURCE_DESC& resource : resources) {
    SCOPED_TRACE(resource.resType);
    const bool has_view = resource.resType <= CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    CUtexObject made = 0;
    ASSERT_OK(cuTexObjectCreate(&made, &resource, &sampling, has_view ? &view : nullptr));
    EXPECT_NE(made, 0u);
    CUDA_RESOURCE_DESC resource_back{};
    CUDA_TEXTURE_DESC sampling_back{};
    CUDA_RESOURCE_VIEW_DESC view_back{};
    EXPECT_OK(cuTexObjectGetResourceDesc(&resource_back, made));
    EXPECT_OK(cuTexObjectGetTextureDesc(&sampling_back, made));
    EXPECT_EQ(std::memcmp(&resource_back, &resource, sizeof resource), 0);
    EXPECT_EQ(std::memcmp(&sampling_back, &sampling, sizeof sampling), 0);
    EXPECT_EQ(cuTexObjectGetResourceViewDesc(&view_back, made),
              has_view ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    if (has_view) EXPECT_EQ(std::memcmp(&view_back, &view, sizeof view), 0);
    EXPECT_OK(cuTexObjectDestroy(made));
    EXPECT_EQ(cuTexObjectDestroy(made), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuTexObjectGetTextureDesc(&sampling_back, made), CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_F(Textures, SurfacesComeBack) {
  const auto resource =
      of(array({4, 4, 2, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST}));
  CUsurfObject made = 0;
  CUDA_RESOURCE_DESC back{};
  ASSERT_OK(cuSurfObjectCreate(&made, &resource));
  EXPECT_OK(cuSurfObjectGetResourceDesc(&back, made));
  EXPECT_EQ(back.res.array.hArray, resource.res.array.hArray);
  EXPECT_OK(cuSurfObjectDestroy(made));
  EXPECT_EQ(cuSurfObjectDestroy(made), CUDA_ERROR_INVALID_VALUE);
}

// Every level of a mipmapped array is an array, for textures and for surfaces.
TEST_F(Textures, LevelsAreArrays) {
  const CUDA_ARRAY3D_DESCRIPTOR shape{16, 16, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUmipmappedArray mipmap = nullptr;
  CUarray level = nullptr;
  ASSERT_OK(cuMipmappedArrayCreate(&mipmap, &shape, 3));
  ASSERT_OK(cuMipmappedArrayGetLevel(&level, mipmap, 2));
  const auto resource = of(level);
  CUsurfObject surface = 0;
  EXPECT_OK(cuSurfObjectCreate(&surface, &resource));
  texture(resource);
}

TEST_F(Textures, OutliveTheirMemory) {
  const auto pixels = array({16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0});
  const auto made = texture(of(pixels));
  EXPECT_OK(cuArrayDestroy(pixels));
  CUDA_RESOURCE_DESC back{};
  EXPECT_OK(cuTexObjectGetResourceDesc(&back, made));
  EXPECT_EQ(back.res.array.hArray, pixels);
  EXPECT_OK(cuTexObjectDestroy(made));

  alignas(4096) static char memory[4096];
  ASSERT_OK(cuMemHostRegister_v2(memory, sizeof memory, 0));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {reinterpret_cast<CUdeviceptr>(memory), CU_AD_FORMAT_FLOAT, 1, 4096};
  const auto registered = texture(resource);
  EXPECT_OK(cuMemHostUnregister(memory));
  EXPECT_OK(cuTexObjectDestroy(registered));
}

// A kernel that still uses the texture of a destroyed array traps.
TEST_F(Textures, FreedUnderAKernel) {
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  CUdeviceptr out = 0;
  ASSERT_OK(cuModuleLoadData(&module, R"(
.version 7.8
.target sm_75
.address_size 64
.visible .entry read(.param .u64 out, .param .u64 texture) {
  .reg .u64 %p, %t;
  .reg .s32 %x;
  .reg .b32 %r<4>;
  ld.param.u64 %p, [out];
  ld.param.u64 %t, [texture];
  mov.s32 %x, 1;
  tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x}];
  st.global.b32 [%p], %r0;
  ret;
}
)"));
  ASSERT_OK(cuModuleGetFunction(&kernel, module, "read"));
  ASSERT_OK(cuMemAlloc_v2(&out, 4));
  const auto pixels = array({4, 0, 0, CU_AD_FORMAT_SIGNED_INT32, 1, 0});
  const int numbers[] = {3, 4, 5, 6};
  ASSERT_OK(cuMemcpyHtoA_v2(pixels, 0, numbers, sizeof numbers));
  CUtexObject made = texture(of(pixels));
  void* arguments[] = {&out, &made};
  int seen = 0;
  EXPECT_OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_OK(cuMemcpyDtoH_v2(&seen, out, 4));
  EXPECT_EQ(seen, 4);
  EXPECT_OK(cuArrayDestroy(pixels));
  EXPECT_OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Textures, BelongToTheirContext) {
  CUcontext other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, device));
  const auto made = texture(of(array({4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0})));
  ASSERT_OK(cuCtxDestroy_v2(other));
  ASSERT_OK(cuCtxSetCurrent(context));
  CUDA_TEXTURE_DESC sampling;
  EXPECT_EQ(cuTexObjectGetTextureDesc(&sampling, made), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Textures, WidthOfLinearMemory) {
  size_t width = 0;
  int attribute = 0;
  EXPECT_OK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, device));
  EXPECT_OK(
      cuDeviceGetAttribute(&attribute, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, device));
  EXPECT_EQ(width, static_cast<size_t>(attribute));
}

// Copies of a compressed array count rows of blocks.
TEST_F(Textures, CompressedArrays) {
  const auto blocks = array({10, 6, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0});
  std::vector<unsigned char> in(3 * 8 * 2), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = in.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = blocks;
  copy.WidthInBytes = 24;
  copy.Height = 2;
  EXPECT_OK(cuMemcpy2D_v2(&copy));
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = blocks;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = out.data();
  copy.WidthInBytes = 24;
  copy.Height = 2;
  EXPECT_OK(cuMemcpy2D_v2(&copy));
  EXPECT_EQ(in, out);
  copy.Height = 3;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Textures, Extents) {
  const struct {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    CUresult expected;
  } cases[] = {
      {{131072, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0}, CUDA_SUCCESS},
      {{131073, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0}, CUDA_ERROR_INVALID_VALUE},
      {{32768, 0, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST}, CUDA_SUCCESS},
      {{32769, 0, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST}, CUDA_ERROR_INVALID_VALUE},
      {{1, 1, 16384, CU_AD_FORMAT_FLOAT, 1, 0}, CUDA_SUCCESS},
      {{1, 1, 32768, CU_AD_FORMAT_FLOAT, 1, 0}, CUDA_SUCCESS},
      {{8193, 1, 32768, CU_AD_FORMAT_FLOAT, 1, 0}, CUDA_ERROR_INVALID_VALUE},
      {{1, 1, 2049, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}, CUDA_ERROR_INVALID_VALUE},
      {{2, 2, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER}, CUDA_SUCCESS},
      {{2, 2, 2, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER}, CUDA_ERROR_INVALID_VALUE},
      {{2, 2, 7, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP},
       CUDA_ERROR_INVALID_VALUE},
      {{8, 8, 0, CU_AD_FORMAT_BC4_UNORM, 4, 0}, CUDA_ERROR_INVALID_VALUE},
      {{8, 8, 0, CU_AD_FORMAT_BC6H_UF16, 3, 0}, CUDA_SUCCESS},
      {{8, 0, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0}, CUDA_ERROR_INVALID_VALUE},
      {{8, 8, 0, CU_AD_FORMAT_BC1_UNORM, 4, CUDA_ARRAY3D_SURFACE_LDST}, CUDA_ERROR_INVALID_VALUE},
      {{8, 8, 0, CU_AD_FORMAT_UNORM_INT16X2, 1, 0}, CUDA_ERROR_INVALID_VALUE},
      {{8, 8, 0, CU_AD_FORMAT_NV12, 3, 0}, CUDA_ERROR_NOT_SUPPORTED},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(&each - cases);
    CUarray made = nullptr;
    EXPECT_EQ(cuArray3DCreate_v2(&made, &each.shape), each.expected);
    if (made) EXPECT_OK(cuArrayDestroy(made));
  }
}

// --- references ---

constexpr const char* kModule = R"(
.version 7.8
.target sm_75
.address_size 64
.global .texref plain;
.global .texref image;
.global .surfref canvas;
.visible .entry read(.param .u64 out, .param .u32 at) {
  .reg .u64 %p;
  .reg .s32 %x;
  .reg .b32 %r<4>;
  ld.param.u64 %p, [out];
  ld.param.u32 %x, [at];
  tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [image, {%x}];
  st.global.b32 [%p], %r0;
  ret;
}
.visible .entry write(.param .u32 value) {
  .reg .b32 %r;
  .reg .s32 %x;
  ld.param.u32 %r, [value];
  mov.s32 %x, 4;
  sust.b.1d.b32.trap [canvas, {%x}], %r;
  ret;
}
)";

class References : public Textures {
 protected:
  void SetUp() override {
    InContext::SetUp();
    ASSERT_OK(cuModuleLoadData(&module, kModule));
    ASSERT_OK(cuModuleGetTexRef(&image, module, "image"));
  }
  CUmodule module = nullptr;
  CUtexref image = nullptr;

  CUresult launch(const char* name, void** arguments) const {
    CUfunction kernel = nullptr;
    EXPECT_OK(cuModuleGetFunction(&kernel, module, name));
    return cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  }
};

TEST_F(References, SettingsComeBack) {
  CUtexref same = nullptr;
  EXPECT_OK(cuModuleGetTexRef(&same, module, "image"));
  EXPECT_EQ(same, image);
  CUaddress_mode mode = CU_TR_ADDRESS_MODE_WRAP;
  CUfilter_mode filter = CU_TR_FILTER_MODE_LINEAR;
  unsigned flags = 9;
  EXPECT_OK(cuTexRefGetAddressMode(&mode, image, 0));
  EXPECT_OK(cuTexRefGetFilterMode(&filter, image));
  EXPECT_OK(cuTexRefGetFlags(&flags, image));
  EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_CLAMP);
  EXPECT_EQ(filter, CU_TR_FILTER_MODE_POINT);
  EXPECT_EQ(flags, 0u);

  EXPECT_OK(cuTexRefSetAddressMode(image, 1, CU_TR_ADDRESS_MODE_BORDER));
  EXPECT_OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
  EXPECT_OK(cuTexRefSetMipmapFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
  EXPECT_OK(cuTexRefSetMipmapLevelBias(image, 0.5f));
  EXPECT_OK(cuTexRefSetMipmapLevelClamp(image, 1, 2));
  EXPECT_OK(cuTexRefSetMaxAnisotropy(image, 8));
  float color[4] = {1, 2, 3, 4}, color_back[4] = {};
  EXPECT_OK(cuTexRefSetBorderColor(image, color));
  EXPECT_OK(cuTexRefSetFlags(image, CU_TRSF_NORMALIZED_COORDINATES));
  float bias = 0, least = 0, most = 0;
  int anisotropy = 0;
  EXPECT_OK(cuTexRefGetAddressMode(&mode, image, 1));
  EXPECT_OK(cuTexRefGetFilterMode(&filter, image));
  EXPECT_OK(cuTexRefGetMipmapLevelBias(&bias, image));
  EXPECT_OK(cuTexRefGetMipmapLevelClamp(&least, &most, image));
  EXPECT_OK(cuTexRefGetMaxAnisotropy(&anisotropy, image));
  EXPECT_OK(cuTexRefGetBorderColor(color_back, image));
  EXPECT_OK(cuTexRefGetFlags(&flags, image));
  EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_BORDER);
  EXPECT_EQ(filter, CU_TR_FILTER_MODE_LINEAR);
  EXPECT_EQ(bias, 0.5f);
  EXPECT_EQ(least, 1);
  EXPECT_EQ(most, 2);
  EXPECT_EQ(anisotropy, 8);
  EXPECT_THAT(color_back, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(flags, unsigned{CU_TRSF_NORMALIZED_COORDINATES});

  CUarray_format format = CU_AD_FORMAT_FLOAT;
  int channels = 0;
  CUarray bound = nullptr;
  const auto pixels = array({8, 8, 0, CU_AD_FORMAT_HALF, 2, 0});
  EXPECT_OK(cuTexRefSetArray(image, pixels, CU_TRSA_OVERRIDE_FORMAT));
  EXPECT_OK(cuTexRefGetArray(&bound, image));
  EXPECT_OK(cuTexRefGetFormat(&format, &channels, image));
  EXPECT_EQ(bound, pixels);
  EXPECT_EQ(format, CU_AD_FORMAT_HALF);
  EXPECT_EQ(channels, 2);
}

TEST_F(References, LaunchesSeeTheLatestBinding) {
  CUdeviceptr memory = 0, out = 0;
  ASSERT_OK(cuMemAlloc_v2(&memory, 4096));
  ASSERT_OK(cuMemAlloc_v2(&out, 8));
  std::vector<int> numbers(1024);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  ASSERT_OK(cuMemcpyHtoD_v2(memory, numbers.data(), 4096));
  const auto bind = [&](CUdeviceptr at, size_t bytes) {
    size_t offset = 99;
    EXPECT_OK(cuTexRefSetFormat(image, CU_AD_FORMAT_SIGNED_INT32, 1));
    EXPECT_OK(cuTexRefSetAddress_v2(&offset, image, at, bytes));
    return offset;
  };
  const auto read = [&](CUdeviceptr to, int at) {
    void* arguments[] = {&to, &at};
    return launch("read", arguments);
  };
  EXPECT_EQ(bind(memory, 4096), 0u);
  EXPECT_OK(read(out, 5));
  const size_t offset = bind(memory + 2064, 64);
  EXPECT_EQ(offset, 16u) << "the address is rounded down to a multiple of 512";
  EXPECT_OK(read(out + 4, static_cast<int>(offset) / 4));
  int seen[2] = {};
  EXPECT_OK(cuMemcpyDtoH_v2(seen, out, 8));
  EXPECT_THAT(seen, ElementsAre(5, 516));
}

TEST_F(References, WrongSettingsAreRefusedAtTheLaunch) {
  const auto pixels = array({8, 0, 0, CU_AD_FORMAT_SIGNED_INT32, 1, 0});
  EXPECT_OK(cuTexRefSetArray(image, pixels, CU_TRSA_OVERRIDE_FORMAT));
  EXPECT_OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
  CUdeviceptr out = 0;
  int at = 0;
  ASSERT_OK(cuMemAlloc_v2(&out, 8));
  void* arguments[] = {&out, &at};
  EXPECT_EQ(launch("read", arguments), CUDA_ERROR_INVALID_VALUE) << "integers are not filtered";
  EXPECT_OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_POINT));
  EXPECT_OK(launch("read", arguments));
  EXPECT_OK(cuCtxSynchronize());
}

TEST_F(References, Surfaces) {
  CUsurfref canvas = nullptr;
  ASSERT_OK(cuModuleGetSurfRef(&canvas, module, "canvas"));
  const auto pixels = array({8, 0, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST});
  EXPECT_OK(cuSurfRefSetArray(canvas, pixels, 0));
  int value = 77, seen[2] = {};
  void* arguments[] = {&value};
  EXPECT_OK(launch("write", arguments));
  EXPECT_OK(cuMemcpyAtoH_v2(seen, pixels, 0, 8));
  EXPECT_THAT(seen, ElementsAre(0, 77)) << "the coordinate counts bytes";
}

TEST_F(References, WritesBeyondASurfaceTrap) {
  CUsurfref canvas = nullptr;
  ASSERT_OK(cuModuleGetSurfRef(&canvas, module, "canvas"));
  EXPECT_OK(cuSurfRefSetArray(
      canvas, array({1, 0, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST}), 0));
  int value = 77;
  void* arguments[] = {&value};
  EXPECT_OK(launch("write", arguments));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(References, UnboundOnesTrap) {
  CUdeviceptr out = 0;
  int at = 0;
  ASSERT_OK(cuMemAlloc_v2(&out, 8));
  void* arguments[] = {&out, &at};
  EXPECT_OK(launch("read", arguments));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

// The texture state space (5.1.8) and the tex of PTX 1.4 (its table 71): a .tex variable is a
// texture reference, and the coordinates of tex may be a vector of four.
TEST_F(References, TextureStateSpace) {
  CUmodule old = nullptr;
  ASSERT_OK(cuModuleLoadData(&old, R"(
.version 1.4
.target sm_13
.tex .u32 tex_a;
.global .s32 seen[2];
.entry read {
  .reg .s32 x, a, b, c, d;
  mov.s32 x, 3;
  tex.1d.v4.s32.s32 {a, b, c, d}, [tex_a, {x, x, x, x}];
  st.global.s32 [seen], a;
  mov.s32 x, 2;
  tex.1d.v4.s32.s32 {a, b, c, d}, [tex_a, {x}];
  st.global.s32 [seen+4], a;
  exit;
}
)"));
  CUtexref tex_a = nullptr;
  ASSERT_OK(cuModuleGetTexRef(&tex_a, old, "tex_a"));
  const int numbers[] = {10, 11, 12, 13};
  CUdeviceptr memory = 0, global = 0;
  size_t offset = 0, bytes = 0;
  ASSERT_OK(cuMemAlloc_v2(&memory, sizeof numbers));
  ASSERT_OK(cuMemcpyHtoD_v2(memory, numbers, sizeof numbers));
  EXPECT_OK(cuTexRefSetFormat(tex_a, CU_AD_FORMAT_SIGNED_INT32, 1));
  EXPECT_OK(cuTexRefSetAddress_v2(&offset, tex_a, memory, sizeof numbers));
  std::swap(module, old);
  EXPECT_OK(launch("read", nullptr));
  int seen[2] = {};
  ASSERT_OK(cuModuleGetGlobal_v2(&global, &bytes, module, "seen"));
  EXPECT_OK(cuMemcpyDtoH_v2(seen, global, sizeof seen));
  EXPECT_THAT(seen, ElementsAre(13, 12));
}

TEST_F(References, EndWithTheirModule) {
  unsigned flags = 0;
  EXPECT_OK(cuModuleUnload(module));
  EXPECT_EQ(cuTexRefGetFlags(&flags, image), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(References, OfNoModule) {
  CUtexref made = nullptr;
  CUarray_format format = CU_AD_FORMAT_FLOAT;
  ASSERT_OK(cuTexRefCreate(&made));
  EXPECT_EQ(cuTexRefGetFormat(&format, nullptr, made), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuTexRefSetFormat(made, CU_AD_FORMAT_HALF, 4));
  EXPECT_OK(cuTexRefGetFormat(&format, nullptr, made));
  EXPECT_EQ(format, CU_AD_FORMAT_HALF);
  EXPECT_OK(cuTexRefDestroy(made));
  EXPECT_EQ(cuTexRefDestroy(made), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
