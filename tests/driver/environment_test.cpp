// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Environment variables, which are read by cuInit: each case needs a separate process, a child of
// this one.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "client.h"
#include "kernels.h"

namespace {

struct Outcome {
  int status = -1;
  std::string said;  // stderr
};

/// Runs `body` in a child with `environment`; its return value is the child's exit status.
template <class Body>
Outcome in_child(const std::vector<std::pair<const char*, const char*>>& environment, Body body) {
  int pipe_ends[2];
  if (pipe(pipe_ends)) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    for (const auto& [name, value] : environment) setenv(name, value, 1);
    std::exit(body());
  }
  close(pipe_ends[1]);
  Outcome outcome;
  char buffer[512];
  for (ssize_t n; (n = read(pipe_ends[0], buffer, sizeof buffer)) > 0;) {
    outcome.said.append(buffer, static_cast<size_t>(n));
  }
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return outcome;
}

using testing::HasSubstr;

TEST(Environment, UnknownDevice) {
  const auto outcome =
      in_child({{"HEDDLE_DEVICE", "voodoo2"}}, [] { return static_cast<int>(cuInit(0)); });
  EXPECT_EQ(outcome.status, CUDA_ERROR_NO_DEVICE);
  EXPECT_THAT(outcome.said, HasSubstr("voodoo2"));
  EXPECT_THAT(outcome.said, HasSubstr("a100")) << "names those there are";
}

TEST(Environment, ANamedDeviceReadsNoPtxOfAVersionToCome) {
  const auto outcome = in_child({{"HEDDLE_DEVICE", "h200"}}, [] {
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context))
      return 1;
    return static_cast<int>(cuModuleLoadData(&module, ".version 9.5\n.target sm_75\n"));
  });
  EXPECT_EQ(outcome.status, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

TEST(Environment, SillyNumberOfDevices) {
  for (const char* number : {"0", "-1", "many", "1000000"}) {
    const auto outcome =
        in_child({{"HEDDLE_DEVICES", number}}, [] { return static_cast<int>(cuInit(0)); });
    EXPECT_EQ(outcome.status, CUDA_ERROR_NO_DEVICE) << number;
    EXPECT_THAT(outcome.said, HasSubstr(number));
  }
}

TEST(Environment, IsReadWhenTheLibraryIsFirstCalled) {
  const auto count = [] {
    int devices = 0;
    return static_cast<int>(cuDeviceGetCount(&devices));
  };
  const auto before = in_child({{"HEDDLE_TRACE", "api"}}, [&] { return cuInit(0) || count(); });
  EXPECT_EQ(before.status, 0);
  EXPECT_THAT(before.said, HasSubstr("heddle: api: cuInit(Flags=0) = CUDA_SUCCESS"));
  const auto behind = in_child({{"HEDDLE_TRACE", ""}}, [&] {
    if (cuInit(0)) return 1;
    setenv("HEDDLE_TRACE", "api", 1);
    return count();
  });
  EXPECT_EQ(behind.status, 0);
  EXPECT_EQ(behind.said, "") << "it is not read again";
}

CUresult launch_endless() {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  cuInit(0);
  cuCtxCreate_v2(&context, 0, 0);
  cuModuleLoadData(&module, kKernels);
  cuModuleGetFunction(&function, module, "endless");
  return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
}

TEST(Environment, TimeLimitStopsAnEndlessKernel) {
  const auto outcome = in_child({{"HEDDLE_TIME_LIMIT", "0.05"}}, [] {
    if (launch_endless()) return 1;
    return cuCtxSynchronize() == CUDA_ERROR_LAUNCH_TIMEOUT ? 0 : 2;
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.said, HasSubstr("endless"));
}

/// Counts to `times` in a stream of the current context, and checks the count.
bool counts(CUstream stream, unsigned times) {
  CUmodule module = nullptr;
  CUfunction count = nullptr;
  CUdeviceptr counter = 0;
  size_t bytes = 0;
  unsigned before = 0, after = 0;
  if (cuModuleLoadData(&module, kKernels) || cuModuleGetFunction(&count, module, "count") ||
      cuModuleGetGlobal_v2(&counter, &bytes, module, "counter") ||
      cuMemcpyDtoHAsync_v2(&before, counter, 4, stream)) {
    return false;
  }
  for (unsigned i = 0; i < times; ++i) {
    if (cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr)) return false;
  }
  return !cuMemcpyDtoHAsync_v2(&after, counter, 4, stream) && !cuStreamSynchronize(stream) &&
         after == before + times;
}

// While the endless kernel runs, and afterwards, other work continues: streams of its context until
// the kernel is stopped, other contexts always, and a new context in place of the lost one.
TEST(Environment, TimeLimitLeavesOthersWorking) {
  const auto outcome = in_child({{"HEDDLE_TIME_LIMIT", "4"}}, [] {
    CUcontext lost = nullptr, other = nullptr, fresh = nullptr;
    CUstream endless = nullptr, beside = nullptr, elsewhere = nullptr;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    if (cuInit(0) || cuCtxCreate_v2(&other, 0, 0) ||
        cuStreamCreate(&elsewhere, CU_STREAM_NON_BLOCKING) || cuCtxCreate_v2(&lost, 0, 0) ||
        cuStreamCreate(&endless, CU_STREAM_NON_BLOCKING) ||
        cuStreamCreate(&beside, CU_STREAM_NON_BLOCKING) || cuModuleLoadData(&module, kKernels) ||
        cuModuleGetFunction(&function, module, "endless") ||
        cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, endless, nullptr, nullptr)) {
      return 1;
    }
    if (!counts(beside, 10)) return 2;
    cuCtxSetCurrent(other);
    if (!counts(elsewhere, 10)) return 3;
    if (cuCtxSetCurrent(lost) || cuStreamQuery(endless) != CUDA_ERROR_NOT_READY) return 4;
    if (cuStreamSynchronize(endless) != CUDA_ERROR_LAUNCH_TIMEOUT) return 5;
    if (cuStreamQuery(beside) != CUDA_ERROR_LAUNCH_TIMEOUT) return 6;
    if (cuCtxSetCurrent(other) || !counts(elsewhere, 10)) return 7;
    if (cuCtxDestroy_v2(lost) || cuCtxCreate_v2(&fresh, 0, 0) || !counts(nullptr, 10)) return 8;
    return 0;
  });
  EXPECT_EQ(outcome.status, 0) << outcome.said;
}

TEST(Environment, ProcessEndsUnderARunningKernel) {
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = in_child({}, [] {
    if (launch_endless()) return 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return 7;
  });
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.said, "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
