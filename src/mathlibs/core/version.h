// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a library says about itself. libcublas.so.12 and .so.13 differ in nothing else.
#pragma once

namespace heddle::mathlibs {

struct Version {
  int major, minor, patch;
  int runtime;  ///< of the CUDA runtime, as cudaRuntimeGetVersion counts
  int number() const { return major * 10000 + minor * 100 + patch; }
};

extern const Version kVersion;

}  // namespace heddle::mathlibs
