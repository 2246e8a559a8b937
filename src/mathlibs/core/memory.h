// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of device memory. A device pointer of Heddle is a host pointer, so an access beyond the
// memory of the device would reach the program's own memory: every range is checked before it is
// used.
#pragma once

#include <cstdint>

namespace heddle::mathlibs {

/// Whether kernels may access the `bytes` bytes from `address` on: memory of the device, managed
/// memory, and host memory that the driver has allocated or registered. May be called from a task
/// of a stream.
bool is_device_range(const void* address, int64_t bytes);

/// Number of elements from the first to the last of a vector with increment `inc`; negative when
/// that exceeds 64 bits.
int64_t extent(int64_t n, int64_t inc);
/// Number of elements from the first to the last of a matrix with columns of `rows` elements, `ld`
/// apart.
int64_t extent(int64_t rows, int64_t cols, int64_t ld);

}  // namespace heddle::mathlibs
