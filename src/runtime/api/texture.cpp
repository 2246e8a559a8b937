// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects. Runtime API 6.1, 6.29, 6.30. The structures of CUDA 12 and CUDA 13
// have the same members; those of CUDA 13 end with members for later use.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/array.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"

namespace heddle::runtime {
namespace {

/// Linear memory and rows describe their elements alike in both interfaces.
template <class From, class To>
cudaError_t memory_to_driver(const From& from, To& to) {
  ElementFormat format;
  if (const cudaError_t error = translate(from.desc, format)) return error;
  to.devPtr = reinterpret_cast<CUdeviceptr>(from.devPtr);
  to.format = format.format;
  to.numChannels = format.channels;
  return cudaSuccess;
}

template <class From, class To>
cudaError_t memory_to_runtime(const From& from, To& to) {
  to.devPtr = reinterpret_cast<void*>(from.devPtr);
  return translate({from.format, from.numChannels}, to.desc);
}

template <class From>
cudaError_t to_driver(const From& from, CUDA_RESOURCE_DESC& to) {
  to = {};
  to.resType = static_cast<CUresourcetype>(from.resType);
  if constexpr (requires { from.flags; }) to.flags = from.flags;
  switch (from.resType) {
    case cudaResourceTypeArray:
      to.res.array.hArray = as<CUarray>(from.res.array.array);
      return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
      to.res.mipmap.hMipmappedArray = as<CUmipmappedArray>(from.res.mipmap.mipmap);
      return cudaSuccess;
    case cudaResourceTypeLinear:
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      return memory_to_driver(from.res.linear, to.res.linear);
    case cudaResourceTypePitch2D:
      to.res.pitch2D.width = from.res.pitch2D.width;
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      return memory_to_driver(from.res.pitch2D, to.res.pitch2D);
  }
  return cudaErrorInvalidValue;
}

template <class To>
cudaError_t to_runtime(const CUDA_RESOURCE_DESC& from, To& to) {
  to = {};
  to.resType = static_cast<cudaResourceType>(from.resType);
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.res.array.array = as<cudaArray_t>(from.res.array.hArray);
      return cudaSuccess;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      to.res.mipmap.mipmap = as<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
      return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR:
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      return memory_to_runtime(from.res.linear, to.res.linear);
    case CU_RESOURCE_TYPE_PITCH2D:
      to.res.pitch2D.width = from.res.pitch2D.width;
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      return memory_to_runtime(from.res.pitch2D, to.res.pitch2D);
  }
  return cudaErrorInvalidValue;
}

/// The members of the runtime that are flags of the driver.
struct Flag {
  int cudaTextureDesc::* member;
  unsigned flag;
};
constexpr Flag kFlags[] = {
    {&cudaTextureDesc::sRGB, CU_TRSF_SRGB},
    {&cudaTextureDesc::normalizedCoords, CU_TRSF_NORMALIZED_COORDINATES},
    {&cudaTextureDesc::disableTrilinearOptimization, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION},
    {&cudaTextureDesc::seamlessCubemap, CU_TRSF_SEAMLESS_CUBEMAP},
};

cudaError_t to_driver(const cudaTextureDesc& from, CUDA_TEXTURE_DESC& to) {
  if (from.readMode != cudaReadModeElementType && from.readMode != cudaReadModeNormalizedFloat)
    return cudaErrorInvalidValue;
  to = {};
  for (int i = 0; i < 3; ++i) to.addressMode[i] = static_cast<CUaddress_mode>(from.addressMode[i]);
  to.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  if (from.readMode == cudaReadModeElementType) to.flags = CU_TRSF_READ_AS_INTEGER;
  for (const auto& [member, flag] : kFlags) to.flags |= from.*member ? flag : 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  for (int i = 0; i < 4; ++i) to.borderColor[i] = from.borderColor[i];
  return cudaSuccess;
}

cudaTextureDesc to_runtime(const CUDA_TEXTURE_DESC& from) {
  cudaTextureDesc to{};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  to.readMode =
      from.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  for (const auto& [member, flag] : kFlags) to.*member = (from.flags & flag) != 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  for (int i = 0; i < 4; ++i) to.borderColor[i] = from.borderColor[i];
  return to;
}

/// Copies the members that the driver's structure and both of the runtime have in common.
template <class To, class From>
To copy_view(const From& from) {
  To to{};
  to.format = static_cast<decltype(to.format)>(from.format);
  to.width = from.width;
  to.height = from.height;
  to.depth = from.depth;
  to.firstMipmapLevel = from.firstMipmapLevel;
  to.lastMipmapLevel = from.lastMipmapLevel;
  to.firstLayer = from.firstLayer;
  to.lastLayer = from.lastLayer;
  return to;
}

template <class Resource, class View>
cudaError_t create_texture(cudaTextureObject_t* texture, const Resource* resource,
                           const cudaTextureDesc* sampling, const View* view) {
  if (!resource || !sampling) return cudaErrorInvalidValue;
  CUDA_RESOURCE_DESC data;
  CUDA_TEXTURE_DESC modes;
  CUDA_RESOURCE_VIEW_DESC seen{};
  if (const cudaError_t error = to_driver(*resource, data)) return error;
  if (const cudaError_t error = to_driver(*sampling, modes)) return error;
  if (view) seen = copy_view<CUDA_RESOURCE_VIEW_DESC>(*view);
  return in_context(
      [&] { return cuTexObjectCreate(texture, &data, &modes, view ? &seen : nullptr); });
}

template <class Resource>
cudaError_t create_surface(cudaSurfaceObject_t* surface, const Resource* resource) {
  if (!resource) return cudaErrorInvalidValue;
  CUDA_RESOURCE_DESC data;
  if (const cudaError_t error = to_driver(*resource, data)) return error;
  return in_context([&] { return cuSurfObjectCreate(surface, &data); });
}

/// Writes what `find(&description)`, a function of the driver, returns.
template <class Resource, class Find>
cudaError_t give_resource(Resource* out, Find find) {
  if (!out) return cudaErrorInvalidValue;
  CUDA_RESOURCE_DESC found{};
  if (const cudaError_t error = in_context([&] { return find(&found); })) return error;
  return to_runtime(found, *out);
}

template <class View>
cudaError_t give_view(View* out, cudaTextureObject_t texture) {
  if (!out) return cudaErrorInvalidValue;
  CUDA_RESOURCE_VIEW_DESC found{};
  const cudaError_t error =
      in_context([&] { return cuTexObjectGetResourceViewDesc(&found, texture); });
  if (!error) *out = copy_view<View>(found);
  return error;
}

}  // namespace

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements,
                                                 const struct cudaChannelFormatDesc* fmtDesc,
                                                 int device) {
  if (!fmtDesc) return cudaErrorInvalidValue;
  ElementFormat format;
  if (const cudaError_t error = translate(*fmtDesc, format)) return error;
  if (const cudaError_t error = use_driver()) return error;
  return from_driver(cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, format.format,
                                                        format.channels, device));
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* pTexObject,
                                    const struct cudaResourceDesc* pResDesc,
                                    const struct cudaTextureDesc* pTexDesc,
                                    const struct cudaResourceViewDesc* pResViewDesc) {
  return create_texture(pTexObject, pResDesc, pTexDesc, pResViewDesc);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* pTexObject,
                                    const struct cudaResourceDesc12* pResDesc,
                                    const struct cudaTextureDesc* pTexDesc,
                                    const struct cudaResourceViewDesc12* pResViewDesc) {
  return create_texture(pTexObject, pResDesc, pTexDesc, pResViewDesc);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc* pResDesc,
                                             cudaTextureObject_t texObject) {
  return give_resource(pResDesc,
                       [&](auto* found) { return cuTexObjectGetResourceDesc(found, texObject); });
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc12* pResDesc,
                                             cudaTextureObject_t texObject) {
  return give_resource(pResDesc,
                       [&](auto* found) { return cuTexObjectGetResourceDesc(found, texObject); });
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc* pTexDesc,
                                            cudaTextureObject_t texObject) {
  if (!pTexDesc) return cudaErrorInvalidValue;
  CUDA_TEXTURE_DESC found{};
  const cudaError_t error =
      in_context([&] { return cuTexObjectGetTextureDesc(&found, texObject); });
  if (!error) *pTexDesc = to_runtime(found);
  return error;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc* pResViewDesc,
                                                 cudaTextureObject_t texObject) {
  return give_view(pResViewDesc, texObject);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc12* pResViewDesc,
                                                 cudaTextureObject_t texObject) {
  return give_view(pResViewDesc, texObject);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject,
                                    const struct cudaResourceDesc* pResDesc) {
  return create_surface(pSurfObject, pResDesc);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject,
                                    const struct cudaResourceDesc12* pResDesc) {
  return create_surface(pSurfObject, pResDesc);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc* pResDesc,
                                             cudaSurfaceObject_t surfObject) {
  return give_resource(pResDesc,
                       [&](auto* found) { return cuSurfObjectGetResourceDesc(found, surfObject); });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc12* pResDesc,
                                             cudaSurfaceObject_t surfObject) {
  return give_resource(pResDesc,
                       [&](auto* found) { return cuSurfObjectGetResourceDesc(found, surfObject); });
}

}  // namespace heddle::runtime
