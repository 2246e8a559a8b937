// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The jobs, each in a file of its name. Sizes are chosen in table.cpp.
#pragma once

#include "jobs/job.h"

namespace heddle::bench {

Job saxpy(int n);
Job haxpy(int pairs);
/// side: of the blocks' tiles (32 or 16); n a multiple of it, and of 64.
Job matmul_tiled(int n, unsigned side);
Job matmul_registers(int n);  ///< n a multiple of 128
Job block_sums(unsigned blocks, int each);
Job mandelbrot(int width, int height, int limit);  ///< multiples of 64 and 8
Job nbody(int n);                                  ///< a multiple of 256
enum class Bytes { kRandom, kConstant, kRuns };
Job histogram(int n, Bytes bytes);
Job transpose(int width, int height);  ///< multiples of 32
Job scan(int n);                       ///< at most a million
Job softmax(int rows, int columns);    ///< columns: at least 256
Job spmv(int rows);
Job stencil(int side);     ///< a multiple of 32
Job sha256(int messages);  ///< a multiple of 16
Job bitonic(int rows);     ///< a multiple of 16

}  // namespace heddle::bench
