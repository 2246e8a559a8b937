// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays and mipmapped arrays. Driver API 6.13.
#include "driver/core/memory/array.h"
#include "driver/api.h"
#include "driver/core/memory/tables.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

template <class Body>
CUresult with_array(CUarray handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto array = memory_tables().arrays.find(handle);
    return array ? body(context, *array) : CUDA_ERROR_INVALID_HANDLE;
  });
}

template <class Body>
CUresult with_mipmap(CUmipmappedArray handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto mipmap = memory_tables().mipmapped_arrays.find(handle);
    return mipmap ? body(context, *mipmap) : CUDA_ERROR_INVALID_HANDLE;
  });
}

// Serves queries about sparse arrays, arrays of planes and arrays without memory, which Heddle does
// not create.
CUresult refuse_array(CUarray handle) {
  return with_array(handle, [](Context&, Array&) -> CUresult { return CUDA_ERROR_INVALID_VALUE; });
}

CUresult refuse_mipmap(CUmipmappedArray handle) {
  return with_mipmap(
      handle, [](Context&, MipmappedArray&) -> CUresult { return CUDA_ERROR_INVALID_VALUE; });
}

}  // namespace

CUresult cuArrayCreate_v2(CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  if (!pAllocateArray) return cuArray3DCreate_v2(pHandle, nullptr);
  const CUDA_ARRAY3D_DESCRIPTOR descriptor{pAllocateArray->Width,  pAllocateArray->Height,      0,
                                           pAllocateArray->Format, pAllocateArray->NumChannels, 0};
  return cuArray3DCreate_v2(pHandle, &descriptor);
}

CUresult cuArray3DCreate_v2(CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  return in_context([&](Context& context) -> CUresult {
    if (!pHandle || !pAllocateArray) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = refuse_unsafe()) return bad;
    return Array::create(context, *pAllocateArray, *pHandle);
  });
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  return with_array(hArray, [&](Context&, Array& array) {
    const auto& from = array.descriptor();
    return give(pArrayDescriptor,
                CUDA_ARRAY_DESCRIPTOR{from.Width, from.Height, from.Format, from.NumChannels});
  });
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  return with_array(
      hArray, [&](Context&, Array& array) { return give(pArrayDescriptor, array.descriptor()); });
}

CUresult cuArrayDestroy(CUarray hArray) {
  return with_array(hArray, [&](Context& context, Array& array) -> CUresult {
    if (array.is_level) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult bad = refuse_unsafe()) return bad;
    if (const CUresult error = context.synchronize()) return error;
    memory_tables().arrays.remove(hArray);
    return CUDA_SUCCESS;
  });
}

CUresult cuArrayGetPlane(CUarray*, CUarray hArray, unsigned int) { return refuse_array(hArray); }
CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES*, CUarray array) {
  return refuse_array(array);
}
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS*, CUarray array, CUdevice) {
  return refuse_array(array);
}
CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES*,
                                             CUmipmappedArray mipmap) {
  return refuse_mipmap(mipmap);
}
CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS*,
                                               CUmipmappedArray mipmap, CUdevice) {
  return refuse_mipmap(mipmap);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* pHandle,
                                const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
                                unsigned int numMipmapLevels) {
  return in_context([&](Context& context) -> CUresult {
    if (!pHandle || !pMipmappedArrayDesc) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = refuse_unsafe()) return bad;
    return MipmappedArray::create(context, *pMipmappedArrayDesc, numMipmapLevels, *pHandle);
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray* pLevelArray, CUmipmappedArray hMipmappedArray,
                                  unsigned int level) {
  return with_mipmap(hMipmappedArray, [&](Context&, MipmappedArray& mipmap) -> CUresult {
    if (level >= mipmap.levels().size()) return CUDA_ERROR_INVALID_VALUE;
    return give(pLevelArray, mipmap.levels()[level]);
  });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  return with_mipmap(hMipmappedArray, [&](Context& context, MipmappedArray&) -> CUresult {
    if (const CUresult bad = refuse_unsafe()) return bad;
    if (const CUresult error = context.synchronize()) return error;
    memory_tables().mipmapped_arrays.remove(hMipmappedArray);
    return CUDA_SUCCESS;
  });
}
