// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that work before cuInit: version, error texts, entry points. Driver API 6.2, 6.4, 6.33.
#include <gtest/gtest.h>

#include <string>

#include "driver/api.h"

namespace {

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

TEST(Version, AtLeastWhatProgramsOfCuda13Ask) {
  int version = 0;
  EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_GE(version, 13000);
  EXPECT_EQ(cuDriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(ErrorText, NameAndString) {
  const char* text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "invalid argument");
  EXPECT_EQ(cuGetErrorString(CUDA_SUCCESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "no error");
}

TEST(ErrorText, UnknownCodeGivesNull) {
  const char* text = "untouched";
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  text = "untouched";
  EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

struct Lookup {
  const char* name;
  int version;
  cuuint64_t flags;
  void* expect;
  CUdriverProcAddressQueryResult status;
};

TEST(EntryPoint, NewestSymbolThatIsNotNewerThanAsked) {
  constexpr auto kLegacy = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
  constexpr auto kPerThread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  constexpr auto kFound = CU_GET_PROC_ADDRESS_SUCCESS;
  constexpr auto kTooOld = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  constexpr auto kUnknown = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  const Lookup kCases[] = {
      {"cuInit", 2000, 0, address(cuInit), kFound},
      {"cuMemAlloc", 2000, 0, address(cuMemAlloc), kFound},
      {"cuMemAlloc", 3010, 0, address(cuMemAlloc), kFound},
      {"cuMemAlloc", 3020, 0, address(cuMemAlloc_v2), kFound},
      {"cuMemAlloc", 13000, 0, address(cuMemAlloc_v2), kFound},
      {"cuCtxGetDevice", 2000, 0, address(cuCtxGetDevice), kFound},
      {"cuCtxGetDevice", 13000, 0, address(cuCtxGetDevice_v2), kFound},
      {"cuCtxSynchronize", 12080, 0, address(cuCtxSynchronize), kFound},
      {"cuCtxSynchronize", 13000, 0, address(cuCtxSynchronize_v2), kFound},
      {"cuEventElapsedTime", 12080, 0, address(cuEventElapsedTime_v2), kFound},
      {"cuGetProcAddress", 11030, 0, address(cuGetProcAddress), kFound},
      {"cuGetProcAddress", 12000, 0, address(cuGetProcAddress_v2), kFound},
      {"cuStreamGetCaptureInfo", 12030, 0, address(cuStreamGetCaptureInfo_v3), kFound},
      {"cuStreamGetCaptureInfo", 12030, kPerThread, address(cuStreamGetCaptureInfo_v3_ptsz),
       kFound},
      {"cuMemcpyHtoD", 12000, kLegacy, address(cuMemcpyHtoD_v2), kFound},
      {"cuMemcpyHtoD", 12000, kPerThread, address(cuMemcpyHtoD_v2_ptds), kFound},
      {"cuMemcpyHtoD", 6050, kPerThread, address(cuMemcpyHtoD_v2), kFound},
      {"cuLaunchKernel", 7000, kPerThread, address(cuLaunchKernel_ptsz), kFound},
      {"cuMemAlloc", 12000, kPerThread, address(cuMemAlloc_v2), kFound},
      {"cuCtxGetId", 11080, 0, nullptr, kTooOld},
      {"cuNoSuchFunction", 13000, 0, nullptr, kUnknown},
      {"cuMemAlloc_v2", 13000, 0, nullptr, kUnknown},
      {"", 13000, 0, nullptr, kUnknown},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(std::string(c.name) + "@" + std::to_string(c.version));
    void* function = reinterpret_cast<void*>(1);
    CUdriverProcAddressQueryResult status{};
    const auto result = cuGetProcAddress_v2(c.name, &function, c.version, c.flags, &status);
    EXPECT_EQ(result, c.expect ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(function, c.expect);
    EXPECT_EQ(status, c.status);
    function = reinterpret_cast<void*>(1);
    EXPECT_EQ(cuGetProcAddress(c.name, &function, c.version, c.flags), result);
    EXPECT_EQ(function, c.expect);
  }
}

TEST(EntryPoint, BadArguments) {
  void* function = nullptr;
  EXPECT_EQ(cuGetProcAddress_v2(nullptr, &function, 12000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", nullptr, 12000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &function, 12000, 3, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &function, 12000, 4, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &function, 99000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(ExportTable, IsRefusedAndExplainedOnce) {
  const void* table = "untouched";
  const CUuuid id{};
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(table, nullptr);
  EXPECT_NE(said.find("-cudart shared"), std::string::npos);
  EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
}

TEST(NotWrittenYet, FailsAndSaysItsNameOnce) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuCheckpointProcessLock(1, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuCheckpointProcessLock(1, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: cuCheckpointProcessLock is not supported yet\n");
}

}  // namespace
