// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver-API side of the kernel tests: one context for the whole process (made again after a
// test broke it, so that one wrong kernel does not fail all later tests), one module per test.
#include "harness/kernel_test.h"

#include <cmath>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "harness/context.h"

namespace heddle::kernels {
namespace {

struct ImageEntry {
  const char* source;
  const char* compiler;
  const char* path;
  int compute_capability;
};

// Written by CMake: every image that the kernels' declarations in CMakeLists.txt ask for.
constexpr ImageEntry kImages[] = {
#include "kernel_images.inc"
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  const auto print = [&](const Extent& e) { out << e.x << 'x' << e.y << 'x' << e.z; };
  out << "grid ";
  print(shape.grid);
  out << ", block ";
  print(shape.block);
  if (shape.cluster.x != 0) {
    out << ", cluster ";
    print(shape.cluster);
  }
  if (shape.cooperative) out << ", cooperative";
  if (shape.shared_bytes != 0) out << ", " << shape.shared_bytes << " bytes dynamic shared";
  return out;
}

DeviceMemory::DeviceMemory(size_t bytes) : bytes_(bytes) {
  // An empty buffer still has an address of its own.
  succeeded(cuMemAlloc_v2(&address_, bytes == 0 ? 1 : bytes), "cuMemAlloc");
}
DeviceMemory::~DeviceMemory() {
  if (address_ != 0) cuMemFree_v2(address_);
}
void DeviceMemory::write(const void* from, size_t bytes) {
  if (bytes != 0) succeeded(cuMemcpyHtoD_v2(address_, from, bytes), "cuMemcpyHtoD");
}
void DeviceMemory::read(void* to, size_t bytes) const {
  if (bytes != 0) succeeded(cuMemcpyDtoH_v2(to, address_, bytes), "cuMemcpyDtoH");
}

uint64_t Random::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

float canonical_nan(float value) {
  if (!std::isnan(value)) return value;
  const uint32_t bits = 0x7fffffff;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

testing::AssertionResult detail::same_bytes(const void* actual, const void* expected, size_t count,
                                            size_t element, std::string (*show)(const void*)) {
  const auto* a = static_cast<const unsigned char*>(actual);
  const auto* e = static_cast<const unsigned char*>(expected);
  size_t first = count;
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    if (std::memcmp(a + i * element, e + i * element, element) == 0) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return testing::AssertionSuccess();
  const auto hex = [&](const unsigned char* at) {
    std::ostringstream out;
    out << "0x" << std::hex << std::setfill('0');
    for (size_t byte = element; byte-- > 0;) out << std::setw(2) << unsigned{at[byte]};
    return out.str();
  };
  const unsigned char* got = a + first * element;
  const unsigned char* want = e + first * element;
  return testing::AssertionFailure() << wrong << " of " << count << " elements differ, first ["
                                     << first << "]: got " << show(got) << " (" << hex(got)
                                     << "), expected " << show(want) << " (" << hex(want) << ")";
}

std::vector<Image> images_of(const char* source) {
  std::vector<Image> images;
  for (const ImageEntry& entry : kImages) {
    if (entry.source != std::string_view(source)) continue;
    images.push_back({entry.source, entry.compiler, entry.path, entry.compute_capability});
  }
  return images;
}

void PrintTo(const Image& image, std::ostream* out) {
  *out << image.source << ".ptx from " << image.compiler;
}

void KernelTest::SetUp() {
  const Image& image = GetParam();
  if (image.path.empty()) {
    GTEST_SKIP() << image.compiler << " was not found when the tests were built, so "
                 << image.source << ".cu was not compiled with it";
  }
  ASSERT_TRUE(ensure_context());
  if (device_compute_capability() < image.compute_capability) {
    GTEST_SKIP() << "the device has compute capability " << device_compute_capability()
                 << ", the kernel needs " << image.compute_capability;
  }
  const std::string ptx = read_file(image.path);
  ASSERT_FALSE(ptx.empty()) << "cannot read " << image.path;
  ASSERT_TRUE(succeeded(cuModuleLoadData(&module_, ptx.c_str()), image.path.c_str()));
}

void KernelTest::TearDown() {
  if (module_ != nullptr) cuModuleUnload(module_);
}

CUdeviceptr KernelTest::global_address(const char* name, size_t* bytes) {
  CUdeviceptr address = 0;
  size_t ignored = 0;
  succeeded(cuModuleGetGlobal_v2(&address, bytes != nullptr ? bytes : &ignored, module_, name),
            name);
  return address;
}

void KernelTest::launch_pointers(const char* kernel, const Shape& shape, void** parameters) {
  CUfunction function = nullptr;
  if (!succeeded(cuModuleGetFunction(&function, module_, kernel), kernel)) return;
  constexpr unsigned kDefaultDynamicShared = 48 * 1024;
  if (shape.shared_bytes > kDefaultDynamicShared &&
      !succeeded(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(shape.shared_bytes)),
                 "cuFuncSetAttribute")) {
    return;
  }
  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config{};
  config.gridDimX = shape.grid.x;
  config.gridDimY = shape.grid.y;
  config.gridDimZ = shape.grid.z;
  config.blockDimX = shape.block.x;
  config.blockDimY = shape.block.y;
  config.blockDimZ = shape.block.z;
  config.sharedMemBytes = shape.shared_bytes;
  config.attrs = attributes;
  if (shape.cluster.x != 0) {
    attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    const auto& size = shape.cluster;
    attributes[config.numAttrs++].value.clusterDim = {size.x, size.y, size.z};
  }
  if (shape.cooperative) {
    attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[config.numAttrs++].value.cooperative = 1;
  }
  if (!succeeded(cuLaunchKernelEx(&config, function, parameters, nullptr), kernel)) return;
  succeeded(cuCtxSynchronize(), kernel);
}

}  // namespace heddle::kernels
