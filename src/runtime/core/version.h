// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA version of this libcudart. The two libraries are linked from the same objects; this
// number is one of their few differences.
#pragma once

namespace heddle::runtime {

/// 1000 * major + 10 * minor. Defined by the generated exports of each library.
extern const int kVersion;

}  // namespace heddle::runtime
