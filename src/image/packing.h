// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compressed PTX in images.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"

namespace heddle::image {

enum class Packing { none, zstd, lz4 };

std::string pack(std::string_view text, Packing packing);

/// The text of `size` bytes that `packed` holds. None: it is damaged, or it is longer than an image
/// may claim.
std::optional<std::string> unpack(std::string_view packed, u64 size, Packing packing);

}  // namespace heddle::image
