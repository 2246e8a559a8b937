// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which CUDA version this libcudart is of. The two libraries are made of the same objects; this
// number is one of the few things in which they differ.
#pragma once

namespace heddle::runtime {

/// 1000 * major + 10 * minor. Defined by the generated exports of each library.
extern const int kVersion;

}  // namespace heddle::runtime
