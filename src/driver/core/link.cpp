// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See link.h.
#include "driver/core/link.h"

#include "driver/core/compile.h"
#include "driver/core/state.h"

namespace heddle::driver {

void Link::add(PtxText text) {
  const std::lock_guard lock(mutex_);
  texts_.push_back(std::move(text));
}

CUresult Link::complete(void** image, std::size_t* size) {
  const std::lock_guard lock(mutex_);
  const auto compiled = compile(texts_, context_->device().profile, options_);
  if (compiled.result) return compiled.result;
  image_ = make_linked_image(texts_);
  *image = image_.data();
  if (size) *size = image_.size() + 1;  // with its NUL
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
