// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may call the driver on a thread with a stack of 16 KB, the minimum of POSIX. Reading
// PTX, compiling it and running kernels take more than that.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

/// Runs `body` in this thread, on another stack if less than kRoom bytes of the thread's stack are
/// left.
void on_roomy_stack(const std::function<void()>& body);

inline constexpr std::size_t kRoom = std::size_t{512} << 10;

}  // namespace heddle
