// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "picture.h"

namespace heddle::layouts {

std::vector<Picture> product_pictures();  ///< mma, wmma, wgmma
std::vector<Picture> sparse_pictures();   ///< mma.sp
std::vector<Picture> scale_pictures();    ///< scale factors of mma
std::vector<Picture> move_pictures();     ///< ldmatrix, stmatrix, movmatrix
std::vector<Picture> tensor_pictures();   ///< tcgen05

}  // namespace heddle::layouts
