// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program in plain C, with its GPU code registered by hand, which tests that the header is valid
// C. It is linked without a path to the library, so that `heddle exec` has to find it.
#include <stdio.h>
#include <string.h>

#include "runtime/api.h"

static const char kPtx[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry twice(.param .u64 data) {\n"
    "  .reg .b64 %rd<3>;\n  .reg .b32 %r<3>;\n"
    "  ld.param.u64 %rd0, [data];\n"
    "  mov.u32 %r0, %tid.x;\n"
    "  mul.wide.u32 %rd1, %r0, 4;\n"
    "  add.u64 %rd0, %rd0, %rd1;\n"
    "  ld.global.u32 %r1, [%rd0];\n"
    "  add.u32 %r1, %r1, %r1;\n"
    "  st.global.u32 [%rd0], %r1;\n"
    "  ret;\n}\n";

struct Image {
  unsigned magic;
  unsigned short version, header_bytes;
  unsigned long long content_bytes;
  unsigned short kind, entry_version;
  unsigned entry_bytes;
  unsigned long long payload_bytes;
  unsigned compressed_bytes, options;
  unsigned short minor, major;
  unsigned sm, name, name_bytes;
  unsigned long long flags, zero, text_bytes;
  char text[(sizeof kPtx + 7) / 8 * 8];
};

static struct Image image = {0xba55ed50, 1,           16, sizeof(struct Image) - 16,
                             1,          0x0101,      64, sizeof image.text,
                             0,          0,           8,  7,
                             75,         0,           0,  0x11,
                             0,          sizeof kPtx, ""};

static struct {
  unsigned magic, version;
  const void *image, *relocatable;
} wrapper = {0x466243b1, 1, &image, NULL};

static char twice;  // the symbol that stands for the kernel

static int failed(cudaError_t error) {
  if (error) printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  return error != cudaSuccess;
}

int main(void) {
  memcpy(image.text, kPtx, sizeof kPtx);
  void** handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &twice, &twice, "twice", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(handle);

  int host[4] = {1, 2, 3, 4};
  void* data = NULL;
  void* arguments[] = {&data};
  const dim3 one = {1, 1, 1}, four = {4, 1, 1};
  if (failed(cudaMalloc(&data, sizeof host))) return 1;
  if (failed(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice))) return 1;
  if (failed(cudaLaunchKernel(&twice, one, four, arguments, 0, NULL))) return 1;
  if (failed(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost))) return 1;
  printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  __cudaUnregisterFatBinary(handle);
  return 0;
}
