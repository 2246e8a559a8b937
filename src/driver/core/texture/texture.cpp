// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/texture/texture.h"

#include "driver/core/context/context.h"
#include "driver/core/process.h"
#include "driver/core/texture/tables.h"

namespace heddle::driver {

CUresult Texture::create(Context& context, const TextureDescription& description,
                         CUtexObject& out) {
  isa::TextureObject object;
  if (const CUresult bad = make_texture(description, object)) return bad;
  const CUtexObject handle = device_memory().textures().add(object);
  if (!handle) return CUDA_ERROR_OUT_OF_MEMORY;
  texture_tables().textures.add(
      handle, std::shared_ptr<Texture>(new Texture(context, handle, description)));
  out = handle;
  return CUDA_SUCCESS;
}

Texture::~Texture() { device_memory().textures().remove(handle_); }

CUresult Surface::create(Context& context, const CUDA_RESOURCE_DESC& resource, CUsurfObject& out) {
  isa::TextureObject object;
  if (const CUresult bad = make_surface(resource, object)) return bad;
  const CUsurfObject handle = device_memory().textures().add(object);
  if (!handle) return CUDA_ERROR_OUT_OF_MEMORY;
  texture_tables().surfaces.add(handle,
                                std::shared_ptr<Surface>(new Surface(context, handle, resource)));
  out = handle;
  return CUDA_SUCCESS;
}

Surface::~Surface() { device_memory().textures().remove(handle_); }

}  // namespace heddle::driver
