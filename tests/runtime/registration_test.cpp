// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU code as compilers register it: which code is loaded, when, and the message when no code can
// be loaded.
#include "../driver/kernels.h"
#include "program.h"

namespace {

constexpr const char* kManaged = R"ptx(
.version 7.8
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 shared_counter = 40;
.visible .entry bump()
{
  .reg .b32 %r;
  atom.global.add.u32 %r, [shared_counter], 1;
  ret;
}
)ptx";

cudaError_t launch(const void* kernel) {
  return cudaLaunchKernel(kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr);
}

int counter(const void* symbol) {
  int value = -1;
  EXPECT_OK(cudaMemcpyFromSymbol(&value, symbol, 4, 0, cudaMemcpyDeviceToHost));
  return value;
}

TEST(Registration, KernelsAndVariablesOfOneBinary) {
  Program program(kKernels);
  const void* count = program.kernel("count");
  const void* variable = program.variable("counter", 4);
  EXPECT_EQ(counter(variable), 5);
  EXPECT_OK(launch(count));
  EXPECT_OK(launch(count));
  EXPECT_EQ(counter(variable), 7);
}

TEST(Registration, SymbolsOfTheSameNameInTwoBinaries) {
  Program a(kKernels), b(kKernels);
  const void* in_a = a.variable("counter", 4);
  const void* in_b = b.variable("counter", 4);
  EXPECT_OK(launch(a.kernel("count")));
  EXPECT_EQ(counter(in_a), 6);
  EXPECT_EQ(counter(in_b), 5);
}

TEST(Registration, UnregisteredSymbolsAreGone) {
  static char symbol;
  {
    Program program(kKernels);
    EXPECT_OK(launch(program.kernel("count")));
  }
  EXPECT_EQ(launch(&symbol), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(launch(nullptr), cudaErrorInvalidDeviceFunction);
  size_t size = 0;
  EXPECT_EQ(cudaGetSymbolSize(&size, &symbol), cudaErrorInvalidSymbol);
}

TEST(Registration, KernelThatTheCodeDoesNotHave) {
  Program program(kKernels);
  EXPECT_EQ(launch(program.kernel("nothing")), cudaErrorInvalidDeviceFunction);
  size_t size = 0;
  EXPECT_EQ(cudaGetSymbolSize(&size, program.variable("nothing", 4)), cudaErrorInvalidSymbol);
}

TEST(Registration, PtxIsTakenFromBesideGpuCode) {
  Program program(FatBinary().gpu_code().ptx(kKernels));
  EXPECT_OK(launch(program.kernel("count")));
}

TEST(Registration, GpuCodeAloneSaysWhatToCompileWith) {
  Program program(FatBinary().gpu_code());
  const void* kernel = program.kernel("count");
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(kernel), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(launch(kernel), cudaErrorNoKernelImageForDevice);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr("nvcc -gencode arch=compute_75,code=compute_75"));
  EXPECT_EQ(said.find("nvcc"), said.rfind("nvcc")) << "once is enough:\n" << said;
}

TEST(Registration, BrokenPtxFailsWhereItIsUsed) {
  Program program(".version 7.8\n.target sm_75\n.visible .entry f() { rubbish; }");
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(program.kernel("f")), cudaErrorInvalidPtx);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("rubbish"));
}

// The output of nvcc -rdc=true: an empty fat binary, and the parts to link beside it.
TEST(Registration, RelocatableParts) {
  Program program(FatBinary(), {FatBinary().ptx(kCaller), FatBinary().ptx(kCallee)});
  void* out = device_ints({0});
  int x = 21;
  void* arguments[] = {&out, &x};
  EXPECT_OK(
      cudaLaunchKernel(program.kernel("main_kernel"), {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr));
  EXPECT_EQ(host_ints(out, 1)[0], 42);
  EXPECT_OK(cudaFree(out));
}

TEST(Registration, ManagedVariable) {
  Program program(kManaged);
  int* value = nullptr;
  program.managed(reinterpret_cast<void**>(&value), "shared_counter", 4);
  ASSERT_TRUE(program.init());
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(*value, 40);
  *value = 50;
  EXPECT_OK(launch(program.kernel("bump")));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(*value, 51);
  // In the program, &m is the address of the variable, and the pointer to m was registered.
  for (const void* symbol : {static_cast<const void*>(value), static_cast<const void*>(&value)}) {
    void* address = nullptr;
    EXPECT_OK(cudaGetSymbolAddress(&address, symbol));
    EXPECT_EQ(address, value);
  }
}

TEST(Registration, FirstUseInSeveralThreads) {
  Program program(kKernels);
  const void* count = program.kernel("count");
  const void* variable = program.variable("counter", 4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      EXPECT_OK(launch(count));
      EXPECT_OK(cudaDeviceSynchronize());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter(variable), 13);
}

TEST(Registration, CallConfigurationsAreAStack) {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
            cudaErrorMissingConfiguration);
  EXPECT_EQ(__cudaPushCallConfiguration({1, 2, 3}, {4, 5, 6}, 7, cudaStreamPerThread), 0u);
  EXPECT_EQ(__cudaPushCallConfiguration({8, 1, 1}, {9, 1, 1}, 10, nullptr), 0u);
  EXPECT_OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  EXPECT_EQ(grid.x, 8u);
  EXPECT_EQ(shared, 10u);
  EXPECT_EQ(stream, nullptr);
  EXPECT_OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  EXPECT_EQ(grid.z, 3u);
  EXPECT_EQ(block.y, 5u);
  EXPECT_EQ(stream, cudaStreamPerThread);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMissingConfiguration);
}

// The stubs of nvcc 13 get the kernel's handle once, and launch it from then on.
TEST(Registration, StubsOfNvcc13) {
  Program program(kKernels);
  const void* variable = program.variable("counter", 4);
  cudaKernel_t kernel = nullptr;
  EXPECT_OK(__cudaGetKernel(&kernel, program.kernel("count")));
  EXPECT_OK(__cudaLaunchKernel(kernel, {1, 1, 1}, {3, 1, 1}, nullptr, 0, nullptr));
  EXPECT_OK(__cudaLaunchKernel_ptsz(kernel, {1, 1, 1}, {3, 1, 1}, nullptr, 0, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(counter(variable), 11);
  EXPECT_EQ(__cudaGetKernel(&kernel, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(__cudaLaunchKernel(nullptr, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
            cudaErrorInvalidDeviceFunction);
}

}  // namespace
