// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoding of tensor maps: each argument at the edge of its range, one wrong argument at a time.
// Driver API 6.30.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "client.h"

namespace {

/// The arguments of the three functions; tiled is the first.
struct Arguments {
  CUtensorMap map{};
  CUtensorMap* out = &map;
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  cuuint32_t rank = 3;
  void* address = reinterpret_cast<void*>(0x7f0000001000);
  std::vector<cuuint64_t> dims = {64, 32, 16, 8, 4}, strides = {128, 4096, 65536, 524288};
  std::vector<cuuint32_t> box = {64, 8, 2, 1, 1}, steps = {1, 1, 1, 1, 1};
  std::vector<int> lower = {-1, -1, -1}, upper = {0, 0, 0};
  cuuint32_t channels = 64, pixels = 32;
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapIm2ColWideMode mode = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

  CUresult tiled() {
    return cuTensorMapEncodeTiled(out, type, rank, address, dims.data(), strides.data(), box.data(),
                                  steps.data(), interleave, swizzle, promotion, fill);
  }
  CUresult im2col() {
    return cuTensorMapEncodeIm2col(out, type, rank, address, dims.data(), strides.data(),
                                   lower.data(), upper.data(), channels, pixels, steps.data(),
                                   interleave, swizzle, promotion, fill);
  }
  CUresult wide() {
    return cuTensorMapEncodeIm2colWide(out, type, rank, address, dims.data(), strides.data(),
                                       lower[0], upper[0], channels, pixels, steps.data(),
                                       interleave, mode, swizzle, promotion, fill);
  }
};

constexpr CUresult kOk = CUDA_SUCCESS, kValue = CUDA_ERROR_INVALID_VALUE;

struct Case {
  const char* what;
  std::function<void(Arguments&)> change;
  CUresult expected;
};

// What holds for all maps.
const Case kAll[] = {
    {"nothing", [](Arguments&) {}, kOk},
    {"no address yet", [](Arguments& a) { a.address = nullptr; }, kOk},
    {"address 8", [](Arguments& a) { a.address = reinterpret_cast<void*>(8); }, kValue},
    {"rank 5", [](Arguments& a) { a.rank = 5; }, kOk},
    {"rank 6", [](Arguments& a) { a.rank = 6; }, kValue},
    {"rank 0", [](Arguments& a) { a.rank = 0; }, kValue},
    {"dimension 2^32", [](Arguments& a) { a.dims[1] = 1ull << 32; }, kOk},
    {"dimension 2^32 + 1", [](Arguments& a) { a.dims[1] = (1ull << 32) + 1; }, kValue},
    {"dimension 0", [](Arguments& a) { a.dims[2] = 0; }, kValue},
    {"stride 0", [](Arguments& a) { a.strides[0] = 0; }, kOk},
    {"falling strides", [](Arguments& a) { a.strides[1] = 16; }, kOk},
    {"stride 2^40 - 16", [](Arguments& a) { a.strides[1] = (1ull << 40) - 16; }, kOk},
    {"stride 2^40", [](Arguments& a) { a.strides[1] = 1ull << 40; }, kValue},
    {"stride 24", [](Arguments& a) { a.strides[0] = 24; }, kValue},
    {"a wrong stride behind the last", [](Arguments& a) { a.strides[3] = 1; }, kOk},
    {"step 8", [](Arguments& a) { a.steps[1] = 8; }, kOk},
    {"step 9", [](Arguments& a) { a.steps[1] = 9; }, kValue},
    {"step 0", [](Arguments& a) { a.steps[1] = 0; }, kValue},
    {"step 0 of dimension 0", [](Arguments& a) { a.steps[0] = 0; }, kOk},
    {"type 16", [](Arguments& a) { a.type = static_cast<CUtensorMapDataType>(16); }, kValue},
    {"swizzle 7", [](Arguments& a) { a.swizzle = static_cast<CUtensorMapSwizzle>(7); }, kValue},
    {"atoms of 32 bytes",
     [](Arguments& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B; }, kOk},
    {"a row beyond the span", [](Arguments& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; }, kValue},
    {"promotion 4", [](Arguments& a) { a.promotion = static_cast<CUtensorMapL2promotion>(4); },
     kValue},
    {"fill 2", [](Arguments& a) { a.fill = static_cast<CUtensorMapFloatOOBfill>(2); }, kValue},
    {"NaN of f16", [](Arguments& a) { a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; },
     kOk},
    {"NaN of u16",
     [](Arguments& a) {
       a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
       a.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
     },
     kValue},
    {"interleave 3", [](Arguments& a) { a.interleave = static_cast<CUtensorMapInterleave>(3); },
     kValue},
    {"map at 32",
     [](Arguments& a) {
       a.out = reinterpret_cast<CUtensorMap*>(reinterpret_cast<char*>(&a.map) + 32);
     },
     kValue},
    {"no map", [](Arguments& a) { a.out = nullptr; }, kValue},
};

const Case kTiled[] = {
    {"rank 1", [](Arguments& a) { a.rank = 1; }, kOk},
    {"rank 1 without strides", [](Arguments& a) { a.rank = 1, a.strides.clear(); }, kOk},
    {"box 256", [](Arguments& a) { a.box[1] = 256; }, kOk},
    {"box 257", [](Arguments& a) { a.box[1] = 257; }, kValue},
    {"box 0", [](Arguments& a) { a.box[2] = 0; }, kValue},
    {"rows of 8 bytes", [](Arguments& a) { a.box[0] = 4; }, kValue},
    {"packed, box 128",
     [](Arguments& a) {
       a.type = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
       a.box[0] = a.dims[0] = 128;
     },
     kOk},
    {"packed, box 64",
     [](Arguments& a) {
       a.type = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
       a.dims[0] = 128;
     },
     kValue},
    {"packed, dimension 192",
     [](Arguments& a) {
       a.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B;
       a.box[0] = 128, a.dims[0] = 192;
     },
     kValue},
    {"packed, address 16",
     [](Arguments& a) {
       a.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B;
       a.box[0] = a.dims[0] = 128, a.address = reinterpret_cast<void*>(16);
     },
     kValue},
    {"packed, stride 48",
     [](Arguments& a) {
       a.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B;
       a.box[0] = a.dims[0] = 128, a.strides[0] = 48;
     },
     kValue},
    {"packed, atoms of 64 bytes: stored only",
     [](Arguments& a) {
       a.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B;
       a.box[0] = a.dims[0] = 128, a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B;
     },
     kValue},
    {"4 bits, odd dimension",
     [](Arguments& a) {
       a.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
       a.dims[0] = 65;
     },
     kValue},
    {"4 bits, even dimension",
     [](Arguments& a) {
       a.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
       a.dims[0] = 66;
     },
     kOk},
    {"interleave", [](Arguments& a) { a.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; },
     CUDA_ERROR_NOT_SUPPORTED},
};

const Case kIm2col[] = {
    {"rank 2", [](Arguments& a) { a.rank = 2; }, kValue},
    {"corners of 16 bits", [](Arguments& a) { a.lower[0] = -32768, a.upper[0] = 32767; }, kOk},
    {"beyond 16 bits", [](Arguments& a) { a.lower[0] = -32769; }, kValue},
    {"corners of 8 bits", [](Arguments& a) { a.rank = 4, a.lower[1] = -128, a.upper[0] = 127; },
     kOk},
    {"beyond 8 bits", [](Arguments& a) { a.rank = 4, a.upper[1] = 128; }, kValue},
    {"corners of 5 bits", [](Arguments& a) { a.rank = 5, a.lower[2] = -16, a.upper[0] = 15; }, kOk},
    {"beyond 5 bits", [](Arguments& a) { a.rank = 5, a.lower[0] = -17; }, kValue},
    {"a box of one", [](Arguments& a) { a.lower[0] = 31; }, kOk},
    {"an empty box", [](Arguments& a) { a.lower[0] = 32; }, kValue},
};

// Both modes of im2col.
const Case kChannels[] = {
    {"channels 256", [](Arguments& a) { a.channels = 256, a.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; },
     kOk},
    {"channels 257", [](Arguments& a) { a.channels = 257, a.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; },
     kValue},
    {"channels 0", [](Arguments& a) { a.channels = 0; }, kValue},
    {"pixels 1024", [](Arguments& a) { a.pixels = 1024; }, kOk},
    {"pixels 1025", [](Arguments& a) { a.pixels = 1025; }, kValue},
    {"pixels 0", [](Arguments& a) { a.pixels = 0; }, kValue},
};

const Case kWide[] = {
    {"mode 2", [](Arguments& a) { a.mode = static_cast<CUtensorMapIm2ColWideMode>(2); }, kValue},
    {"any pixels with W128",
     [](Arguments& a) { a.pixels = 5000, a.mode = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128; }, kOk},
    {"16 bits in each rank", [](Arguments& a) { a.rank = 5, a.lower[0] = -32768; }, kOk},
    {"beyond 16 bits", [](Arguments& a) { a.upper[0] = 32768; }, kValue},
};

class TensorMap : public InContext {
 protected:
  template <std::size_t kCount>
  static void check(const Case (&cases)[kCount], CUresult (Arguments::*encode)(),
                    const char* function) {
    for (const Case& one : cases) {
      Arguments arguments;
      arguments.out = &arguments.map;
      one.change(arguments);
      EXPECT_EQ((arguments.*encode)(), one.expected) << function << ": " << one.what;
    }
  }
};

TEST_F(TensorMap, EncodeTiled) {
  check(kAll, &Arguments::tiled, "tiled");
  check(kTiled, &Arguments::tiled, "tiled");
}
TEST_F(TensorMap, EncodeIm2col) {
  check(kAll, &Arguments::im2col, "im2col");
  check(kChannels, &Arguments::im2col, "im2col");
  check(kIm2col, &Arguments::im2col, "im2col");
}
TEST_F(TensorMap, EncodeIm2colWide) {
  check(kAll, &Arguments::wide, "im2col wide");
  check(kChannels, &Arguments::wide, "im2col wide");
  check(kWide, &Arguments::wide, "im2col wide");
}

TEST_F(TensorMap, ReplaceAddressChangesNothingElse) {
  Arguments first, second;
  ASSERT_OK(first.tiled());
  second.address = reinterpret_cast<void*>(0x7f0000002000);
  ASSERT_OK(second.tiled());
  EXPECT_NE(std::memcmp(&first.map, &second.map, sizeof first.map), 0);
  EXPECT_OK(cuTensorMapReplaceAddress(&first.map, second.address));
  EXPECT_EQ(std::memcmp(&first.map, &second.map, sizeof first.map), 0);
  EXPECT_EQ(cuTensorMapReplaceAddress(&first.map, reinterpret_cast<void*>(8)), kValue);
  EXPECT_EQ(cuTensorMapReplaceAddress(nullptr, second.address), kValue);
  EXPECT_EQ(std::memcmp(&first.map, &second.map, sizeof first.map), 0);
}

// The message for the person whose program only sees INVALID_VALUE.
TEST_F(TensorMap, ARefusalIsExplained) {
  std::string text;
  CUlogsCallbackHandle callback = nullptr;
  const auto keep = [](void* to, CUlogLevel, char* message, size_t length) {
    static_cast<std::string*>(to)->assign(message, length);
  };
  ASSERT_OK(cuLogsRegisterCallback(keep, &text, &callback));
  Arguments arguments;
  arguments.box[1] = 300;
  EXPECT_EQ(arguments.tiled(), kValue);
  EXPECT_OK(cuLogsUnregisterCallback(callback));
  EXPECT_THAT(text, testing::HasSubstr("cuTensorMapEncodeTiled: the box 64 x 300 x 2 must have 1 "
                                       "to 256 elements in each dimension"));
}

}  // namespace
