// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references. Driver API 6.11, 6.23, 6.26, 6.27.
#include <algorithm>

#include "driver/api.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/array.h"
#include "driver/core/memory/tables.h"
#include "driver/core/module/module.h"
#include "driver/core/module/tables.h"
#include "driver/core/stream/in_stream.h"
#include "driver/core/texture/reference.h"
#include "driver/core/texture/resource.h"
#include "driver/core/texture/tables.h"

using namespace heddle::driver;

namespace {

using Settings = TextureReference::Settings;

template <class Body>
CUresult with_reference(CUtexref handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto reference = texture_tables().texture_references.find(handle);
    return reference ? body(context, *reference) : CUDA_ERROR_INVALID_VALUE;
  });
}

/// Runs `body(settings)`, which changes the settings only when it returns CUDA_SUCCESS.
template <class Body>
CUresult change(CUtexref handle, Body body) {
  return with_reference(
      handle, [&](Context&, TextureReference& reference) { return reference.change(body); });
}

template <class Body>
CUresult read(CUtexref handle, Body body) {
  return with_reference(
      handle, [&](Context&, TextureReference& reference) { return reference.read(body); });
}

/// The reference `name` of a module, which `find(module)` returns; null: there is none.
template <class Handle, class Find>
CUresult find_in_module(Handle* out, CUmodule handle, const char* name, Find find) {
  return in_context([&](Context&) -> CUresult {
    const auto module = module_tables().modules.find(handle);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
    const Handle found = find(*module);
    if (!found) return CUDA_ERROR_NOT_FOUND;
    *out = found;
    return CUDA_SUCCESS;
  });
}

bool is_filter(CUfilter_mode mode) {
  return mode == CU_TR_FILTER_MODE_POINT || mode == CU_TR_FILTER_MODE_LINEAR;
}

/// Binds what `bind(resource)` fills in, in place of all that was bound before.
template <class Bind>
void rebind(Settings& settings, CUresourcetype type, Bind bind) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = type;
  bind(resource.res);
  settings.resource = resource;
}

/// The format of an array overrides the format that was set.
void take_format(Settings& settings, const CUDA_ARRAY3D_DESCRIPTOR& array) {
  settings.format = array.Format;
  settings.channels = array.NumChannels;
}

/// Reads what is bound, when it is of this type.
template <class Read>
CUresult read_bound(CUtexref handle, CUresourcetype type, Read read_resource) {
  return read(handle, [&](const Settings& settings) -> CUresult {
    if (!settings.resource || settings.resource->resType != type) return CUDA_ERROR_INVALID_VALUE;
    return read_resource(settings.resource->res);
  });
}

size_t texture_alignment(Context& context) {
  return static_cast<size_t>(
      *device_attribute(context.device(), CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
}

}  // namespace

CUresult cuModuleGetTexRef(CUtexref* pTexRef, CUmodule hmod, const char* name) {
  return find_in_module(pTexRef, hmod, name,
                        [&](Module& module) { return module.texture_reference(name); });
}

CUresult cuModuleGetSurfRef(CUsurfref* pSurfRef, CUmodule hmod, const char* name) {
  return find_in_module(pSurfRef, hmod, name,
                        [&](Module& module) { return module.surface_reference(name); });
}

// A kernel finds the references of its module without an argument.
CUresult cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](Context& context, TextureReference& reference) -> CUresult {
    if (!find_function(context, hfunc)) return CUDA_ERROR_INVALID_HANDLE;
    const bool is_good = texunit == CU_PARAM_TR_DEFAULT && reference.is_of_module();
    return is_good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuTexRefCreate(CUtexref* pTexRef) {
  return in_context([&](Context& context) -> CUresult {
    if (!pTexRef) return CUDA_ERROR_INVALID_VALUE;
    *pTexRef =
        texture_tables().texture_references.add(std::make_shared<TextureReference>(context, 0));
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefDestroy(CUtexref hTexRef) {
  return with_reference(hTexRef, [&](Context&, TextureReference& reference) -> CUresult {
    if (reference.is_of_module()) return CUDA_ERROR_INVALID_VALUE;
    texture_tables().texture_references.remove(hTexRef);
    return CUDA_SUCCESS;
  });
}

// --- memory ---

CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    const auto array = memory_tables().arrays.find(hArray);
    if (!array || Flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    take_format(settings, array->descriptor());
    rebind(settings, CU_RESOURCE_TYPE_ARRAY, [&](auto& res) { res.array.hArray = hArray; });
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                   unsigned int Flags) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    const auto mipmap = memory_tables().mipmapped_arrays.find(hMipmappedArray);
    if (!mipmap || Flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    take_format(settings, memory_tables().arrays.find(mipmap->levels().front())->descriptor());
    rebind(settings, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
           [&](auto& res) { res.mipmap.hMipmappedArray = hMipmappedArray; });
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetAddress_v2(size_t* ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
                               size_t bytes) {
  return with_reference(hTexRef, [&](Context& context, TextureReference& reference) {
    return reference.change([&](Settings& settings) -> CUresult {
      const size_t offset = dptr % texture_alignment(context);
      if (!bytes || (offset && !ByteOffset) || !is_device_range(dptr - offset, bytes + offset))
        return CUDA_ERROR_INVALID_VALUE;
      rebind(settings, CU_RESOURCE_TYPE_LINEAR, [&](auto& res) {
        res.linear.devPtr = dptr - offset;
        res.linear.sizeInBytes = bytes + offset;
      });
      if (ByteOffset) *ByteOffset = offset;
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc,
                                 CUdeviceptr dptr, size_t Pitch) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    if (!desc) return CUDA_ERROR_INVALID_VALUE;
    Settings bound = settings;
    bound.format = desc->Format;
    bound.channels = desc->NumChannels;
    rebind(bound, CU_RESOURCE_TYPE_PITCH2D, [&](auto& res) {
      res.pitch2D = {dptr, desc->Format, desc->NumChannels, desc->Width, desc->Height, Pitch};
    });
    Resource resource;
    if (const CUresult bad = read_resource(*bound.resource, nullptr, resource)) return bad;
    settings = bound;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc,
                                 CUdeviceptr dptr, size_t Pitch) {
  return cuTexRefSetAddress2D_v3(hTexRef, desc, dptr, Pitch);
}

CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    const auto channels = static_cast<unsigned>(NumPackedComponents);
    if (!element_format(fmt, channels)) return CUDA_ERROR_INVALID_VALUE;
    // Arrays and rows have their own format, which cannot be changed afterwards.
    const bool is_free =
        !settings.resource || settings.resource->resType == CU_RESOURCE_TYPE_LINEAR;
    if (!is_free && (settings.format != fmt || settings.channels != channels))
      return CUDA_ERROR_INVALID_VALUE;
    settings.format = fmt;
    settings.channels = channels;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr* pdptr, CUtexref hTexRef) {
  return read(hTexRef, [&](const Settings& settings) -> CUresult {
    if (!settings.resource) return CUDA_ERROR_INVALID_VALUE;
    const auto& res = settings.resource->res;
    switch (settings.resource->resType) {
      case CU_RESOURCE_TYPE_LINEAR:
        return give(pdptr, res.linear.devPtr);
      case CU_RESOURCE_TYPE_PITCH2D:
        return give(pdptr, res.pitch2D.devPtr);
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuTexRefGetArray(CUarray* phArray, CUtexref hTexRef) {
  return read_bound(hTexRef, CU_RESOURCE_TYPE_ARRAY,
                    [&](const auto& res) { return give(phArray, res.array.hArray); });
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray* phMipmappedArray, CUtexref hTexRef) {
  return read_bound(hTexRef, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, [&](const auto& res) {
    return give(phMipmappedArray, res.mipmap.hMipmappedArray);
  });
}

CUresult cuTexRefGetFormat(CUarray_format* pFormat, int* pNumChannels, CUtexref hTexRef) {
  return read(hTexRef, [&](const Settings& settings) -> CUresult {
    if (!settings.channels) return CUDA_ERROR_INVALID_VALUE;
    if (pFormat) *pFormat = settings.format;
    if (pNumChannels) *pNumChannels = static_cast<int>(settings.channels);
    return CUDA_SUCCESS;
  });
}

// --- sampling ---

CUresult cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    if (dim < 0 || dim > 2 || am < CU_TR_ADDRESS_MODE_WRAP || am > CU_TR_ADDRESS_MODE_BORDER)
      return CUDA_ERROR_INVALID_VALUE;
    settings.sampling.addressMode[dim] = am;
    settings.clamps_as_opengl[static_cast<size_t>(dim)] = false;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetAddressMode(CUaddress_mode* pam, CUtexref hTexRef, int dim) {
  return read(hTexRef, [&](const Settings& settings) -> CUresult {
    if (dim < 0 || dim > 2) return CUDA_ERROR_INVALID_VALUE;
    return give(pam, settings.sampling.addressMode[dim]);
  });
}

CUresult cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    if (!is_filter(fm)) return CUDA_ERROR_INVALID_VALUE;
    settings.sampling.filterMode = fm;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  return read(hTexRef,
              [&](const Settings& settings) { return give(pfm, settings.sampling.filterMode); });
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    if (!is_filter(fm)) return CUDA_ERROR_INVALID_VALUE;
    settings.sampling.mipmapFilterMode = fm;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  return read(hTexRef, [&](const Settings& settings) {
    return give(pfm, settings.sampling.mipmapFilterMode);
  });
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    settings.sampling.mipmapLevelBias = bias;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMipmapLevelBias(float* pbias, CUtexref hTexRef) {
  return read(hTexRef, [&](const Settings& settings) {
    return give(pbias, settings.sampling.mipmapLevelBias);
  });
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                                     float maxMipmapLevelClamp) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    settings.sampling.minMipmapLevelClamp = minMipmapLevelClamp;
    settings.sampling.maxMipmapLevelClamp = maxMipmapLevelClamp;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp,
                                     CUtexref hTexRef) {
  return read(hTexRef, [&](const Settings& settings) -> CUresult {
    if (!pminMipmapLevelClamp || !pmaxMipmapLevelClamp) return CUDA_ERROR_INVALID_VALUE;
    *pminMipmapLevelClamp = settings.sampling.minMipmapLevelClamp;
    *pmaxMipmapLevelClamp = settings.sampling.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    settings.sampling.maxAnisotropy = maxAniso;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMaxAnisotropy(int* pmaxAniso, CUtexref hTexRef) {
  return read(hTexRef, [&](const Settings& settings) {
    return give(pmaxAniso, static_cast<int>(settings.sampling.maxAnisotropy));
  });
}

CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float* pBorderColor) {
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    auto& sampling = settings.sampling;
    const bool has_border = std::ranges::count(sampling.addressMode, CU_TR_ADDRESS_MODE_BORDER);
    if (!pBorderColor || !has_border) return CUDA_ERROR_INVALID_VALUE;
    std::copy_n(pBorderColor, 4, sampling.borderColor);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetBorderColor(float* pBorderColor, CUtexref hTexRef) {
  return read(hTexRef, [&](const Settings& settings) -> CUresult {
    if (!pBorderColor) return CUDA_ERROR_INVALID_VALUE;
    std::copy_n(settings.sampling.borderColor, 4, pBorderColor);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags) {
  constexpr unsigned kFlags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                              CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  return change(hTexRef, [&](Settings& settings) -> CUresult {
    if (Flags & ~kFlags) return CUDA_ERROR_INVALID_VALUE;
    settings.sampling.flags = Flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetFlags(unsigned int* pFlags, CUtexref hTexRef) {
  return read(hTexRef,
              [&](const Settings& settings) { return give(pFlags, settings.sampling.flags); });
}

// --- surface references ---

CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
  return in_context([&](Context&) -> CUresult {
    const auto reference = texture_tables().surface_references.find(hSurfRef);
    if (!reference || Flags) return CUDA_ERROR_INVALID_VALUE;
    return reference->bind(hArray);
  });
}

CUresult cuSurfRefGetArray(CUarray* phArray, CUsurfref hSurfRef) {
  return in_context([&](Context&) -> CUresult {
    const auto reference = texture_tables().surface_references.find(hSurfRef);
    const CUarray array = reference ? reference->array() : nullptr;
    return array ? give(phArray, array) : CUDA_ERROR_INVALID_VALUE;
  });
}
