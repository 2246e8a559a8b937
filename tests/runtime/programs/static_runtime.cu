// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with the vendor's static runtime inside cannot run; it says how to link.
//
// compiler: nvcc
// nvcc: -cudart static
// error: nvcc -cudart shared
// expect: failed
#include <cstdio>

int main() { std::printf("%s\n", cudaFree(nullptr) == cudaSuccess ? "ran" : "failed"); }
