// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense switches, which a compiler may turn into a tree of comparisons or a branch table: a stack
// machine, and a different case in every lane.
#include "device.h"

// One program, each lane with its own input: mostly uniform branches, some divergent jumps.
// An instruction is (opcode | argument << 8).
static __device__ int run_program(const unsigned* program, int input) {
  int stack[8];
  int top = 0;
  int pc = 0;
  stack[0] = input;
  for (int step = 0; step < 500; ++step) {
    unsigned instruction = program[pc++];
    int argument = (int)instruction >> 8;
    // clang-format off
    switch (instruction & 0xff) {
      case 0: return stack[top];
      case 1: stack[++top] = argument; break;
      case 2: --top; stack[top] += stack[top + 1]; break;
      case 3: --top; stack[top] -= stack[top + 1]; break;
      case 4: --top; stack[top] *= stack[top + 1]; break;
      case 5: ++top; stack[top] = stack[top - 1]; break;
      case 6: { int swap = stack[top]; stack[top] = stack[top - 1]; stack[top - 1] = swap; break; }
      case 7: pc = argument; break;
      case 8: if (stack[top--] != 0) pc = argument; break;
      case 9: stack[top] &= argument; break;
      case 10: stack[top] = stack[top] >> (argument & 31); break;
      case 11: ++top; stack[top] = stack[top - 2]; break;
      case 12: --top; break;
      default: return -1;
    }
    // clang-format on
  }
  return -2;
}

extern "C" __global__ void interpret(const unsigned* program, const int* inputs, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = run_program(program, inputs[i]);
}

// Every lane takes another case in the same step.
extern "C" __global__ void classify(const int* keys, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int key = keys[i];
  int result;
  // clang-format off
  switch (key) {
    case 0: result = i * 3; break;
    case 1: result = i ^ 0x1234; break;
    case 2: result = i / 7; break;
    case 3: result = i % 11; break;
    case 4: result = i << 5;  // falls through
    case 5: result = i + 1000; break;
    case 6: result = -i; break;
    case 7: case 8: result = i * i; break;
    case 9: result = keys[(i + 1) % n]; break;
    case 10: out[i] = 77; return;
    case 11: result = __popc(i); break;
    default: result = key < 0 ? -1 : 12345; break;
  }
  // clang-format on
  out[i] = result;
}
