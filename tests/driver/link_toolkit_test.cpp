// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker with the output of a CUDA toolkit: relocatable objects, a library of them, and the
// toolkit's libcudadevrt.a. Skipped without nvcc.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "client.h"

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kCaller = R"cuda(
__device__ int twice(int x);
extern "C" __global__ void main_kernel(int* value) { *value = twice(*value); }
)cuda";
constexpr const char* kCallee = "__device__ int twice(int x) { return 2 * x; }\n";
constexpr const char* kBarrier = R"cuda(
extern "C" __global__ void main_kernel(int* value) {
  atomicAdd(value, 1);
  cudaCGSynchronize(cudaCGGetIntrinsicHandle(cudaCGScopeGrid), 0);
  if (*(volatile int*)value != gridDim.x) *value = -1;
}
)cuda";
constexpr const char* kParent = R"cuda(
__global__ void child(int* value) { *value = 1; }
extern "C" __global__ void main_kernel(int* value) { child<<<1, 1>>>(value); }
)cuda";

fs::path toolkit() {
  const char* const roots[] = {std::getenv("CUDA_HOME"), std::getenv("CUDA_PATH"),
                               "/usr/local/cuda"};
  for (const char* root : roots) {
    if (root && fs::exists(fs::path(root) / "bin/nvcc")) return root;
  }
  return {};
}

class LinkToolkit : public InContext {
 protected:
  void SetUp() override {
    InContext::SetUp();
    if (toolkit().empty()) GTEST_SKIP() << "there is no nvcc";
    folder_ = fs::temp_directory_path() / ("heddle_link_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
    InContext::TearDown();
  }
  fs::path file(const char* name) const { return folder_ / name; }
  void nvcc(const std::string& arguments) const {
    const std::string command = "cd " + folder_.string() + " && " +
                                (toolkit() / "bin/nvcc").string() + " " + arguments + " >log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command << "; see " << file("log");
  }
  void compile(const char* name, const char* text, const std::string& target) const {
    std::ofstream(file(name)) << text;
    nvcc("-rdc=true -gencode arch=compute_75,code=" + target + " -c " + name);
  }
  static fs::path device_runtime() { return toolkit() / "lib64/libcudadevrt.a"; }

  struct Input {
    CUjitInputType type;
    fs::path path;
  };
  /// The module of several files; null, with the error log, when they cannot be linked.
  CUmodule link(const std::vector<Input>& inputs) {
    CUlinkState state = nullptr;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {errors_, reinterpret_cast<void*>(sizeof errors_)};
    EXPECT_OK(cuLinkCreate_v2(2, options, values, &state));
    CUresult result = CUDA_SUCCESS;
    for (const auto& [type, path] : inputs) {
      if (!result) result = cuLinkAddFile_v2(state, type, path.c_str(), 0, nullptr, nullptr);
    }
    void* image = nullptr;
    CUmodule module = nullptr;
    if (!result) result = cuLinkComplete(state, &image, nullptr);
    if (!result) {
      EXPECT_OK(cuModuleLoadData(&module, image));
    }
    EXPECT_OK(cuLinkDestroy(state));
    return module;
  }
  /// The result of main_kernel for `value`, in a cooperative launch.
  static int run(CUmodule module, int value, unsigned blocks) {
    CUfunction function = nullptr;
    CUdeviceptr memory = 0;
    EXPECT_OK(cuModuleGetFunction(&function, module, "main_kernel"));
    EXPECT_OK(cuMemAlloc_v2(&memory, 4));
    EXPECT_OK(cuMemcpyHtoD_v2(memory, &value, 4));
    void* params[] = {&memory};
    EXPECT_OK(cuLaunchCooperativeKernel(function, blocks, 1, 1, 1, 1, 1, 0, nullptr, params));
    EXPECT_OK(cuMemcpyDtoH_v2(&value, memory, 4));
    EXPECT_OK(cuMemFree_v2(memory));
    return value;
  }

  fs::path folder_;
  char errors_[8192] = "";
};

TEST_F(LinkToolkit, ObjectsAndALibrary) {
  compile("caller.cu", kCaller, "compute_75");
  compile("a_callee_with_a_long_name.cu", kCallee, "compute_75");
  nvcc("-lib -o libcallee.a a_callee_with_a_long_name.o");
  for (const Input& callee : {Input{CU_JIT_INPUT_OBJECT, file("a_callee_with_a_long_name.o")},
                              Input{CU_JIT_INPUT_LIBRARY, file("libcallee.a")}}) {
    const CUmodule module = link({{CU_JIT_INPUT_OBJECT, file("caller.o")}, callee});
    ASSERT_TRUE(module) << errors_;
    EXPECT_EQ(run(module, 21, 1), 42);
  }
}

TEST_F(LinkToolkit, MachineCodeAlone) {
  compile("callee.cu", kCallee, "sm_75");
  nvcc("-lib -o libcallee.a callee.o");
  EXPECT_FALSE(link({{CU_JIT_INPUT_LIBRARY, file("libcallee.a")}}));
  EXPECT_THAT(errors_, AllOf(HasSubstr("libcallee.a(callee.o)"), HasSubstr("GPU code for sm_75")));
}

TEST_F(LinkToolkit, DeviceRuntime) {
  if (!fs::exists(device_runtime())) GTEST_SKIP() << "there is no " << device_runtime();
  compile("barrier.cu", kBarrier, "compute_75");
  const CUmodule module =
      link({{CU_JIT_INPUT_OBJECT, file("barrier.o")}, {CU_JIT_INPUT_LIBRARY, device_runtime()}});
  ASSERT_TRUE(module) << errors_;
  EXPECT_EQ(run(module, 0, 20), 20);

  compile("parent.cu", kParent, "compute_75");
  const CUmodule parent =
      link({{CU_JIT_INPUT_OBJECT, file("parent.o")}, {CU_JIT_INPUT_LIBRARY, device_runtime()}});
  ASSERT_TRUE(parent) << errors_;
  EXPECT_EQ(run(parent, 7, 1), 1);
}

}  // namespace
