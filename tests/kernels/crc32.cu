// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CRC-32 (IEEE 802.3, reflected): a table built by the block in shared memory, then a
// byte-at-a-time walk with data-dependent shared loads.
#include "device.h"

extern "C" __global__ void crc32(const unsigned char* data, const unsigned* offsets, unsigned* out,
                                 int count) {
  __shared__ unsigned table[256];
  for (unsigned byte = threadIdx.x; byte < 256; byte += blockDim.x) {
    unsigned crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    table[byte] = crc;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned crc = ~0u;
    for (unsigned at = offsets[i]; at < offsets[i + 1]; ++at) {
      crc = crc >> 8 ^ table[(crc ^ data[at]) & 0xff];
    }
    out[i] = ~crc;
  }
}
