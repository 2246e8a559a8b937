// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>

#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// The processor that code is made for.
struct Processor {
  const llvm::TargetTransformInfo& info;
  bool is_amd;  ///< some choices are measured, and differ by vendor

  /// Whether it has a gather for the load, or a scatter for the store.
  bool has_gather(const llvm::CallInst& call, const Site& site) const;
};

}  // namespace heddle::jit
