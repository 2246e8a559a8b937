// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory in use and the processes that use it, of this process and of others.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "driver/api.h"
#include "nvml/api.h"

namespace {

constexpr size_t kMiB = 1 << 20;

nvmlDevice_t device() {
  nvmlDevice_t first = nullptr;
  EXPECT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &first), NVML_SUCCESS);
  return first;
}

/// The bytes that a process uses; nothing when it is not in the list. Other processes of the user
/// may be there.
std::optional<size_t> bytes_of(pid_t process) {
  std::vector<nvmlProcessInfo_t> infos(4096);
  auto count = static_cast<unsigned>(infos.size());
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v3(device(), &count, infos.data()), NVML_SUCCESS);
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(infos[i].gpuInstanceId, 0xffffffffu);
    if (infos[i].pid == static_cast<unsigned>(process)) return infos[i].usedGpuMemory;
  }
  return std::nullopt;
}

/// Makes a context and allocates that many bytes.
CUdeviceptr use_device(size_t bytes) {
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  const bool done = !cuInit(0) && !cuCtxCreate_v2(&context, 0, 0) && !cuMemAlloc_v2(&memory, bytes);
  return done ? memory : 0;
}

/// Runs `body` in another process, which is killed at the end. `body` returns when it is ready.
template <class F>
class Other {
 public:
  explicit Other(F body) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
      const char byte = body() ? 1 : 0;
      (void)!write(ready[1], &byte, 1);
      for (;;) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Other() { end(); }
  void end() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    pid = 0;
  }
  pid_t pid = 0;
};

// The tests run in this order: other processes are forked before this one calls cuInit.
TEST(Use, AnotherProcessIsSeenUntilItEnds) {
  Other other([] { return use_device(3 * kMiB) != 0; });
  const pid_t pid = other.pid;
  EXPECT_EQ(bytes_of(pid), 3 * kMiB);
  char name[256];
  EXPECT_EQ(nvmlSystemGetProcessName(static_cast<unsigned>(pid), name, sizeof name), NVML_SUCCESS);
  EXPECT_NE(std::string(name).find("use_test"), std::string::npos);
  EXPECT_EQ(nvmlSystemGetProcessName(static_cast<unsigned>(pid), name, 4), NVML_SUCCESS);
  EXPECT_EQ(std::string(name).size(), 3u);
  other.end();
  EXPECT_EQ(bytes_of(pid), std::nullopt);
  EXPECT_EQ(nvmlSystemGetProcessName(static_cast<unsigned>(pid), name, sizeof name),
            NVML_ERROR_NOT_FOUND);
}

// Its child keeps the files that it had open.
TEST(Use, AProcessEndsBeforeItsChild) {
  int child_pid[2];
  ASSERT_EQ(pipe(child_pid), 0);
  Other other([&] {
    if (!use_device(kMiB)) return false;
    const pid_t child = fork();
    if (child == 0)
      for (;;) pause();
    return write(child_pid[1], &child, sizeof child) == sizeof child;
  });
  pid_t child = 0;
  ASSERT_EQ(read(child_pid[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  const pid_t pid = other.pid;
  EXPECT_EQ(bytes_of(pid), kMiB);
  EXPECT_EQ(bytes_of(child), std::nullopt);
  other.end();
  EXPECT_EQ(bytes_of(pid), std::nullopt);
  kill(child, SIGKILL);
}

TEST(Use, DevicesOfAnotherProfileAreOthers) {
  Other other([] {
    setenv("HEDDLE_DEVICE", "t4", 1);
    return use_device(kMiB) != 0;
  });
  EXPECT_EQ(bytes_of(other.pid), std::nullopt);
}

TEST(Use, FollowsAllocations) {
  EXPECT_EQ(bytes_of(getpid()), std::nullopt) << "the management library is no user";
  const CUdeviceptr first = use_device(5 * kMiB);
  EXPECT_EQ(bytes_of(getpid()), 5 * kMiB);
  CUdeviceptr second = 0;
  EXPECT_EQ(cuMemAlloc_v2(&second, 2 * kMiB), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of(getpid()), 7 * kMiB);
  nvmlMemory_t memory;
  EXPECT_EQ(nvmlDeviceGetMemoryInfo(device(), &memory), NVML_SUCCESS);
  EXPECT_GE(memory.used, 7 * kMiB);
  EXPECT_EQ(memory.free, memory.total - memory.used);
  EXPECT_EQ(cuMemFree_v2(first), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of(getpid()), 2 * kMiB);
  EXPECT_EQ(cuMemFree_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of(getpid()), 0u);
}

TEST(Use, ListsNeedRoom) {
  unsigned count = 0;
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v3(device(), &count, nullptr),
            NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_GE(count, 1u);
  count = 1000;
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v2(device(), &count, nullptr),
            NVML_ERROR_INVALID_ARGUMENT);
  nvmlProcessInfo_v1_t infos[1000];
  count = 1000;
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(device(), &count, infos), NVML_SUCCESS);
  EXPECT_TRUE(std::any_of(infos, infos + count, [](const auto& info) {
    return info.pid == static_cast<unsigned>(getpid());
  }));
  count = 1000;
  EXPECT_EQ(nvmlDeviceGetGraphicsRunningProcesses(device(), &count, nullptr), NVML_SUCCESS);
  EXPECT_EQ(count, 0u);
}

// Waits until the word is not 0.
constexpr const char* kWait = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry wait(.param .u64 word)
{
  .reg .pred %p;
  .reg .u32 %r;
  .reg .u64 %a;
  ld.param.u64 %a, [word];
again:
  ld.volatile.global.u32 %r, [%a];
  setp.eq.u32 %p, %r, 0;
  @%p bra again;
  ret;
}
)";

TEST(Use, AKernelKeepsTheDeviceBusy) {
  void* word = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  ASSERT_TRUE(use_device(4));
  ASSERT_EQ(cuMemAllocHost_v2(&word, 4), CUDA_SUCCESS);
  *static_cast<volatile unsigned*>(word) = 0;
  ASSERT_EQ(cuModuleLoadData(&module, kWait), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&kernel, module, "wait"), CUDA_SUCCESS);
  void* params[] = {&word};
  ASSERT_EQ(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr), CUDA_SUCCESS);
  nvmlUtilization_t rates = {};
  for (int i = 0; i < 10'000 && !rates.gpu; ++i) {
    EXPECT_EQ(nvmlDeviceGetUtilizationRates(device(), &rates), NVML_SUCCESS);
    usleep(1000);
  }
  EXPECT_EQ(rates.gpu, 100u);
  *static_cast<volatile unsigned*>(word) = 1;
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

}  // namespace
