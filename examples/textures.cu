// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws docs/textures/lookups.png: an image of 8x8 texels by its nearest texel, by a linear filter,
// and turned with mirrored edges; then a checkered floor from one level, and from a mipmapped array
// with anisotropic samples. textures.py runs it. Made with nvcc's headers:
//
//   nvcc -ptx -arch=compute_75 -fmad=false textures.cu -o textures.ptx

extern "C" __global__ void draw(cudaTextureObject_t nearest, cudaTextureObject_t linear,
                                cudaTextureObject_t floor, cudaSurfaceObject_t picture, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int panel = x / side;
  const float u = (x % side + 0.5f) / side, v = (y + 0.5f) / side;
  // The floor: the horizon is above the panel, and a pixel sees as many texels as it is far away.
  const float far = 4 / (v + 0.02f);
  const float2 at = make_float2((u - 0.5f) * far, far);
  const float2 dx = make_float2(far / side, 0);
  const float2 dy = make_float2(at.x * far / 4 / side, far * far / 4 / side);
  float4 color;
  switch (panel) {
    case 0:
      color = tex2D<float4>(nearest, u, v);
      break;
    case 1:
      color = tex2D<float4>(linear, u, v);
      break;
    case 2:
      color = tex2D<float4>(linear, 1.6f * u - 1.2f * v + 0.3f, 1.2f * u + 1.6f * v - 0.9f);
      break;
    case 3:
      color = tex2DLod<float4>(floor, at.x, at.y, 0);
      break;
    default:
      color = tex2DGrad<float4>(floor, at.x, at.y, dx, dy);
  }
  surf2Dwrite(make_uchar4(static_cast<unsigned char>(color.x * 255 + 0.5f),
                          static_cast<unsigned char>(color.y * 255 + 0.5f),
                          static_cast<unsigned char>(color.z * 255 + 0.5f), 255),
              picture, x * 4, y, cudaBoundaryModeZero);
}
