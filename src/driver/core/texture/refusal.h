// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a texture or surface is refused.
#pragma once

#include "driver/core/log.h"

namespace heddle::driver {

/// Says the reason, and returns the error code.
template <class... Arguments>
CUresult refuse_texture(fmt::format_string<Arguments...> reason, Arguments&&... arguments) {
  say_once("a texture or surface is refused: {}",
           fmt::format(reason, std::forward<Arguments>(arguments)...));
  return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace heddle::driver
