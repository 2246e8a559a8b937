// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs do with textures and surfaces: rotated and scaled images, filters by convolution,
// slices of volumes, layers and cubes, pyramids, cosine transforms, histograms of surfaces.

namespace {

struct Pixel {
  int x, y;
  __device__ Pixel()
      : x(blockIdx.x * blockDim.x + threadIdx.x), y(blockIdx.y * blockDim.y + threadIdx.y) {}
  __device__ bool is_in(int width, int height) const { return x < width && y < height; }
};

}  // namespace

/// The image turned about its middle; the coordinates are normalized.
extern "C" __global__ void rotate(cudaTextureObject_t image, int width, int height, float cosine,
                                  float sine, float* out) {
  const Pixel at;
  if (!at.is_in(width, height)) return;
  const float u = at.x / static_cast<float>(width) - 0.5f;
  const float v = at.y / static_cast<float>(height) - 0.5f;
  out[at.y * width + at.x] =
      tex2D<float>(image, u * cosine - v * sine + 0.5f, v * cosine + u * sine + 0.5f);
}

/// Seven taps along x, or along y. Coordinates of pixels are clamped at the edges.
extern "C" __global__ void convolve(cudaTextureObject_t image, int width, int height,
                                    const float* taps, int dx, int dy, float* out) {
  const Pixel at;
  if (!at.is_in(width, height)) return;
  float sum = 0;
  for (int i = -3; i <= 3; ++i)
    sum += tex2D<float>(image, at.x + i * dx + 0.5f, at.y + i * dy + 0.5f) * taps[i + 3];
  out[at.y * width + at.x] = sum;
}

/// A plane through a volume of bytes.
extern "C" __global__ void slice(cudaTextureObject_t volume, int width, int height, float w,
                                 float* out) {
  const Pixel at;
  if (!at.is_in(width, height)) return;
  out[at.y * width + at.x] =
      tex3D<float>(volume, at.x / static_cast<float>(width), at.y / static_cast<float>(height), w);
}

extern "C" __global__ void negate_layers(cudaTextureObject_t layers, int width, int height,
                                         int layer, float* out) {
  const Pixel at;
  if (!at.is_in(width, height)) return;
  out[at.y * width + at.x] = -tex2DLayered<float>(layers, at.x + 0.5f, at.y + 0.5f, layer) + layer;
}

/// The directions of all texels of the six faces; `cube` < 0: no layers.
extern "C" __global__ void look_around(cudaTextureObject_t cubes, int width, int cube, float* out) {
  const Pixel at;
  if (!at.is_in(width, width)) return;
  const float u = (at.x + 0.5f) / width * 2 - 1, v = (at.y + 0.5f) / width * 2 - 1;
  for (int face = 0; face < 6; ++face) {
    float x, y, z;
    switch (face) {
      case 0:
        x = 1, y = -v, z = -u;
        break;
      case 1:
        x = -1, y = -v, z = u;
        break;
      case 2:
        x = u, y = 1, z = v;
        break;
      case 3:
        x = u, y = -1, z = -v;
        break;
      case 4:
        x = u, y = -v, z = 1;
        break;
      default:
        x = -u, y = -v, z = -1;
    }
    out[(face * width + at.y) * width + at.x] =
        cube < 0 ? texCubemap<float>(cubes, x, y, z)
                 : texCubemapLayered<float>(cubes, x, y, z, cube);
  }
}

/// A level of a pyramid from the one below it: the mean of four texels.
extern "C" __global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width,
                                 int height) {
  const Pixel at;
  if (!at.is_in(width, height)) return;
  float sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += surf2Dread<float>(from, (2 * at.x + i % 2) * 4, 2 * at.y + i / 2);
  surf2Dwrite(sum * 0.25f, to, at.x * 4, at.y);
}

extern "C" __global__ void look_at_levels(cudaTextureObject_t pyramid, const float* levels, int n,
                                          float u, float v, float* by_level, float* by_gradient) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  by_level[i] = tex2DLod<float>(pyramid, u, v, levels[i]);
  // A footprint of 2^level texels of a level 0 with 64 x 64 texels.
  const float step = exp2f(levels[i]) / 64;
  by_gradient[i] =
      tex2DGrad<float>(pyramid, u, v, make_float2(step, 0), make_float2(0, step * 0.5f));
}

extern "C" __global__ void gather(cudaTextureObject_t image, int width, int height, int channel,
                                  float4* out) {
  const Pixel at;
  if (!at.is_in(width, height)) return;
  const float x = at.x + 1.0f, y = at.y + 1.0f;
  float4 four;
  switch (channel) {
    case 0:
      four = tex2Dgather<float4>(image, x, y, 0);
      break;
    case 1:
      four = tex2Dgather<float4>(image, x, y, 1);
      break;
    case 2:
      four = tex2Dgather<float4>(image, x, y, 2);
      break;
    default:
      four = tex2Dgather<float4>(image, x, y, 3);
  }
  out[at.y * width + at.x] = four;
}

/// The cosine transform of blocks of 8x8 bytes, as in JPEG. A thread block for each.
extern "C" __global__ void cosine_transform(cudaTextureObject_t image, const float* cosines,
                                            float* out, int width) {
  __shared__ float block[8][8], rows[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  const int at_x = blockIdx.x * 8 + x, at_y = blockIdx.y * 8 + y;
  block[y][x] = tex2D<unsigned char>(image, at_x + 0.5f, at_y + 0.5f) - 128.0f;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += block[y][i] * cosines[x * 8 + i];
  rows[y][x] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 8; ++i) sum += rows[i][x] * cosines[y * 8 + i];
  out[at_y * width + at_x] = sum;
}

/// Counts the values of three channels of a surface.
extern "C" __global__ void histogram_of_surface(cudaSurfaceObject_t image, int width, int height,
                                                unsigned* bins) {
  const Pixel at;
  if (!at.is_in(width, height)) return;
  const uchar4 pixel = surf2Dread<uchar4>(image, at.x * 4, at.y);
  atomicAdd(&bins[pixel.x], 1u);
  atomicAdd(&bins[256 + pixel.y], 1u);
  atomicAdd(&bins[512 + pixel.z], 1u);
}

/// Writes a frame of two pixels around the surface, too.
extern "C" __global__ void write_beyond(cudaSurfaceObject_t image, int width, int height,
                                        int mode) {
  const int x = static_cast<int>(threadIdx.x) - 2, y = static_cast<int>(blockIdx.x) - 2;
  if (x >= width + 2) return;
  const unsigned value = 1000 + y * 100 + x;
  if (mode == 0) surf2Dwrite(value, image, x * 4, y, cudaBoundaryModeZero);
  if (mode == 1) surf2Dwrite(value, image, x * 4, y, cudaBoundaryModeClamp);
  if (mode == 2) surf2Dwrite(value, image, x * 4, y, cudaBoundaryModeTrap);
}

/// Reads linear memory, also beyond its ends.
extern "C" __global__ void fetch(cudaTextureObject_t memory, int first, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1Dfetch<int>(memory, first + i);
}
