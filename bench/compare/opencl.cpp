// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pocl compiles the same kernels as OpenCL C (kernels/portable.h).
#include "compare/engine.h"

#ifdef HEDDLE_BENCH_OPENCL

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace heddle::bench {
namespace {

class Pocl final : public Engine {
 public:
  Pocl(cl_platform_id platform, cl_device_id device) : device_(device) {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), 0};
    context_ = clCreateContext(properties, 1, &device, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueue(context_, device, 0, nullptr);
  }
  ~Pocl() override { release(); }

  std::string prepare(const Job& job) override {
    release();
    std::ifstream file(fmt::format("{}/{}.cu", HEDDLE_BENCH_KERNELS, job.file));
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const char* source = text.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, nullptr);
    constexpr const char* kOptions = "-cl-std=CL1.2 -cl-mad-enable -I" HEDDLE_BENCH_KERNELS;
    if (clBuildProgram(program_, 1, &device_, kOptions, nullptr, nullptr) != CL_SUCCESS) {
      return "does not compile";
    }
    for (const Array& array : job.arrays) {
      sizes_.push_back(array.bytes);
      arrays_.push_back(clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       array.bytes, array.begin, nullptr));
    }
    launches_ = job.launches;
    for (const Launch& launch : launches_) {
      cl_kernel kernel = kernels_.emplace_back(clCreateKernel(program_, launch.kernel, nullptr));
      for (cl_uint i = 0; i < launch.arguments.size(); ++i) {
        const Argument& argument = launch.arguments[i];
        const cl_int status =
            argument.array < 0
                ? clSetKernelArg(kernel, i, argument.size, argument.bytes)
                : clSetKernelArg(kernel, i, sizeof(cl_mem), &arrays_[argument.array]);
        if (status != CL_SUCCESS) return fmt::format("clSetKernelArg: {}", status);
      }
    }
    return "";
  }

  std::string run(int times) override {
    for (int i = 0; i < times; ++i) {
      for (std::size_t k = 0; k < launches_.size(); ++k) {
        const Extent &grid = launches_[k].grid, &block = launches_[k].block;
        const std::size_t group[] = {block.x, block.y, block.z};
        const std::size_t items[] = {std::size_t{grid.x} * block.x, std::size_t{grid.y} * block.y,
                                     std::size_t{grid.z} * block.z};
        const cl_int status = clEnqueueNDRangeKernel(queue_, kernels_[k], 3, nullptr, items, group,
                                                     0, nullptr, nullptr);
        if (status != CL_SUCCESS) return fmt::format("clEnqueueNDRangeKernel: {}", status);
      }
    }
    const cl_int status = clFinish(queue_);
    return status == CL_SUCCESS ? "" : fmt::format("clFinish: {}", status);
  }

  std::string read(int array, void* to) override {
    const cl_int status = clEnqueueReadBuffer(queue_, arrays_[array], CL_TRUE, 0, sizes_[array], to,
                                              0, nullptr, nullptr);
    return status == CL_SUCCESS ? "" : fmt::format("clEnqueueReadBuffer: {}", status);
  }

 private:
  void release() {
    for (cl_kernel kernel : kernels_) clReleaseKernel(kernel);
    for (cl_mem array : arrays_) clReleaseMemObject(array);
    if (program_) clReleaseProgram(program_);
    program_ = nullptr;
    kernels_.clear(), arrays_.clear(), sizes_.clear(), launches_.clear();
  }

  const cl_device_id device_;
  cl_context context_;
  cl_command_queue queue_;
  cl_program program_ = nullptr;
  std::vector<cl_mem> arrays_;
  std::vector<std::size_t> sizes_;
  std::vector<Launch> launches_;
  std::vector<cl_kernel> kernels_;  // of each launch
};

}  // namespace

std::unique_ptr<Engine> pocl_engine() {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint i = 0; i < count; ++i) {
    char name[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
    cl_device_id device;
    if (std::string_view(name) == "Portable Computing Language" &&
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS) {
      return std::make_unique<Pocl>(platforms[i], device);
    }
  }
  return nullptr;
}

}  // namespace heddle::bench

#else

namespace heddle::bench {
std::unique_ptr<Engine> pocl_engine() { return nullptr; }
}  // namespace heddle::bench

#endif
