// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the system provides to kernels: printf and a heap.
#include "device.h"

#if defined(__clang__) && defined(__CUDA__)
extern "C" __device__ int printf(const char* format, ...);
extern "C" __device__ void* malloc(decltype(sizeof 0) bytes);
extern "C" __device__ void free(void* memory);
#else
#include <cstdio>
#endif

__device__ const char kNames[3][8] = {"warp", "weft", "heddle"};

extern "C" __global__ void greet(int* counts) {
  const int thread = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (thread % 2 == 0) {
    counts[thread] =
        printf("%d is %s: %6.2f %#x %c %lld %%\n", thread, kNames[thread % 3], double(thread) / 4,
               unsigned(thread) + 255u, 'a' + thread % 26, (long long)thread << 33);
  } else {
    counts[thread] = printf("odd\n");
  }
}

struct Node {
  Node* next;
  int value;
};

// Each thread builds a list, walks it and frees it.
extern "C" __global__ void lists(int* sums, int length) {
  const int thread = int(blockIdx.x * blockDim.x + threadIdx.x);
  Node* first = nullptr;
  for (int i = 0; i < length; ++i) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    if (!node) break;
    node->next = first;
    node->value = thread + i;
    first = node;
  }
  int sum = 0;
  while (first) {
    Node* const next = first->next;
    sum += first->value;
    free(first);
    first = next;
  }
  sums[thread] = sum;
}

// An allocation that is too large, and free of a null pointer.
extern "C" __global__ void limits(int* out) {
  char* volatile const huge = static_cast<char*>(malloc(1ull << 40));
  out[0] = huge == nullptr;
  free(nullptr);
  char* const bytes = static_cast<char*>(malloc(33));
  out[1] = bytes != nullptr && reinterpret_cast<unsigned long long>(bytes) % 16 == 0;
  for (int i = 0; i < 33; ++i) bytes[i] = char(i);
  int sum = 0;
  for (int i = 0; i < 33; ++i) sum += bytes[i];
  out[2] = sum;
  free(bytes);
}
