// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the environment says before cuInit: each case needs a process of its own, so it is a child
// of this one.
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

TEST(Environment, SillyNumberOfDevices) {
  for (const char* number : {"0", "-1", "many", "1000000"}) {
    const auto outcome =
        in_child({{"HEDDLE_DEVICES", number}}, [] { return static_cast<int>(cuInit(0)); });
    EXPECT_EQ(outcome.status, CUDA_ERROR_NO_DEVICE) << number;
    EXPECT_THAT(outcome.said, HasSubstr(number));
  }
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
