// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of textures are refused, or give a texture that lies in the memory that they name,
// whatever their other members are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "driver/api.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/texture/texture.h"
#include "machine/texture_objects.h"

namespace {

using namespace heddle;

constexpr size_t kBytes = 1 << 16;

struct Memory {
  CUdeviceptr linear = 0;
  CUarray arrays[6] = {};
  CUmipmappedArray mipmaps[2] = {};
};

const Memory& memory() {
  static const Memory made = [] {
    Memory memory;
    CUcontext context = nullptr;
    HEDDLE_CHECK(!cuInit(0) && !cuCtxCreate_v2(&context, 0, 0));
    HEDDLE_CHECK(!cuMemAlloc_v2(&memory.linear, kBytes));
    const CUDA_ARRAY3D_DESCRIPTOR arrays[] = {
        {17, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0},
        {17, 5, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST},
        {5, 4, 3, CU_AD_FORMAT_UNSIGNED_INT32, 2, 0},
        {5, 4, 7, CU_AD_FORMAT_UNSIGNED_INT32, 4, CUDA_ARRAY3D_LAYERED},
        {8, 8, 12, CU_AD_FORMAT_HALF, 2, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP},
        {10, 6, 0, CU_AD_FORMAT_BC7_UNORM, 4, 0},
    };
    const CUDA_ARRAY3D_DESCRIPTOR mipmaps[] = {
        {5, 3, 0, CU_AD_FORMAT_UNSIGNED_INT32, 2, 0},
        {16, 16, 6, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_CUBEMAP},
    };
    for (size_t i = 0; i < std::size(arrays); ++i)
      HEDDLE_CHECK(!cuArray3DCreate_v2(&memory.arrays[i], &arrays[i]));
    for (size_t i = 0; i < std::size(mipmaps); ++i)
      HEDDLE_CHECK(!cuMipmappedArrayCreate(&memory.mipmaps[i], &mipmaps[i], 99));
    return memory;
  }();
  return made;
}

/// Takes bytes from the front; zeros behind the end.
template <class T>
T take(const uint8_t*& data, size_t& size) {
  T value{};
  const size_t bytes = std::min(size, sizeof value);
  std::memcpy(static_cast<void*>(&value), data, bytes);
  data += bytes;
  size -= bytes;
  return value;
}

void check(const isa::TextureObject& object) {
  const isa::Texture& texture = object.texture;
  HEDDLE_CHECK(object.bound && texture.levels >= 1 && texture.levels <= isa::kMostTextureLevels);
  HEDDLE_CHECK(texture.channels == 1 || texture.channels == 2 || texture.channels == 4);
  HEDDLE_CHECK(!texture.cube || texture.layers % 6 == 0);
  const auto range = machine::memory_of(object);
  HEDDLE_CHECK(driver::is_device_range(range.base, range.size) || texture.levels > 1);
  for (u32 i = 0; i < texture.levels; ++i) {
    const isa::TextureLevel& level = texture.level[i];
    HEDDLE_CHECK(level.width && level.height && level.depth);
    HEDDLE_CHECK(
        driver::is_device_range(level.base, level.slice * std::max(level.depth, texture.layers)));
    const u64 rows = isa::is_block_format(texture.format) ? (level.height + 3) / 4 : level.height;
    HEDDLE_CHECK((rows - 1) * level.pitch < level.slice || rows == 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Memory& places = memory();
  const auto which = take<uint8_t>(data, size);
  driver::TextureDescription description;
  CUDA_RESOURCE_DESC& resource = description.resource;
  switch (which % 4) {
    case 0:
      resource.res.array.hArray = places.arrays[which / 4 % std::size(places.arrays)];
      break;
    case 1:
      resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
      resource.res.mipmap.hMipmappedArray = places.mipmaps[which / 4 % std::size(places.mipmaps)];
      break;
    case 2:
      resource = take<CUDA_RESOURCE_DESC>(data, size);
      resource.resType = CU_RESOURCE_TYPE_LINEAR;
      resource.flags = 0;
      resource.res.linear.devPtr = places.linear + resource.res.linear.devPtr % kBytes;
      break;
    default:
      resource = take<CUDA_RESOURCE_DESC>(data, size);
      resource.resType = CU_RESOURCE_TYPE_PITCH2D;
      resource.flags = 0;
      resource.res.pitch2D.devPtr = places.linear + resource.res.pitch2D.devPtr % kBytes;
  }
  description.sampling = take<CUDA_TEXTURE_DESC>(data, size);
  if (size) description.view = take<CUDA_RESOURCE_VIEW_DESC>(data, size);
  isa::TextureObject object;
  if (driver::make_texture(description, object) == CUDA_SUCCESS) check(object);
  if (driver::make_surface(resource, object) == CUDA_SUCCESS) check(object);
  return 0;
}
