// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects. Driver API 6.5, 6.28, 6.29.
#include "driver/api.h"
#include "driver/core/memory/element_format.h"
#include "driver/core/stream/in_stream.h"
#include "driver/core/texture/tables.h"
#include "driver/core/texture/texture.h"

using namespace heddle::driver;

namespace {

template <class Body>
CUresult with_texture(CUtexObject handle, Body body) {
  return in_context([&](Context&) -> CUresult {
    const auto texture = texture_tables().textures.find(handle);
    return texture ? body(texture->description()) : CUDA_ERROR_INVALID_VALUE;
  });
}

/// Waits for the kernels that may use the object, and removes it.
template <class Table, class Handle>
CUresult destroy(Table& table, Handle handle) {
  return in_context([&](Context& context) -> CUresult {
    if (!table.find(handle)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult error = context.synchronize()) return error;
    table.remove(handle);
    return CUDA_SUCCESS;
  });
}

}  // namespace

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, CUarray_format format,
                                            unsigned numChannels, CUdevice dev) {
  return with_device(dev, [&](Device& device) -> CUresult {
    const auto element = element_format(format, numChannels);
    if (!element || element->block() > 1) return CUDA_ERROR_INVALID_VALUE;
    const auto most = device_attribute(device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return give(maxWidthInElements, static_cast<size_t>(*most));
  });
}

CUresult cuTexObjectCreate(CUtexObject* pTexObject, const CUDA_RESOURCE_DESC* pResDesc,
                           const CUDA_TEXTURE_DESC* pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC* pResViewDesc) {
  return in_context([&](Context& context) -> CUresult {
    if (!pTexObject || !pResDesc || !pTexDesc) return CUDA_ERROR_INVALID_VALUE;
    TextureDescription description{.resource = *pResDesc, .sampling = *pTexDesc, .view = {}};
    if (pResViewDesc) description.view = *pResViewDesc;
    return Texture::create(context, description, *pTexObject);
  });
}

CUresult cuTexObjectDestroy(CUtexObject texObject) {
  return destroy(texture_tables().textures, texObject);
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUtexObject texObject) {
  return with_texture(texObject, [&](const TextureDescription& description) {
    return give(pResDesc, description.resource);
  });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* pTexDesc, CUtexObject texObject) {
  return with_texture(texObject, [&](const TextureDescription& description) {
    return give(pTexDesc, description.sampling);
  });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* pResViewDesc,
                                        CUtexObject texObject) {
  return with_texture(texObject, [&](const TextureDescription& description) -> CUresult {
    return description.view ? give(pResViewDesc, *description.view) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuSurfObjectCreate(CUsurfObject* pSurfObject, const CUDA_RESOURCE_DESC* pResDesc) {
  return in_context([&](Context& context) -> CUresult {
    if (!pSurfObject || !pResDesc) return CUDA_ERROR_INVALID_VALUE;
    return Surface::create(context, *pResDesc, *pSurfObject);
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject) {
  return destroy(texture_tables().surfaces, surfObject);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUsurfObject surfObject) {
  return in_context([&](Context&) -> CUresult {
    const auto surface = texture_tables().surfaces.find(surfObject);
    return surface ? give(pResDesc, surface->resource()) : CUDA_ERROR_INVALID_VALUE;
  });
}
