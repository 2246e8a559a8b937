// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The harness of the kernel tests: a fixture that runs every test once per compiler whose PTX of
// that kernel file exists, device buffers, a typed launch, and comparisons that show the first
// wrong element. It uses only the CUDA driver API, so the same test binary runs on Heddle and on a
// GPU.
//
//     KERNEL_SUITE(Saxpy, "elementwise");   // elementwise.cu, elementwise.ptx
//
//     TEST_P(Saxpy, EveryBlockShape) {
//       for (const Shape& shape : kLineShapes) {
//         Buffer y(random_values<float>(1000, 1));
//         launch("saxpy", shape, 1000, 2.0f, x, y);
//         EXPECT_SAME(y, expected);
//       }
//     }
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "driver/api.h"

namespace heddle::kernels {

// --- Shapes
// ---------------------------------------------------------------------------------------

struct Extent {
  unsigned x = 1, y = 1, z = 1;
  unsigned count() const { return x * y * z; }
};

struct Shape {
  Extent grid;
  Extent block;
  unsigned shared_bytes = 0;  // dynamic shared memory
  Extent cluster{0, 0, 0};    // 0: as the kernel declares
  bool cooperative = false;
  unsigned threads() const { return grid.count() * block.count(); }
  Shape with_shared(size_t bytes) const {
    Shape shape = *this;
    shape.shared_bytes = static_cast<unsigned>(bytes);
    return shape;
  }
  Shape with_cluster(Extent size) const {
    Shape shape = *this;
    shape.cluster = size;
    return shape;
  }
};
std::ostream& operator<<(std::ostream& out, const Shape& shape);

// One-dimensional shapes: one thread, part of a warp, whole warps, ragged ends, the largest block.
inline const Shape kLineShapes[] = {{{1}, {1}},   {{1}, {32}},  {{5}, {31}},  {{3}, {33}},
                                    {{4}, {100}}, {{7}, {256}}, {{1}, {1024}}};

// Shapes for kernels that treat the block as a whole, all of whole warps.
inline const Shape kWarpShapes[] = {{{1}, {32}}, {{3}, {64}}, {{2}, {256}}, {{1}, {1024}}};

// Two-dimensional blocks, some not a multiple of the warp.
inline const Shape kPlaneShapes[] = {
    {{4, 4}, {8, 8}}, {{3, 5}, {32, 4}}, {{7, 2}, {5, 13}}, {{2, 40}, {33, 1}}, {{1, 1}, {32, 32}}};

// --- Device memory
// --------------------------------------------------------------------------------

// Fails the running test, naming the driver's error, unless `result` is CUDA_SUCCESS.
bool succeeded(CUresult result, const char* what);
std::string error_name(CUresult result);

class DeviceMemory {
 public:
  explicit DeviceMemory(size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  CUdeviceptr address() const { return address_; }
  size_t bytes() const { return bytes_; }
  void write(const void* from, size_t bytes);
  void read(void* to, size_t bytes) const;

 private:
  CUdeviceptr address_ = 0;
  size_t bytes_;
};

// `count` values of type T on the device.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Buffer(size_t count) : Buffer(std::vector<T>(count)) {}  // zeroed
  explicit Buffer(const std::vector<T>& values)
      : count_(values.size()), memory_(values.size() * sizeof(T)) {
    memory_.write(values.data(), values.size() * sizeof(T));
  }

  size_t size() const { return count_; }
  CUdeviceptr address(size_t index = 0) const { return memory_.address() + index * sizeof(T); }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    memory_.read(result.data(), count_ * sizeof(T));
    return result;
  }

 private:
  size_t count_;
  DeviceMemory memory_;
};

// --- Input data and comparison
// ----------------------------------------------------------------------

// SplitMix64: the same numbers on every host.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  unsigned below(unsigned bound) { return static_cast<unsigned>(next() % bound); }

 private:
  uint64_t state_;
};

// Any bit pattern for integers; for floating point, values in [-1, 1) (all finite and normal).
template <class T>
std::vector<T> random_values(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<T> values(count);
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<int32_t>(random.next() >> 32) | 1) / T(2147483648.0);
    } else {
      value = static_cast<T>(random.next() >> 7);
    }
  }
  return values;
}

// f(0), f(1), ... f(count - 1).
template <class F>
auto tabulate(size_t count, F f) {
  std::vector<std::decay_t<decltype(f(size_t{}))>> values;
  values.reserve(count);
  for (size_t i = 0; i < count; ++i) values.push_back(f(i));
  return values;
}

namespace detail {
testing::AssertionResult same_bytes(const void* actual, const void* expected, size_t count,
                                    size_t element, std::string (*show)(const void*));
template <class T>
std::string show(const void* at) {
  if constexpr (requires(std::ostream& out, const T& value) { out << value; }) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    if constexpr (sizeof(T) == 1) return testing::PrintToString(static_cast<int>(value));
    return testing::PrintToString(value);
  } else {
    return "(" + std::to_string(sizeof(T)) + " bytes)";
  }
}
}  // namespace detail

// Compares bit for bit; on failure prints the first differing element and the number of
// differences.
template <class T>
testing::AssertionResult same(const std::vector<T>& actual, const std::vector<T>& expected) {
  if (actual.size() != expected.size()) {
    return testing::AssertionFailure()
           << actual.size() << " elements instead of " << expected.size();
  }
  return detail::same_bytes(actual.data(), expected.data(), actual.size(), sizeof(T),
                            detail::show<T>);
}
template <class T>
testing::AssertionResult same(const Buffer<T>& actual, const std::vector<T>& expected) {
  return same(actual.values(), expected);
}
// Variadic because a braced list of expected values has commas.
#define EXPECT_SAME(actual, ...)                                                         \
  do {                                                                                   \
    const auto heddle_same = ::heddle::kernels::same(actual, __VA_ARGS__);               \
    if (!heddle_same) ADD_FAILURE() << #actual << ": " << heddle_same.failure_message(); \
  } while (false)

// The result of NVIDIA GPUs for a NaN of single precision arithmetic (the payload is lost).
float canonical_nan(float value);

// --- The fixture
// ------------------------------------------------------------------------------------

// One PTX file made from one kernel source, or the reason why there is none.
struct Image {
  std::string source;          // "elementwise"
  std::string compiler;        // "clang_sm75", "clang_O0", "nvcc", "committed", ...
  std::string path;            // empty if the compiler was not installed when the tests were built
  int compute_capability = 0;  // the least the device must have, 75 for sm_75
};
std::vector<Image> images_of(const char* source);
void PrintTo(const Image& image, std::ostream* out);

// A kernel parameter: the address of a buffer, or the argument itself. The C++ type of the argument
// must be the kernel's parameter type.
template <class T>
CUdeviceptr parameter(const Buffer<T>& buffer) {
  return buffer.address();
}
template <class T>
const T& parameter(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return value;
}

class KernelTest : public testing::TestWithParam<Image> {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Runs the kernel to its end. Fails the test if the driver reports an error.
  template <class... Arguments>
  void launch(const char* kernel, const Shape& shape, const Arguments&... arguments) {
    launch_values(kernel, shape, parameter(arguments)...);
  }

  // The address and size of a module-scope variable.
  CUdeviceptr global_address(const char* name, size_t* bytes = nullptr);
  template <class T>
  std::vector<T> read_global(const char* name) {
    size_t bytes = 0;
    const CUdeviceptr address = global_address(name, &bytes);
    std::vector<T> values(bytes / sizeof(T));
    succeeded(cuMemcpyDtoH_v2(values.data(), address, values.size() * sizeof(T)), name);
    return values;
  }
  template <class T>
  void write_global(const char* name, const T& value) {
    succeeded(cuMemcpyHtoD_v2(global_address(name), &value, sizeof(T)), name);
  }

 private:
  template <class... Values>
  void launch_values(const char* kernel, const Shape& shape, const Values&... values) {
    const void* pointers[] = {&values..., nullptr};
    launch_pointers(kernel, shape, const_cast<void**>(pointers));
  }
  void launch_pointers(const char* kernel, const Shape& shape, void** parameters);

  CUmodule module_ = nullptr;
};

inline std::string image_name(const testing::TestParamInfo<Image>& info) {
  return info.param.compiler;
}

}  // namespace heddle::kernels

// A suite of tests for the kernels in <source>.cu, run for each of its images. Base: KernelTest, or
// a class derived from it.
#define KERNEL_SUITE_FROM(Base, Suite, source)                                               \
  class Suite : public Base {};                                                              \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(::heddle::kernels::images_of(source)), \
                           ::heddle::kernels::image_name)
#define KERNEL_SUITE(Suite, source) KERNEL_SUITE_FROM(::heddle::kernels::KernelTest, Suite, source)
