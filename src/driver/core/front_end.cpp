// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's contact with the front end and the engines.
#include "driver/core/compile.h"

namespace heddle::driver {

Compiled compile(std::span<const PtxText>, const machine::Profile&) {
  return {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, nullptr, "heddle: this build has no PTX front end\n",
          ""};
}

std::unique_ptr<machine::Engine> make_engine() { return nullptr; }

}  // namespace heddle::driver
