// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "compare/engine.h"
#include "driver/api.h"

namespace heddle::bench {
namespace {

// A sequence of calls: after the first failure, no more calls are made.
class Calls {
 public:
  template <class... Parameters, class... Arguments>
  Calls& operator()(const char* name, CUresult (*function)(Parameters...), Arguments... arguments) {
    if (!failure.empty()) return *this;
    const CUresult result = function(arguments...);
    const char* error = "an unknown error";
    if (result == CUDA_SUCCESS) return *this;
    cuGetErrorName(result, &error);
    failure = fmt::format("{}: {}", name, error);
    return *this;
  }
  std::string failure;
};
#define CALL(function, ...) (#function, function __VA_OPT__(, ) __VA_ARGS__)

class Cuda final : public Engine {
 public:
  ~Cuda() override {
    release();
    if (stream_) cuStreamDestroy_v2(stream_);
    if (context_) cuDevicePrimaryCtxRelease_v2(0);
  }

  std::string prepare(const Job& job) override {
    release();
    std::ifstream file(fmt::format("{}/{}.ptx", HEDDLE_BENCH_PTX, job.file));
    const std::string ptx(std::istreambuf_iterator<char>(file), {});
    Calls call;
    if (!context_) {
      call CALL(cuInit, 0u) CALL(cuDevicePrimaryCtxRetain, &context_, 0)
          CALL(cuCtxSetCurrent, context_)
              CALL(cuStreamCreate, &stream_, unsigned{CU_STREAM_NON_BLOCKING});
    }
    call CALL(cuModuleLoadData, &module_, ptx.c_str());
    for (const Array& array : job.arrays) {
      arrays_.push_back(0);
      call CALL(cuMemAlloc_v2, &arrays_.back(), array.bytes)
          CALL(cuMemcpyHtoD_v2, arrays_.back(), array.begin, array.bytes);
    }
    launches_ = job.launches;
    sizes_.clear();
    for (const Array& array : job.arrays) sizes_.push_back(array.bytes);
    for (Launch& launch : launches_) {
      functions_.push_back(nullptr);
      call CALL(cuModuleGetFunction, &functions_.back(), module_, launch.kernel);
      std::vector<void*>& pointers = parameters_.emplace_back();
      for (Argument& argument : launch.arguments) {
        pointers.push_back(argument.array < 0 ? static_cast<void*>(argument.bytes)
                                              : &arrays_[argument.array]);
      }
    }
    return call.failure;
  }

  std::string run(int times) override {
    Calls call;
    for (int i = 0; i < times; ++i) {
      for (std::size_t k = 0; k < launches_.size(); ++k) {
        const Extent &grid = launches_[k].grid, &block = launches_[k].block;
        call CALL(cuLaunchKernel, functions_[k], grid.x, grid.y, grid.z, block.x, block.y, block.z,
                  0u, stream_, parameters_[k].data(), nullptr);
      }
    }
    call CALL(cuStreamSynchronize, stream_);
    return call.failure;
  }

  std::string read(int array, void* to) override {
    Calls call;
    call CALL(cuMemcpyDtoH_v2, to, arrays_[array], sizes_[array]);
    return call.failure;
  }

 private:
  void release() {
    for (CUdeviceptr array : arrays_) cuMemFree_v2(array);
    if (module_) cuModuleUnload(module_);
    module_ = nullptr;
    arrays_.clear(), functions_.clear(), parameters_.clear(), launches_.clear();
  }

  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUmodule module_ = nullptr;
  std::vector<CUdeviceptr> arrays_;
  std::vector<std::size_t> sizes_;
  std::vector<Launch> launches_;
  std::vector<CUfunction> functions_;           // of each launch
  std::vector<std::vector<void*>> parameters_;  // into launches_ and arrays_
};

}  // namespace

std::unique_ptr<Engine> cuda_engine() { return std::make_unique<Cuda>(); }

}  // namespace heddle::bench
