// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program controls the process: it forks, exits, and cancels threads. Each case is a separate
// process, for both engines.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "client.h"

namespace {

constexpr const char* kKernel = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 out)
{
  .reg .u64 %a;
  ld.param.u64 %a, [out];
  st.global.u32 [%a], 42;
  ret;
}
)";

/// Ends the process with a message unless `holds`.
void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::_Exit(1);
}

struct Device {
  Device() {
    expect(!cuInit(0) && !cuCtxCreate_v2(&context, 0, 0), "a context");
    expect(!cuModuleLoadData(&module, kKernel), "a module");
    expect(!cuModuleGetFunction(&kernel, module, "store"), "a kernel");
    expect(!cuMemAlloc_v2(&out, 4), "memory");
  }
  CUresult launch() {
    void* params[] = {&out};
    return cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr);
  }
  /// Launches, waits, and returns the word that the kernel wrote.
  int run() {
    int word = 0;
    expect(!cuMemsetD32_v2(out, 0, 1) && !launch() && !cuMemcpyDtoH_v2(&word, out, 4), "a launch");
    return word;
  }

  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  CUdeviceptr out = 0;
};

/// The exit status of the child of a fork.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) std::exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// --- fork ---

int child_of_initialised() {
  Device device;
  expect(device.run() == 42, "42 before");
  const int child = in_child([&] {
    int word = 0;
    CUdevice first = 0;
    CUdeviceptr more = 0;
    expect(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED, "cuInit in the child");
    expect(cuDeviceGet(&first, 0) == CUDA_ERROR_NOT_INITIALIZED, "cuDeviceGet in the child");
    expect(device.launch() == CUDA_ERROR_NOT_INITIALIZED, "a launch in the child");
    expect(cuMemAlloc_v2(&more, 4) == CUDA_ERROR_NOT_INITIALIZED, "cuMemAlloc in the child");
    expect(cuMemcpyDtoH_v2(&word, device.out, 4) == CUDA_ERROR_NOT_INITIALIZED, "a copy there");
    expect(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED, "cuCtxSynchronize in the child");
    expect(cuDriverGetVersion(&word) == CUDA_SUCCESS, "what needs no driver works");
    return 7;
  });
  expect(child == 7, "the child ends as it wants");
  expect(device.run() == 42, "42 behind");
  return 0;
}

int child_of_uninitialised() {
  expect(in_child([] { return Device().run(); }) == 42, "42 in the child");
  expect(in_child([] { return Device().run(); }) == 42, "42 in the other one");
  expect(Device().run() == 42, "42 in the parent");
  return 0;
}

int child_that_execs() {
  Device device;
  expect(device.run() == 42, "42");
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 5", nullptr);
    std::_Exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 0 : 1;
}

int children_while_a_kernel_runs() {
  Device device;
  for (int i = 0; i < 50; ++i) {
    expect(!device.launch(), "a launch");
    expect(in_child([] { return 3; }) == 3, "a child ends");
  }
  return device.run() == 42 ? 0 : 1;
}

// --- exit ---

Device* late = nullptr;

void behind_the_driver() {
  int word = 0;
  CUdeviceptr more = 0;
  expect(cuInit(0) == CUDA_ERROR_DEINITIALIZED, "cuInit behind the driver's end");
  expect(late->launch() == CUDA_ERROR_DEINITIALIZED, "a launch there");
  expect(cuMemcpyDtoH_v2(&word, late->out, 4) == CUDA_ERROR_DEINITIALIZED, "a copy there");
  expect(cuMemAlloc_v2(&more, 4) == CUDA_ERROR_DEINITIALIZED, "cuMemAlloc there");
  expect(cuMemFree_v2(late->out) == CUDA_ERROR_DEINITIALIZED, "cuMemFree there");
  expect(cuModuleUnload(late->module) == CUDA_ERROR_DEINITIALIZED, "cuModuleUnload there");
  expect(cuCtxDestroy_v2(late->context) == CUDA_ERROR_DEINITIALIZED, "cuCtxDestroy there");
}

void before_the_driver() { expect(late->run() == 42, "a kernel runs in a handler of atexit"); }

int handlers_of_both_sides() {
  std::atexit(behind_the_driver);  // runs last
  late = new Device;
  std::atexit(before_the_driver);
  return 0;
}

int threads_that_go_on() {
  late = new Device;
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      cuCtxSetCurrent(late->context);
      while (late->launch() != CUDA_ERROR_DEINITIALIZED) {
      }
    }).detach();
  }
  usleep(20'000);
  return 0;
}

// --- cancelled threads ---

int cancelled(int type) {
  Device device;
  // The function is called once before: if a thread is cancelled while the dynamic linker binds the
  // function, the linker hangs.
  CUdeviceptr first = 0;
  expect(!cuMemAlloc_v2(&first, 4) && !cuMemFree_v2(first) && !cuCtxSynchronize(), "first calls");
  expect(device.run() == 42, "42 first");
  pthread_testcancel();
  for (int i = 0; i < 200; ++i) {
    struct Work {
      Device& device;
      int type;
    } work{device, type};
    pthread_t thread;
    const auto body = [](void* argument) -> void* {
      const auto& work = *static_cast<Work*>(argument);
      int before;
      pthread_setcanceltype(work.type, &before);
      cuCtxSetCurrent(work.device.context);
      for (;;) {
        CUdeviceptr more = 0;
        cuMemAlloc_v2(&more, 1000);
        work.device.launch();
        cuMemFree_v2(more);
        cuCtxSynchronize();
        pthread_testcancel();
      }
    };
    expect(!pthread_create(&thread, nullptr, body, &work), "a thread");
    usleep(static_cast<unsigned>(i * 7 % 400));
    pthread_cancel(thread);
    expect(!pthread_join(thread, nullptr), "it ends");
    expect(device.run() == 42, "the driver goes on");
  }
  return 0;
}
int cancelled_at_points() { return cancelled(PTHREAD_CANCEL_DEFERRED); }
int cancelled_anywhere() { return cancelled(PTHREAD_CANCEL_ASYNCHRONOUS); }

// --- small stacks ---

/// Runs on a stack of the minimum size of POSIX.
int small_stack() {
  Device device;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  expect(!pthread_attr_setstacksize(&attributes, 16384), "a stack of 16 KB");
  pthread_t thread;
  const auto body = [](void* argument) -> void* {
    auto& device = *static_cast<Device*>(argument);
    cuCtxSetCurrent(device.context);
    CUmodule again = nullptr;
    expect(!cuModuleLoadData(&again, kKernel), "a module");
    return device.run() == 42 ? argument : nullptr;
  };
  expect(!pthread_create(&thread, &attributes, body, &device), "a thread");
  void* end = nullptr;
  pthread_join(thread, &end);
  return end == &device ? 0 : 1;
}

// --- another copy of the library ---

/// Loads a copy of the library's file, as in a program that contains its own copy.
void* load_copy() {
  Dl_info info;
  expect(dladdr(reinterpret_cast<void*>(&cuDriverGetVersion), &info) != 0, "the library's file");
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("heddle-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::filesystem::path from = info.dli_fname;
  for (const char* name : {"libcuda.so.1", "libheddle_jit.so"}) {
    if (std::filesystem::exists(from.parent_path() / name))
      std::filesystem::copy_file(from.parent_path() / name, folder / name);
  }
  void* const copy = dlopen((folder / "libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!copy) std::fprintf(stderr, "%s\n", dlerror());
  std::filesystem::remove_all(folder);
  return copy;
}

int two_copies() {
  Device device;
  expect(device.run() == 42, "42");
  void* const copy = load_copy();
  expect(copy, "a copy");
  const auto call = [&](const char* name, auto own) {
    return reinterpret_cast<decltype(own)>(dlsym(copy, name));
  };
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr out = 0, nowhere = 64;
  int word = 0;
  expect(!call("cuInit", cuInit)(0), "cuInit of the copy");
  expect(!call("cuCtxCreate_v2", cuCtxCreate_v2)(&context, 0, 0), "a context of it");
  expect(!call("cuModuleLoadData", cuModuleLoadData)(&module, kKernel), "a module of it");
  expect(!call("cuModuleGetFunction", cuModuleGetFunction)(&kernel, module, "store"), "a kernel");
  expect(!call("cuMemAlloc_v2", cuMemAlloc_v2)(&out, 4), "memory of it");
  const auto launch = [&](CUdeviceptr where) {
    void* params[] = {&where};
    return call("cuLaunchKernel", cuLaunchKernel)(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, params,
                                                  nullptr);
  };
  const auto synchronize = call("cuCtxSynchronize", cuCtxSynchronize);
  for (int i = 0; i < 3; ++i) {
    expect(!launch(out) && device.run() == 42, "both run");
    expect(!synchronize(), "the copy goes on");
  }
  expect(!call("cuMemcpyDtoH_v2", cuMemcpyDtoH_v2)(&word, out, 4) && word == 42, "42 of the copy");
  expect(!launch(nowhere) && synchronize() == CUDA_ERROR_ILLEGAL_ADDRESS, "its trap is its own");
  expect(device.run() == 42, "the other one goes on");
  device.out = nowhere;
  expect(!device.launch() && cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS, "and traps, too");
  return 0;
}

struct Case {
  const char* name;
  int (*body)();
};
constexpr Case kCases[] = {
    {"child_of_initialised", child_of_initialised},
    {"child_of_uninitialised", child_of_uninitialised},
    {"child_that_execs", child_that_execs},
    {"children_while_a_kernel_runs", children_while_a_kernel_runs},
    {"handlers_of_both_sides", handlers_of_both_sides},
    {"threads_that_go_on", threads_that_go_on},
    {"cancelled_at_points", cancelled_at_points},
    {"cancelled_anywhere", cancelled_anywhere},
    {"small_stack", small_stack},
    {"two_copies", two_copies},
};

using Process = testing::TestWithParam<std::tuple<const char*, Case>>;

TEST_P(Process, GoesOn) {
  const auto& [engine, one] = GetParam();
  setenv("HEDDLE_ENGINE", engine, 1);
  EXPECT_EXIT(
      {
        alarm(60);
        std::exit(one.body());
      },
      testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, Process, testing::Combine(testing::Values("interp", "jit"), testing::ValuesIn(kCases)),
    [](const auto& info) {
      return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param).name;
    });

}  // namespace
