// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/texture/reference.h"

#include "driver/core/process.h"

namespace heddle::driver {
namespace {

using isa::AddressMode;

CUaddress_mode address_mode(AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap:
      return CU_TR_ADDRESS_MODE_WRAP;
    case AddressMode::mirror:
      return CU_TR_ADDRESS_MODE_MIRROR;
    case AddressMode::clamp_to_border:
      return CU_TR_ADDRESS_MODE_BORDER;
    case AddressMode::clamp_ogl:
    case AddressMode::clamp_to_edge:
      break;
  }
  return CU_TR_ADDRESS_MODE_CLAMP;
}

CUDA_RESOURCE_DESC resource_of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}

}  // namespace

bool Reference::has_changed() {
  const std::lock_guard lock(mutex_);
  return changed_;
}

CUresult Reference::publish() {
  const std::lock_guard lock(mutex_);
  auto& textures = device_memory().textures();
  const isa::TextureObject* const old = textures.find(handle_);
  if (!old) return CUDA_SUCCESS;
  isa::TextureObject made;
  made.kind = old->kind;
  made.sampler = old->sampler;
  if (const CUresult bad = make(made)) return bad;
  made.name = old->name;
  textures.set(handle_, made);
  changed_ = false;
  return CUDA_SUCCESS;
}

TextureReference::TextureReference(Context& context, u64 handle) : Reference(context, handle) {
  CUDA_TEXTURE_DESC& sampling = settings_.sampling;
  for (auto& mode : sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  const auto* const variable = handle ? device_memory().textures().find(handle) : nullptr;
  if (!variable) return;
  const isa::Sampler& sampler = variable->sampler;
  for (std::size_t i = 0; i < sampler.address.size(); ++i) {
    sampling.addressMode[i] = address_mode(sampler.address[i]);
    settings_.clamps_as_opengl[i] = sampler.address[i] == AddressMode::clamp_ogl;
  }
  if (sampler.filter == isa::TextureFilter::linear) sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  if (sampler.normalized) sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
}

CUresult TextureReference::make(isa::TextureObject& out) const {
  if (!settings_.resource) return CUDA_SUCCESS;
  TextureDescription description{
      .resource = *settings_.resource, .sampling = settings_.sampling, .view = {}};
  auto& res = description.resource.res;
  if (description.resource.resType == CU_RESOURCE_TYPE_LINEAR) {
    res.linear.format = settings_.format;
    res.linear.numChannels = settings_.channels;
  }
  if (const CUresult bad = make_texture(description, out)) return bad;
  for (u32 i = 0; i < out.texture.dimensions; ++i) {
    if (settings_.clamps_as_opengl[i] && !out.texture.linear)
      out.sampler.address[i] = AddressMode::clamp_ogl;
  }
  return CUDA_SUCCESS;
}

CUresult SurfaceReference::bind(CUarray array) {
  isa::TextureObject made;
  if (const CUresult bad = make_surface(resource_of(array), made)) return bad;
  const std::lock_guard lock(mutex_);
  array_ = array;
  changed_ = true;
  return CUDA_SUCCESS;
}

CUarray SurfaceReference::array() {
  const std::lock_guard lock(mutex_);
  return array_;
}

CUresult SurfaceReference::make(isa::TextureObject& out) const {
  return array_ ? make_surface(resource_of(array_), out) : CUDA_SUCCESS;
}

}  // namespace heddle::driver
