// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a grid, and whether the device can run a grid of that shape of the kernel
// (machine/launch.h has the public functions).
#pragma once

#include "machine/engine.h"

namespace heddle::machine {

/// The grid and its clusters, counted in CTAs, from the launch and the kernel's text.
struct GridShape {
  Dim3 grid, cluster;
  bool explicit_cluster;
};

GridShape shape_of(const ir::Function& kernel, const LaunchShape& asked);

}  // namespace heddle::machine
