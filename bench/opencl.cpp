// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The jobs of src/interp/interp_bench.cpp on the installed OpenCL platforms, with the same count of
// warp instructions. `./x bench` runs this with pocl (work-items compiled into loops) and under
// oclgrind (one work-item after the other, interpreted), where they are installed. One host thread.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "interp/bench_sizes.h"
#include "texture_sizes.h"

namespace {

using namespace heddle;
using namespace heddle::interp::bench;

constexpr const char* kSource = R"(
kernel void saxpy(uint n, float a, global const float* x, global float* y) {
  uint i = get_global_id(0);
  if (i < n) y[i] += a * x[i];
}
kernel void mandelbrot(global uint* out, uint most, float step) {
  uint i = get_global_id(0);
  float cx = i * step, x = 0, y = 0;
  uint n = 0;
  do {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = fma(x * y, 2.0f, 0.1f);
    x = xx - yy + cx;
  } while (++n < most);
  out[i] = n;
}
kernel void matmul(global const float* a, global const float* b, global float* c, uint n) {
  local float as[32][32], bs[32][32];
  uint x = get_local_id(0), y = get_local_id(1);
  uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint t = 0; t < n; t += 32) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 32; ++k) sum += as[y][k] * bs[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t linear =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
#define LOOKUPS(name, sampler)                                                             \
  kernel void name(read_only image2d_t image, global float* out, float x_step,             \
                   float y_step, float scatter) {                                          \
    uint lane = get_global_id(0);                                                          \
    float x = lane * x_step + 10.04f + (float)(lane * 2654435761u >> 25) * scatter;        \
    float y = lane * y_step + 10.42f + (float)(lane * 2246822519u >> 25) * scatter;        \
    float sum = 0;                                                                         \
    for (uint i = 0; i < 4096; ++i)                                                        \
      sum += read_imagef(image, sampler, (float2)(x, y + (float)(i / 4 % 64 + i % 4))).x;  \
    out[lane] = sum;                                                                       \
  }
LOOKUPS(point, nearest)
LOOKUPS(bilinear, linear)
)";

/// A CPU device of one platform, with the kernels built for it. Lives as long as the process.
class Device {
 public:
  Device(cl_platform_id platform, cl_device_id device) {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), 0};
    context_ = clCreateContext(properties, 1, &device, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueue(context_, device, 0, nullptr);
    const char* source = kSource;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, nullptr);
    HEDDLE_CHECK(clBuildProgram(program_, 1, &device, "", nullptr, nullptr) == CL_SUCCESS);
  }
  cl_mem buffer(std::size_t bytes) {
    std::vector<char> zeros(bytes);
    return clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, zeros.data(),
                          nullptr);
  }
  /// kWidth x kWidth texels, 0.5 each; none: the device has no images of that format.
  cl_mem image(cl_channel_order order, cl_channel_type type) {
    const cl_image_format format = {order, type};
    cl_image_desc shape{};
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = shape.image_height = bench::kWidth;
    std::vector<float> texels(std::size_t{bench::kWidth} * bench::kWidth * 4, 0.5f);
    return clCreateImage(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape,
                         texels.data(), nullptr);
  }
  template <class... Args>
  void run(benchmark::State& state, const char* name, double instructions,
           std::vector<std::size_t> items, std::vector<std::size_t> group, const Args&... args) {
    cl_kernel kernel = clCreateKernel(program_, name, nullptr);
    cl_uint index = 0;
    (clSetKernelArg(kernel, index++, sizeof args, &args), ...);
    const auto launch = [&] {
      const cl_int status =
          clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(items.size()), nullptr,
                                 items.data(), group.data(), 0, nullptr, nullptr);
      HEDDLE_CHECK(status == CL_SUCCESS && clFinish(queue_) == CL_SUCCESS);
    };
    launch();  // compiles for this size of group
    for (auto _ : state) launch();
    state.counters["warp-instruction"] =
        benchmark::Counter(instructions * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    clReleaseKernel(kernel);
  }

 private:
  cl_context context_;
  cl_command_queue queue_;
  cl_program program_;
};

void add_benchmarks(const std::string& platform, Device& device) {
  const auto add = [&](const char* name, auto body) {
    benchmark::RegisterBenchmark((platform + "/" + name).c_str(), body)
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  };
  add("saxpy", [&device](benchmark::State& state) {
    const cl_mem x = device.buffer(kCount * 4), y = device.buffer(kCount * 4);
    device.run(state, "saxpy", kSaxpyInstructions, {kCount}, {kBlock}, cl_uint{kCount}, 0.5f, x, y);
    clReleaseMemObject(x), clReleaseMemObject(y);
  });
  add("mandelbrot", [&device](benchmark::State& state) {
    const cl_mem out = device.buffer(kPoints * 4);
    device.run(state, "mandelbrot", kMandelbrotInstructions, {kPoints}, {kBlock}, out,
               cl_uint{kMost}, 0.0f);
    clReleaseMemObject(out);
  });
  add("matmul", [&device](benchmark::State& state) {
    constexpr std::size_t kBytes = std::size_t{kOrder} * kOrder * 4;
    const cl_mem a = device.buffer(kBytes), b = device.buffer(kBytes), c = device.buffer(kBytes);
    device.run(state, "matmul", kMatmulInstructions, {kOrder, kOrder}, {kTile, kTile}, a, b, c,
               cl_uint{kOrder});
    clReleaseMemObject(a), clReleaseMemObject(b), clReleaseMemObject(c);
  });
  // Lookups of a warp's 32 work-items, for bench/texture_lookups.cpp.
  struct Texel {
    const char* name;
    cl_channel_order order;
    cl_channel_type type;
  };
  static constexpr Texel kTexels[] = {
      {"f32", CL_R, CL_FLOAT}, {"rgba8", CL_RGBA, CL_UNORM_INT8}, {"float4", CL_RGBA, CL_FLOAT}};
  for (const bench::Pattern& pattern : bench::kPatterns) {
    for (const Texel& texel : kTexels) {
      for (const char* filter : {"point", "bilinear"}) {
        const std::string name = fmt::format("tex/{}/{}/{}", filter, texel.name, pattern.name);
        add(name.c_str(), [=, &device, &texel](benchmark::State& state) {
          const cl_mem image = device.image(texel.order, texel.type), out = device.buffer(32 * 4);
          if (!image) return state.SkipWithError("there are no images of this format");
          device.run(state, filter, double{bench::kRounds} * bench::kLookups, {32}, {32}, image,
                     out, pattern.x_step, pattern.y_step, pattern.scatter);
          clReleaseMemObject(image), clReleaseMemObject(out);
        });
      }
    }
  }
}

std::string name_of(cl_platform_id platform) {
  char name[256] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr);
  return name;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
  benchmark::Initialize(&argc, argv);
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) count = 0;
  std::vector<std::unique_ptr<Device>> devices;
  for (cl_uint i = 0; i < count; ++i) {
    cl_device_id device;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
      continue;
    devices.push_back(std::make_unique<Device>(platforms[i], device));
    add_benchmarks(name_of(platforms[i]), *devices.back());
  }
  if (devices.empty()) fmt::print(stderr, "no OpenCL device\n");
  benchmark::RunSpecifiedBenchmarks();
  return devices.empty() ? 1 : 0;
}
