// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The jobs of the interpreter's benchmarks: their sizes, and the number of instructions that a warp
// executes of our PTX for them. Times of other implementations are divided by the same number, so
// that they can be compared (bench/opencl.cpp).
#pragma once

#include "base/types.h"

namespace heddle::interp::bench {

inline constexpr u32 kBlock = 256;  ///< threads of a CTA

inline constexpr u32 kCount = 128 * 1024;  ///< saxpy: elements
inline constexpr double kSaxpyInstructions = 20.0 * kCount / 32;

inline constexpr u32 kPoints = 16 * kBlock, kMost = 1000;  ///< mandelbrot: points, iterations
inline constexpr double kMandelbrotInstructions = (18 + kMost * 13.0) * kPoints / 32;

inline constexpr u32 kOrder = 256, kTile = 32;  ///< matrix multiply: rows and columns; of a tile
inline constexpr double kMatmulInstructions = (33 + 107.0 * kOrder / kTile) * kOrder * kOrder / 32;

}  // namespace heddle::interp::bench
