// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compiler: nvcc
// expect: rotated: 0 wrong
// expect: volume: 0 wrong
// expect: surface: 0 wrong
// expect: layers: 0 wrong
//
// Texture and surface objects as a CUDA program makes them: a turned image, a filtered volume, a
// surface that one kernel writes and a texture that the next one reads, layers.
#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    if (const cudaError_t error = call) printf("%s: %s\n", #call, cudaGetErrorName(error)); \
  } while (false)

namespace {

constexpr int kSide = 32;
constexpr size_t kTexels = kSide * kSide;

/// The image turned by a right angle.
__global__ void turn(cudaTextureObject_t image, float* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * kSide + x] = tex2D<float>(image, (y + 0.5f) / kSide, 1 - (x + 0.5f) / kSide);
}

/// Halfway between two slices.
__global__ void between(cudaTextureObject_t volume, float* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * kSide + x] = tex3D<float>(volume, x + 0.5f, y + 0.5f, 1.0f);
}

__global__ void write(cudaSurfaceObject_t image) {
  const int x = threadIdx.x, y = blockIdx.x;
  surf2Dwrite(make_short2(x, -y), image, x * sizeof(short2), y);
}

__global__ void read(cudaTextureObject_t image, short2* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * kSide + x] = tex2D<short2>(image, x + 0.5f, y + 0.5f);
}

__global__ void read_layer(cudaTextureObject_t layers, int layer, float* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * kSide + x] = tex2DLayered<float>(layers, x + 0.5f, y + 0.5f, layer);
}

/// Memory of the host and the device.
template <class T>
struct Results {
  T* memory = nullptr;
  Results() { CHECK(cudaMallocManaged(&memory, kTexels * sizeof(T))); }
  ~Results() { CHECK(cudaFree(memory)); }
};

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter, bool normalized) {
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureDesc sampling{};
  for (auto& mode : sampling.addressMode) mode = cudaAddressModeClamp;
  sampling.filterMode = filter;
  sampling.readMode = cudaReadModeElementType;
  sampling.normalizedCoords = normalized;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  return texture;
}

/// An array of floats: `depth` slices or layers, or one plane.
cudaArray_t array_of(const std::vector<float>& texels, size_t depth, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(kSide, kSide, depth), flags));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(texels.data()), kSide * 4, kSide, kSide);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(kSide, kSide, depth ? depth : 1);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

std::vector<float> texels_of(size_t count) {
  std::vector<float> texels(count);
  for (size_t i = 0; i < count; ++i) texels[i] = static_cast<float>(i * 7919 % 1000);
  return texels;
}

template <class IsRight>
void report(const char* what, IsRight is_right) {
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) wrong += !is_right(x, y);
  }
  printf("%s: %d wrong\n", what, wrong);
}

void turned_image() {
  const auto texels = texels_of(kTexels);
  const cudaArray_t array = array_of(texels, 0, 0);
  const cudaTextureObject_t image = texture_of(array, cudaFilterModeLinear, true);
  const Results<float> out;
  turn<<<kSide, kSide>>>(image, out.memory);
  report("rotated", [&](int x, int y) {
    return out.memory[y * kSide + x] == texels[(kSide - 1 - x) * kSide + y];
  });
  CHECK(cudaDestroyTextureObject(image));
  CHECK(cudaFreeArray(array));
}

void volume() {
  const auto texels = texels_of(2 * kTexels);
  const cudaArray_t array = array_of(texels, 2, 0);
  const cudaTextureObject_t texture = texture_of(array, cudaFilterModeLinear, false);
  const Results<float> out;
  between<<<kSide, kSide>>>(texture, out.memory);
  report("volume", [&](int x, int y) {
    const size_t at = y * kSide + x;
    return out.memory[at] == (texels[at] + texels[at + kTexels]) / 2;
  });
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

void surface() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &format, kSide, kSide, cudaArraySurfaceLoadStore));
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t target = 0;
  CHECK(cudaCreateSurfaceObject(&target, &resource));
  const cudaTextureObject_t source = texture_of(array, cudaFilterModePoint, false);
  const Results<short2> out;
  write<<<kSide, kSide>>>(target);
  read<<<kSide, kSide>>>(source, out.memory);
  report("surface", [&](int x, int y) {
    const short2 texel = out.memory[y * kSide + x];
    return texel.x == x && texel.y == -y;
  });
  CHECK(cudaDestroySurfaceObject(target));
  CHECK(cudaDestroyTextureObject(source));
  CHECK(cudaFreeArray(array));
}

void layers() {
  const auto texels = texels_of(3 * kTexels);
  const cudaArray_t array = array_of(texels, 3, cudaArrayLayered);
  const cudaTextureObject_t texture = texture_of(array, cudaFilterModePoint, false);
  const Results<float> out;
  read_layer<<<kSide, kSide>>>(texture, 2, out.memory);
  report("layers", [&](int x, int y) {
    const size_t at = y * kSide + x;
    return out.memory[at] == texels[at + 2 * kTexels];
  });
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

}  // namespace

int main() {
  turned_image();
  volume();
  surface();
  layers();
}
