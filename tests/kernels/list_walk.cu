// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointer chasing: each thread walks its own linked list in device memory.
#include "device.h"

struct Node {
  Node* next;
  int value;
};

extern "C" __global__ void sum_lists(Node** heads, int lists, long long* sums, int* lengths) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lists) return;
  long long sum = 0;
  int length = 0;
  for (const Node* node = heads[i]; node != nullptr; node = node->next) {
    sum += node->value;
    ++length;
  }
  sums[i] = sum;
  lengths[i] = length;
}

// Pushes one node per thread on one shared stack without locks.
extern "C" __global__ void push_all(Node* nodes, int count, unsigned long long* head) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  nodes[i].value = i;
  unsigned long long old = *(volatile unsigned long long*)head;
  while (true) {
    nodes[i].next = (Node*)old;
    __threadfence();
    unsigned long long seen = atomicCAS(head, old, (unsigned long long)&nodes[i]);
    if (seen == old) break;
    old = seen;
  }
}
