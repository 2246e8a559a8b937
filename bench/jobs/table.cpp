// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The jobs and their sizes. A new job needs a kernel in bench/kernels, a file here with the arrays,
// the launch and the native code, its declaration in all.h, and a line.
#include "jobs/all.h"

namespace heddle::bench {

const std::vector<Entry>& jobs() {
  static const std::vector<Entry> table = {
      {"saxpy-l2", "131,067 elements", [](bool little) { return saxpy(little ? 1001 : 131'067); }},
      {"saxpy-dram", "16 M elements", [](bool little) { return saxpy(little ? 3000 : 16 << 20); }},
      {"haxpy", "256 K halves", [](bool little) { return haxpy(little ? 1001 : 131'067); }},
      {"matmul-32", "1024 x 1024, 32 x 32 tiles in shared memory",
       [](bool little) { return matmul_tiled(little ? 64 : 1024, 32); }},
      {"matmul-16", "1024 x 1024, 16 x 16 tiles in shared memory",
       [](bool little) { return matmul_tiled(little ? 64 : 1024, 16); }},
      {"matmul-8x8", "1024 x 1024, 8 x 8 elements per thread",
       [](bool little) { return matmul_registers(little ? 128 : 1024); }},
      {"reduce-1", "256 K elements, 1 per thread",
       [](bool little) { return block_sums(little ? 3 : 1024, 1); }},
      {"reduce-16", "256 K elements, 16 per thread",
       [](bool little) { return block_sums(little ? 3 : 64, 16); }},
      {"mandelbrot", "1024 x 1024, at most 256 steps",
       [](bool little) { return little ? mandelbrot(64, 16, 50) : mandelbrot(1024, 1024, 256); }},
      {"nbody", "8192 bodies", [](bool little) { return nbody(little ? 256 : 8192); }},
      {"histogram-random", "16 M bytes",
       [](bool little) { return histogram(little ? 3000 : 16 << 20, Bytes::kRandom); }},
      {"histogram-constant", "16 M bytes, all the same",
       [](bool little) { return histogram(little ? 3000 : 16 << 20, Bytes::kConstant); }},
      {"histogram-runs", "16 M bytes in runs of about 64",
       [](bool little) { return histogram(little ? 3000 : 16 << 20, Bytes::kRuns); }},
      {"transpose", "2016 x 1568 words",
       [](bool little) { return little ? transpose(64, 32) : transpose(2016, 1568); }},
      {"scan", "1 M words", [](bool little) { return scan(little ? 3000 : 1 << 20); }},
      {"softmax", "1024 rows of 1024",
       [](bool little) { return little ? softmax(2, 300) : softmax(1024, 1024); }},
      {"spmv", "65,536 rows of 0 to 31 elements",
       [](bool little) { return spmv(little ? 300 : 65'536); }},
      {"stencil", "160 x 160 x 160", [](bool little) { return stencil(little ? 32 : 160); }},
      {"sha256", "60,000 blocks", [](bool little) { return sha256(little ? 160 : 60'000); }},
      {"bitonic", "256 rows of 1024", [](bool little) { return bitonic(little ? 16 : 256); }},
  };
  return table;
}

}  // namespace heddle::bench
