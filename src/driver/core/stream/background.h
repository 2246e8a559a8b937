// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of the driver for work beside the streams: branches of graphs that run at the same time,
// destructors of user objects. A thread waits for the next piece of work and never ends.
#pragma once

#include <functional>

namespace heddle::driver {

/// Runs `work` soon, on some thread of the driver.
void in_background(std::function<void()> work);

}  // namespace heddle::driver
