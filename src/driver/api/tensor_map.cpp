// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps. Driver API 6.30. isa/sem/tensor_map_limits.h has the limits that hold for all maps.
#include <cstring>

#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/log.h"
#include "machine/tensor_map_text.h"

using namespace heddle::driver;
using namespace heddle;
using sem::TensorMap;
using sem::TensorMapFault;
using sem::TensorType;

namespace {

static_assert(sizeof(CUtensorMap) == sem::kTensorMapBytes);

/// The devices that have tensor maps; those with sub-byte types, atoms of swizzling and
/// im2col::w.
constexpr int kFirstMajor = 9, kFirstWideMajor = 10;

/// The arguments that all maps have.
struct Tensor {
  CUtensorMapDataType type;
  cuuint32_t rank;
  void* address;
  const cuuint64_t *dims, *strides;
  const cuuint32_t* element_strides;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

constexpr TensorType kTypes[] = {
    TensorType::u8,       TensorType::u16,   TensorType::u32,       TensorType::s32,
    TensorType::u64,      TensorType::s64,   TensorType::f16,       TensorType::f32,
    TensorType::f64,      TensorType::bf16,  TensorType::f32_ftz,   TensorType::tf32,
    TensorType::tf32_ftz, TensorType::b4x16, TensorType::b4x16_p64, TensorType::b6x16,
};

struct SwizzleFields {
  sem::TensorSwizzle mode;
  sem::SwizzleAtom atom;
};
constexpr SwizzleFields kSwizzles[] = {
    {sem::TensorSwizzle::none, sem::SwizzleAtom::b16},
    {sem::TensorSwizzle::b32, sem::SwizzleAtom::b16},
    {sem::TensorSwizzle::b64, sem::SwizzleAtom::b16},
    {sem::TensorSwizzle::b128, sem::SwizzleAtom::b16},
    {sem::TensorSwizzle::b128, sem::SwizzleAtom::b32},
    {sem::TensorSwizzle::b128, sem::SwizzleAtom::b32_flip_8b},
    {sem::TensorSwizzle::b128, sem::SwizzleAtom::b64},
};

/// Keeps the reason as a message of the driver.
CUresult result_of(const char* function, TensorMapFault fault, const TensorMap& map) {
  if (fault == TensorMapFault::none) return CUDA_SUCCESS;
  keep_message(CU_LOG_LEVEL_ERROR, fmt::format("{}: {}", function, machine::describe(fault, map)));
  // What the bytes of an interleaved tensor are is not published.
  if (fault == TensorMapFault::interleave) return CUDA_ERROR_NOT_SUPPORTED;
  return CUDA_ERROR_INVALID_VALUE;
}

bool is_aligned(const CUtensorMap* map) {
  return map && reinterpret_cast<u64>(map) % sem::kTensorMapAlignment == 0;
}

/// Whether the device has what the arguments name.
bool exists_on(const Device& device, const Tensor& tensor) {
  if (device.major() >= kFirstWideMajor) return true;
  return tensor.swizzle <= CU_TENSOR_MAP_SWIZZLE_128B &&
         tensor.type < CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
}

/// The fields of a map that do not depend on its mode.
CUresult begin_map(const Device& device, const Tensor& tensor, TensorMap& map) {
  if (device.major() < kFirstMajor) return CUDA_ERROR_NOT_SUPPORTED;
  if (static_cast<unsigned>(tensor.type) >= std::size(kTypes) ||
      static_cast<unsigned>(tensor.swizzle) >= std::size(kSwizzles) ||
      static_cast<unsigned>(tensor.interleave) > CU_TENSOR_MAP_INTERLEAVE_32B ||
      static_cast<unsigned>(tensor.promotion) > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
      static_cast<unsigned>(tensor.fill) > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!exists_on(device, tensor)) return CUDA_ERROR_INVALID_VALUE;
  if (tensor.rank == 0 || tensor.rank > sem::kMostTensorRank) return CUDA_ERROR_INVALID_VALUE;
  if (!tensor.dims || !tensor.element_strides || (tensor.rank > 1 && !tensor.strides))
    return CUDA_ERROR_INVALID_VALUE;
  map.address = reinterpret_cast<u64>(tensor.address);
  map.rank = static_cast<u8>(tensor.rank);
  map.type = kTypes[tensor.type];
  map.interleave = static_cast<u8>(tensor.interleave);
  map.swizzle_mode = kSwizzles[tensor.swizzle].mode;
  map.swizzle_atom = kSwizzles[tensor.swizzle].atom;
  map.fills_with_nan = tensor.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  map.promotion = static_cast<u8>(tensor.promotion);
  for (u32 i = 0; i < tensor.rank; ++i) map.dims[i] = tensor.dims[i];
  for (u32 i = 0; i + 1 < tensor.rank; ++i) map.strides[i] = tensor.strides[i];
  for (u32 i = 1; i < tensor.rank; ++i) map.element_strides[i] = tensor.element_strides[i];
  // Loads alone have this type, and there is no load with these atoms.
  if (map.type == TensorType::b4x16_p64 && tensor.swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/// Writes the map if `add` gives it the fields of its mode, and it keeps all limits.
template <class Add>
CUresult encode(const char* function, CUtensorMap* out, const Tensor& tensor, Add add) {
  return in_context([&](Context& context) -> CUresult {
    TensorMap map;
    if (!is_aligned(out)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = begin_map(context.device(), tensor, map)) return bad;
    if (!add(context.device(), map)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = result_of(function, tensor_map_fault(map), map)) return bad;
    sem::TensorMapWords words;
    pack_tensor_map(map, words);
    std::memcpy(out, words, sizeof words);
    return CUDA_SUCCESS;
  });
}

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                cuuint32_t tensorRank, void* globalAddress,
                                const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion,
                                CUtensorMapFloatOOBfill oobFill) {
  const Tensor tensor{tensorDataType, tensorRank, globalAddress, globalDim,   globalStrides,
                      elementStrides, interleave, swizzle,       l2Promotion, oobFill};
  return encode("cuTensorMapEncodeTiled", tensorMap, tensor, [&](const Device&, TensorMap& map) {
    if (!boxDim) return false;
    for (u32 i = 0; i < tensorRank; ++i) map.box[i] = boxDim[i];
    return true;
  });
}

// Corners are in the order W, H, D, as programs pass them; the manual has it the other way round.
CUresult cuTensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                 cuuint32_t tensorRank, void* globalAddress,
                                 const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                 const int* pixelBoxLowerCorner, const int* pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                 CUtensorMapFloatOOBfill oobFill) {
  const Tensor tensor{tensorDataType, tensorRank, globalAddress, globalDim,   globalStrides,
                      elementStrides, interleave, swizzle,       l2Promotion, oobFill};
  return encode("cuTensorMapEncodeIm2col", tensorMap, tensor, [&](const Device&, TensorMap& map) {
    if (tensorRank < 3 || !pixelBoxLowerCorner || !pixelBoxUpperCorner) return false;
    map.mode = sem::TensorMode::im2col;
    for (u32 i = 0; i < tensorRank - 2; ++i) {
      map.lower[i] = pixelBoxLowerCorner[i];
      map.upper[i] = pixelBoxUpperCorner[i];
    }
    map.channels = channelsPerPixel;
    map.pixels = pixelsPerColumn;
    return true;
  });
}

CUresult cuTensorMapEncodeIm2colWide(
    CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
    int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill) {
  const Tensor tensor{tensorDataType, tensorRank, globalAddress, globalDim,   globalStrides,
                      elementStrides, interleave, swizzle,       l2Promotion, oobFill};
  return encode("cuTensorMapEncodeIm2colWide", tensorMap, tensor,
                [&](const Device& device, TensorMap& map) {
                  if (device.major() < kFirstWideMajor) return false;
                  if (static_cast<unsigned>(mode) > CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)
                    return false;
                  const bool by_128 = mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128;
                  map.mode = by_128 ? sem::TensorMode::im2col_w_128 : sem::TensorMode::im2col_w;
                  map.lower[0] = pixelBoxLowerCornerWidth;
                  map.upper[0] = pixelBoxUpperCornerWidth;
                  map.channels = channelsPerPixel;
                  map.pixels = by_128 ? 0 : pixelsPerColumn;  // which 128 pixels ignore
                  return true;
                });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* globalAddress) {
  return in_context([&](Context& context) -> CUresult {
    if (context.device().major() < kFirstMajor) return CUDA_ERROR_NOT_SUPPORTED;
    if (!is_aligned(tensorMap)) return CUDA_ERROR_INVALID_VALUE;
    sem::TensorMapWords words;
    std::memcpy(words, tensorMap, sizeof words);
    words[0] = reinterpret_cast<u64>(globalAddress);
    const TensorMap map = sem::unpack_tensor_map(words);
    if (const CUresult bad =
            result_of("cuTensorMapReplaceAddress", tensor_map_fault(words, map), map))
      return bad;
    std::memcpy(tensorMap, words, sizeof words);
    return CUDA_SUCCESS;
  });
}
