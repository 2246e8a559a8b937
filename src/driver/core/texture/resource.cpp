// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See resource.h. The limits are those of every device.
#include "driver/core/texture/resource.h"

#include <algorithm>
#include <limits>

#include "driver/core/context/device.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/array.h"
#include "driver/core/memory/tables.h"
#include "driver/core/process.h"
#include "driver/core/texture/refusal.h"

namespace heddle::driver {
namespace {

u64 limit(CUdevice_attribute attribute) {
  return static_cast<u64>(*device_attribute(*devices().front(), attribute));
}

bool has_layers(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  return d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
}

isa::TextureLevel level_of(const Array& array) {
  const auto& d = array.descriptor();
  const auto extent = [](std::size_t elements) {
    return static_cast<u32>(std::max<std::size_t>(elements, 1));
  };
  return {array.base(),  extent(d.Width), extent(d.Height), has_layers(d) ? 1 : extent(d.Depth),
          array.pitch(), array.slice()};
}

/// The properties that all levels share are those of the first one.
void read_first_level(const Array& array, Resource& out) {
  const auto& d = array.descriptor();
  out.element = array.element();
  out.has_surfaces = d.Flags & CUDA_ARRAY3D_SURFACE_LDST;
  out.texture.dimensions = !d.Height ? 1 : d.Depth && !has_layers(d) ? 3 : 2;
  out.texture.layered = d.Flags & CUDA_ARRAY3D_LAYERED;
  out.texture.cube = d.Flags & CUDA_ARRAY3D_CUBEMAP;
  out.texture.layers = has_layers(d) ? static_cast<u32>(d.Depth) : 1;
  out.texture.level[0] = level_of(array);
}

CUresult read_formats(const CUDA_RESOURCE_VIEW_DESC& view, const CUDA_ARRAY3D_DESCRIPTOR& d,
                      ElementFormat& element) {
  if (element.block() > 1) return refuse_texture("a compressed array has no views");
  if (view.format == CU_RES_VIEW_FORMAT_NONE) return CUDA_SUCCESS;
  const auto seen = element_format(view.format);
  if (!seen) return refuse_texture("{} is no format of a view", static_cast<int>(view.format));
  if (seen->block() > 1) {
    const unsigned words = seen->bytes / 4;
    if (d.Format != CU_AD_FORMAT_UNSIGNED_INT32 || d.NumChannels != words || !d.Height)
      return refuse_texture(
          "blocks of this compressed format are elements of {} unsigned 32-bit integers in two "
          "dimensions or more",
          words);
  } else if (seen->bytes != element.bytes) {
    return refuse_texture("the view's elements have {} bytes and the array's {}", seen->bytes,
                          element.bytes);
  }
  element = *seen;
  return CUDA_SUCCESS;
}

/// Restricts the texture to what a view of the array or mipmapped array shows; `d` is that of the
/// first level.
CUresult apply(const CUDA_RESOURCE_VIEW_DESC& view, const CUDA_ARRAY3D_DESCRIPTOR& d,
               Resource& out) {
  isa::Texture& texture = out.texture;
  if (const CUresult bad = read_formats(view, d, out.element)) return bad;
  const u32 scale = out.element.block();
  if (view.width != d.Width * scale || view.height != d.Height * scale || view.depth != d.Depth)
    return refuse_texture("the view has the extents {}x{}x{}, which must be {}x{}x{}", view.width,
                          view.height, view.depth, d.Width * scale, d.Height * scale, d.Depth);
  if (view.firstMipmapLevel > view.lastMipmapLevel || view.lastMipmapLevel >= texture.levels)
    return refuse_texture("the view has levels {} to {} of {}", view.firstMipmapLevel,
                          view.lastMipmapLevel, texture.levels);
  const u32 layers = texture.layered ? texture.layers : 1;
  if (view.firstLayer > view.lastLayer || view.lastLayer >= layers)
    return refuse_texture("the view has layers {} to {} of {}", view.firstLayer, view.lastLayer,
                          layers);
  const u32 cubes = texture.cube && texture.layered ? 6 : 1;
  if (view.firstLayer % cubes || (view.lastLayer + 1) % cubes)
    return refuse_texture("the view has layers {} to {}, which are no whole cubes", view.firstLayer,
                          view.lastLayer);
  for (u32 i = 0; i < texture.levels; ++i) {
    isa::TextureLevel& level = texture.level[i];
    // Halving can give a last block that the array, whose elements are blocks, does not have.
    const auto scaled = [&](std::size_t first, u32 blocks) {
      return static_cast<u32>(std::clamp<u64>(first * scale >> i, 1, u64{blocks} * scale));
    };
    level.width = scaled(d.Width, level.width);
    if (d.Height) level.height = scaled(d.Height, level.height);
    level.base += view.firstLayer * level.slice;
  }
  if (texture.layered) texture.layers = view.lastLayer - view.firstLayer + 1;
  std::shift_left(texture.level.begin(), texture.level.end(), view.firstMipmapLevel);
  texture.levels = static_cast<u8>(view.lastMipmapLevel - view.firstMipmapLevel + 1);
  return CUDA_SUCCESS;
}

CUresult read_array(CUarray handle, const CUDA_RESOURCE_VIEW_DESC* view, Resource& out) {
  const auto array = memory_tables().arrays.find(handle);
  if (!array) return refuse_texture("its array does not exist");
  read_first_level(*array, out);
  return view ? apply(*view, array->descriptor(), out) : CUDA_SUCCESS;
}

CUresult read_mipmap(CUmipmappedArray handle, const CUDA_RESOURCE_VIEW_DESC* view, Resource& out) {
  const auto mipmap = memory_tables().mipmapped_arrays.find(handle);
  if (!mipmap) return refuse_texture("its mipmapped array does not exist");
  const auto& levels = mipmap->levels();
  const auto first = memory_tables().arrays.find(levels.front());
  read_first_level(*first, out);
  out.texture.mipmapped = true;
  out.texture.levels = static_cast<u8>(levels.size());
  for (std::size_t i = 1; i < levels.size(); ++i)
    out.texture.level[i] = level_of(*memory_tables().arrays.find(levels[i]));
  return view ? apply(*view, first->descriptor(), out) : CUDA_SUCCESS;
}

/// Sets the texel format of memory that is no array.
CUresult read_memory(CUdeviceptr address, CUarray_format format, unsigned channels, Resource& out) {
  const auto element = element_format(format, channels);
  if (!element || element->block() > 1)
    return refuse_texture("memory has no elements of format {:#x} with {} channels",
                          static_cast<unsigned>(format), channels);
  const u64 alignment = limit(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  if (address % alignment)
    return refuse_texture("the address {:#x} is no multiple of {} bytes", address, alignment);
  out.element = *element;
  return CUDA_SUCCESS;
}

CUresult read_linear(const decltype(CUDA_RESOURCE_DESC::res.linear)& linear, Resource& out) {
  if (const CUresult bad = read_memory(linear.devPtr, linear.format, linear.numChannels, out))
    return bad;
  const u64 width = linear.sizeInBytes / out.element.bytes;
  const u64 most = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
  if (!width || width > most)
    return refuse_texture("{} bytes have {} elements, and 1 to {} are possible", linear.sizeInBytes,
                          width, most);
  const u64 bytes = width * out.element.bytes;
  if (!is_device_range(linear.devPtr, bytes))
    return refuse_texture("{} bytes at {:#x} are not memory of a device", bytes, linear.devPtr);
  out.texture.linear = true;
  out.texture.level[0] = {linear.devPtr, static_cast<u32>(width), 1, 1, bytes, bytes};
  return CUDA_SUCCESS;
}

CUresult read_pitched(const decltype(CUDA_RESOURCE_DESC::res.pitch2D)& rows, Resource& out) {
  if (const CUresult bad = read_memory(rows.devPtr, rows.format, rows.numChannels, out)) return bad;
  const u64 widest = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH);
  const u64 highest = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT);
  if (!rows.width || rows.width > widest || !rows.height || rows.height > highest)
    return refuse_texture("it has {} rows of {} elements, and {} of {} are possible", rows.height,
                          rows.width, highest, widest);
  const u64 alignment = limit(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
  const u64 row = rows.width * out.element.bytes, pitch = rows.pitchInBytes;
  if (pitch % alignment || pitch > limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH) ||
      pitch < row)
    return refuse_texture(
        "the pitch of {} bytes is no multiple of {}, is less than a row of {} bytes, or is too "
        "large",
        pitch, alignment, row);
  const u64 bytes = (rows.height - 1) * pitch + row;
  if (!is_device_range(rows.devPtr, bytes))
    return refuse_texture("{} bytes at {:#x} are not memory of a device", bytes, rows.devPtr);
  out.texture.dimensions = 2;
  out.texture.level[0] = {
      rows.devPtr, static_cast<u32>(rows.width), static_cast<u32>(rows.height), 1, pitch, bytes};
  return CUDA_SUCCESS;
}

}  // namespace

CUresult read_resource(const CUDA_RESOURCE_DESC& resource, const CUDA_RESOURCE_VIEW_DESC* view,
                       Resource& out) {
  out = {};
  if (resource.flags) return refuse_texture("the resource has flags, which must be 0");
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      return read_array(resource.res.array.hArray, view, out);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      return read_mipmap(resource.res.mipmap.hMipmappedArray, view, out);
    case CU_RESOURCE_TYPE_LINEAR:
      if (view) return refuse_texture("only arrays have views");
      return read_linear(resource.res.linear, out);
    case CU_RESOURCE_TYPE_PITCH2D:
      if (view) return refuse_texture("only arrays have views");
      return read_pitched(resource.res.pitch2D, out);
  }
  return refuse_texture("{} is no type of resource", static_cast<int>(resource.resType));
}

}  // namespace heddle::driver
