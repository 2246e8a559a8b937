// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file of the cache holds: what was compiled (key.h), and what came of it. The file is a
// zstd frame with a checksum; a damaged one does not decode.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "jit/image.h"

namespace heddle::jit {

/// Why a kernel is not compiled.
struct Refusal {
  std::string message;
};

struct Entry {
  std::string key;
  std::variant<Image, Refusal> content;
};

/// Empty: it could not be compressed.
std::string write_entry(const Entry& entry);

/// Nothing for whatever write_entry() did not make.
std::optional<Entry> read_entry(std::string_view file);
/// The same of what has been unpacked.
std::optional<Entry> parse_entry(std::string_view unpacked);

/// What code of `image` can be trusted with: its numbers are within the image and within `module`.
bool is_sound(const Image& image, const ir::Module& module);

}  // namespace heddle::jit
