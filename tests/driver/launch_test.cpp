// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: both ways to pass parameters, refused launches, the effect of a kernel's fault on its
// context. Driver API 6.22.
#include <array>
#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include "client.h"
#include "kernels.h"

namespace {

using testing::HasSubstr;

class Launches : public InContext {
 protected:
  void SetUp() override {
    InContext::SetUp();
    ASSERT_OK(cuModuleLoadData(&module, kKernels));
  }
  CUfunction kernel(const char* name) {
    CUfunction function = nullptr;
    EXPECT_OK(cuModuleGetFunction(&function, module, name));
    return function;
  }
  static CUdeviceptr device_bytes(size_t bytes) {
    CUdeviceptr pointer = 0;
    EXPECT_OK(cuMemAlloc_v2(&pointer, bytes));
    return pointer;
  }
  static CUresult run(CUfunction function, unsigned grid, unsigned block, void** params,
                      unsigned shared = 0, CUstream stream = nullptr) {
    return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream, params, nullptr);
  }

  CUmodule module = nullptr;
};

TEST_F(Launches, KernelParams) {
  constexpr int kCount = 1000;
  std::vector<int> host(kCount), expect(kCount);
  std::iota(host.begin(), host.end(), 0);
  std::iota(expect.begin(), expect.end(), 7);
  CUdeviceptr in = device_bytes(4 * kCount), out = device_bytes(4 * kCount);
  EXPECT_OK(cuMemcpyHtoD_v2(in, host.data(), 4 * kCount));
  unsigned n = kCount;
  unsigned char addend = 7;
  void* params[] = {&out, &in, &n, &addend};
  EXPECT_OK(run(kernel("add_to"), 8, 128, params));
  EXPECT_OK(cuMemcpyDtoH_v2(host.data(), out, 4 * kCount));
  EXPECT_EQ(host, expect);
}

struct AddToParams {
  CUdeviceptr out, in;
  unsigned n;
  unsigned char addend;
};

TEST_F(Launches, ExtraBuffer) {
  CUdeviceptr in = device_bytes(8), out = device_bytes(8);
  const int host[] = {40, 41};
  int result[2] = {};
  EXPECT_OK(cuMemcpyHtoD_v2(in, host, 8));
  AddToParams block{out, in, 2, 2};
  size_t size = sizeof block;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  const auto launch = [&](void** params, void** extra) {
    return cuLaunchKernel(kernel("add_to"), 1, 1, 1, 2, 1, 1, 0, nullptr, params, extra);
  };
  EXPECT_OK(launch(nullptr, extra));
  EXPECT_OK(cuMemcpyDtoH_v2(result, out, 8));
  EXPECT_EQ(result[0], 42);
  EXPECT_EQ(result[1], 43);
  size = 21;
  EXPECT_OK(launch(nullptr, extra)) << "up to the last parameter's last byte is enough";
  size = 20;
  EXPECT_EQ(launch(nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  void* both[] = {&out, &in, &block.n, &block.addend};
  size = sizeof block;
  EXPECT_EQ(launch(both, extra), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  void* unknown[] = {reinterpret_cast<void*>(9), &block, CU_LAUNCH_PARAM_END};
  EXPECT_EQ(launch(nullptr, unknown), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, ParametersAreReadBeforeTheCallReturns) {
  CUstream stream = nullptr;
  EXPECT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr in = device_bytes(4), out = device_bytes(4);
  EXPECT_OK(cuMemsetD32_v2(in, 1, 1));
  EXPECT_OK(cuCtxSynchronize());
  {
    Gate gate(stream);
    unsigned n = 1;
    unsigned char addend = 1;
    CUdeviceptr target = out;
    void* params[] = {&target, &in, &n, &addend};
    EXPECT_OK(run(kernel("add_to"), 1, 1, params, 0, stream));
    n = 0, addend = 99, target = 0;
  }
  EXPECT_OK(cuStreamSynchronize(stream));
  int result = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&result, out, 4));
  EXPECT_EQ(result, 2);
}

TEST_F(Launches, ModuleVariablesKeepTheirValues) {
  CUdeviceptr counter = 0;
  int value = 0;
  EXPECT_OK(cuModuleGetGlobal_v2(&counter, nullptr, module, "counter"));
  EXPECT_OK(run(kernel("count"), 10, 100, nullptr));
  EXPECT_OK(run(kernel("count"), 3, 1, nullptr));
  EXPECT_OK(cuMemcpyDtoH_v2(&value, counter, 4));
  EXPECT_EQ(value, 5 + 1003);
}

TEST_F(Launches, DynamicSharedMemory) {
  constexpr unsigned kCount = 256;
  std::vector<unsigned> host(kCount);
  std::iota(host.begin(), host.end(), 0);
  CUdeviceptr data = device_bytes(4 * kCount);
  EXPECT_OK(cuMemcpyHtoD_v2(data, host.data(), 4 * kCount));
  void* params[] = {&data};
  EXPECT_OK(run(kernel("reverse"), 1, kCount, params, 4 * kCount));
  EXPECT_OK(cuMemcpyDtoH_v2(host.data(), data, 4 * kCount));
  for (unsigned i = 0; i < kCount; ++i) ASSERT_EQ(host[i], kCount - 1 - i);

  const unsigned too_much = 50 * 1024;
  EXPECT_EQ(run(kernel("reverse"), 1, kCount, params, too_much), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuFuncSetAttribute(kernel("reverse"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(too_much)));
  EXPECT_OK(run(kernel("reverse"), 1, kCount, params, too_much));
  EXPECT_OK(cuCtxSynchronize());
}

TEST_F(Launches, RefusedShapes) {
  const struct {
    const char* kernel;
    std::array<unsigned, 6> shape;
    CUresult expect;
  } kCases[] = {
      {"count", {1, 1, 1, 1, 1, 1}, CUDA_SUCCESS},
      {"count", {0, 1, 1, 1, 1, 1}, CUDA_ERROR_INVALID_VALUE},
      {"count", {1, 1, 1, 1, 0, 1}, CUDA_ERROR_INVALID_VALUE},
      {"count", {1, 1, 1, 1025, 1, 1}, CUDA_ERROR_INVALID_VALUE},
      {"count", {1, 1, 1, 32, 32, 2}, CUDA_ERROR_INVALID_VALUE},
      {"count", {1, 1, 1, 1, 1, 65}, CUDA_ERROR_INVALID_VALUE},
      {"count", {1, 65536, 1, 1, 1, 1}, CUDA_ERROR_INVALID_VALUE},
      {"small_blocks", {1, 1, 1, 64, 1, 1}, CUDA_SUCCESS},
      {"small_blocks", {1, 1, 1, 65, 1, 1}, CUDA_ERROR_INVALID_VALUE},
      {"one_shape", {1, 1, 1, 32, 2, 1}, CUDA_SUCCESS},
      {"one_shape", {1, 1, 1, 64, 1, 1}, CUDA_ERROR_INVALID_VALUE},
  };
  for (const auto& c : kCases) {
    const auto& s = c.shape;
    EXPECT_EQ(cuLaunchKernel(kernel(c.kernel), s[0], s[1], s[2], s[3], s[4], s[5], 0, nullptr,
                             nullptr, nullptr),
              c.expect)
        << c.kernel << testing::PrintToString(s);
  }
  EXPECT_OK(cuCtxSynchronize());
}

TEST_F(Launches, WhyOneIsRefusedIsSaidOnce) {
  CUlaunchAttribute unknown{};
  unknown.id = static_cast<CUlaunchAttributeID>(9999);
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchAttribute pairs{};
  pairs.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  pairs.value.clusterDim = {2, 1, 1};
  CUdeviceptr data = 0;
  void* one[] = {&data};
  void* null[] = {nullptr, nullptr, nullptr, nullptr};
  const struct {
    const char* kernel;
    unsigned grid, block, shared;
    void** params;
    CUlaunchAttribute* attribute;
    CUresult expect;
    const char* said;
  } kCases[] = {
      {"count", 1, 2048, 0, nullptr, nullptr, CUDA_ERROR_INVALID_VALUE,
       "'count': block.x is 2048, must be 1 to 1024"},
      {"stop", 0, 1, 0, nullptr, nullptr, CUDA_ERROR_INVALID_VALUE, "'stop': grid.x is 0"},
      {"small_blocks", 1, 66, 0, nullptr, nullptr, CUDA_ERROR_INVALID_VALUE,
       "66 threads a block, but the kernel says .maxntid"},
      {"one_shape", 1, 63, 0, nullptr, nullptr, CUDA_ERROR_INVALID_VALUE,
       "block.x is 63, but the kernel says .reqntid"},
      {"reverse", 1, 1, 50'000, one, nullptr, CUDA_ERROR_INVALID_VALUE,
       "50000 bytes of dynamic shared memory a block"},
      {"reverse", 1, 1, 0, nullptr, nullptr, CUDA_ERROR_INVALID_VALUE,
       "'reverse': no parameters given, 1 needed"},
      {"add_to", 1, 1, 0, null, nullptr, CUDA_ERROR_INVALID_VALUE,
       "'add_to': the pointer to parameter 0 is null"},
      {"count", 1, 1, 0, nullptr, &unknown, CUDA_ERROR_INVALID_VALUE,
       "launch attribute 9999 is not known"},
      {"count", 1 << 20, 1, 0, nullptr, &cooperative, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
       "a cooperative launch of 1048576 blocks"},
      {"count", 3, 1, 0, nullptr, &pairs, CUDA_ERROR_INVALID_CLUSTER_SIZE,
       "a grid of 3x1x1 CTAs is no whole number of clusters of 2x1x1"},
  };
  for (const auto& c : kCases) {
    for (const bool again : {false, true}) {
      CUlaunchConfig config{};
      config.gridDimX = c.grid, config.gridDimY = config.gridDimZ = 1;
      config.blockDimX = c.block, config.blockDimY = config.blockDimZ = 1;
      config.sharedMemBytes = c.shared;
      config.attrs = c.attribute, config.numAttrs = c.attribute ? 1 : 0;
      CUlogIterator at = 0;
      EXPECT_OK(cuLogsCurrent(&at, 0));
      testing::internal::CaptureStderr();
      EXPECT_EQ(cuLaunchKernelEx(&config, kernel(c.kernel), c.params, nullptr), c.expect);
      const std::string said = testing::internal::GetCapturedStderr();
      if (again)
        EXPECT_EQ(said, "") << c.said;
      else
        EXPECT_THAT(said, HasSubstr(c.said));
      char text[4096];
      size_t size = sizeof text;
      EXPECT_OK(cuLogsDumpToMemory(&at, text, &size, 0));
      EXPECT_THAT(text, HasSubstr(c.said)) << "the log has it each time";
    }
  }
}

TEST_F(Launches, BadHandles) {
  EXPECT_EQ(run(nullptr, 1, 1, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(run(reinterpret_cast<CUfunction>(module), 1, 1, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(run(kernel("count"), 1, 1, nullptr, 0, reinterpret_cast<CUstream>(module)),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Launches, AsynchronousToTheHost) {
  void* flag = nullptr;
  ASSERT_OK(cuMemHostAlloc(&flag, 4, CU_MEMHOSTALLOC_DEVICEMAP));
  auto* word = static_cast<std::atomic<unsigned>*>(flag);
  *word = 0;
  CUstream stream = nullptr;
  EXPECT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  auto address = reinterpret_cast<CUdeviceptr>(flag);
  void* params[] = {&address};
  EXPECT_OK(run(kernel("wait_for"), 1, 1, params, 0, stream));
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  *word = 1;
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_OK(cuMemFreeHost(flag));
}

TEST_F(Launches, Ex) {
  CUdeviceptr counter = 0;
  EXPECT_OK(cuModuleGetGlobal_v2(&counter, nullptr, module, "counter"));
  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[0].value.cooperative = 1;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[1].value.clusterDim = {1, 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = 2;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 4;
  config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes;
  config.numAttrs = 2;
  EXPECT_OK(cuLaunchKernelEx(&config, kernel("count"), nullptr, nullptr));
  int value = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&value, counter, 4));
  EXPECT_EQ(value, 13);

  attributes[1].value.clusterDim = {2, 1, 1};
  EXPECT_OK(cuLaunchKernelEx(&config, kernel("count"), nullptr, nullptr));
  for (const unsigned wrong : {0u, 3u}) {  // 2 CTAs are not a whole number of clusters
    attributes[1].value.clusterDim = {wrong, 1, 1};
    EXPECT_EQ(cuLaunchKernelEx(&config, kernel("count"), nullptr, nullptr),
              CUDA_ERROR_INVALID_CLUSTER_SIZE);
  }
  // Up to 8 always, up to 16 if the function allows non-portable sizes.
  config.gridDimX = 32;
  attributes[1].value.clusterDim = {16, 1, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, kernel("count"), nullptr, nullptr),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_OK(
      cuFuncSetAttribute(kernel("count"), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  EXPECT_OK(cuLaunchKernelEx(&config, kernel("count"), nullptr, nullptr));
  attributes[1].value.clusterDim = {32, 1, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, kernel("count"), nullptr, nullptr),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  int clusters = 0;
  attributes[1].value.clusterDim = {4, 1, 1};
  EXPECT_OK(cuOccupancyMaxActiveClusters(&clusters, kernel("count"), &config));
  EXPECT_GT(clusters, 0);
  EXPECT_OK(cuOccupancyMaxPotentialClusterSize(&clusters, kernel("count"), &config));
  EXPECT_EQ(clusters, 16);
  config.numAttrs = 1;
  config.gridDimX = 1 << 20;
  EXPECT_EQ(cuLaunchKernelEx(&config, kernel("count"), nullptr, nullptr),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_EQ(cuLaunchKernelEx(nullptr, kernel("count"), nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

/// Launches a failing kernel and returns the messages on stderr.
class Faults : public Launches {
 protected:
  std::string fail(const char* name, void** params, CUresult expect) {
    testing::internal::CaptureStderr();
    EXPECT_OK(run(kernel(name), 1, 1, params)) << "the fault comes later";
    EXPECT_EQ(cuCtxSynchronize(), expect);
    // From now on, every call in the context returns the same error.
    CUdeviceptr pointer = 0;
    EXPECT_EQ(cuMemAlloc_v2(&pointer, 4), expect);
    EXPECT_EQ(cuCtxSynchronize(), expect);
    EXPECT_EQ(run(kernel_, 1, 1, nullptr), expect);
    return testing::internal::GetCapturedStderr();
  }
  void SetUp() override {
    Launches::SetUp();
    kernel_ = kernel("count");
  }
  CUfunction kernel_ = nullptr;
};

TEST_F(Faults, StrayStoreNamesTheAddress) {
  CUdeviceptr far = 0x10;
  void* params[] = {&far};
  const auto said = fail("store_far", params, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(said, HasSubstr("0x10"));
  EXPECT_THAT(said, HasSubstr("store_far"));
  EXPECT_THAT(said, HasSubstr("st.global.u32"));
}

TEST_F(Faults, MisalignedStore) {
  CUdeviceptr odd = device_bytes(8) + 1;
  void* params[] = {&odd};
  fail("store_far", params, CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(Faults, TrapInstruction) { fail("stop", nullptr, CUDA_ERROR_LAUNCH_FAILED); }

TEST_F(Faults, FreedMemory) {
  CUdeviceptr gone = device_bytes(1 << 20);
  EXPECT_OK(cuMemFree_v2(gone));
  CUdeviceptr middle = gone + (1 << 19);  // its beginning may have been reused
  void* params[] = {&middle};
  fail("store_far", params, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Faults, OtherContextsAreNotHurt) {
  CUdeviceptr far = 0x10;
  void* params[] = {&far};
  fail("store_far", params, CUDA_ERROR_ILLEGAL_ADDRESS);
  CUcontext healthy = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&healthy, 0, 0));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_NE(device_bytes(4), 0u);
  EXPECT_OK(cuCtxDestroy_v2(healthy));
}

TEST_F(Faults, LaterWorkIsSkippedAndCallbacksAreTold) {
  CUdeviceptr far = 0x10;
  void* params[] = {&far};
  CUstream stream = nullptr;
  EXPECT_OK(cuStreamCreate(&stream, 0));
  std::atomic<CUresult> told = CUDA_SUCCESS;
  bool host_function_ran = false;
  testing::internal::CaptureStderr();
  {
    Gate gate(stream);
    EXPECT_OK(run(kernel("store_far"), 1, 1, params, 0, stream));
    EXPECT_OK(cuLaunchHostFunc(
        stream, [](void* ran) { *static_cast<bool*>(ran) = true; }, &host_function_ran));
    EXPECT_OK(cuStreamAddCallback(
        stream,
        [](CUstream, CUresult status, void* told) {
          *static_cast<std::atomic<CUresult>*>(told) = status;
        },
        &told, 0));
  }
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  testing::internal::GetCapturedStderr();
  EXPECT_FALSE(host_function_ran);
  // The context has failed, so this call may return before the stream's callbacks have run.
  while (told.load() == CUDA_SUCCESS) std::this_thread::yield();
  EXPECT_EQ(told.load(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

}  // namespace
