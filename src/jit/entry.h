// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of the cache: what was compiled (key.h), and the outcome. The file is a zstd frame with a
// checksum; a damaged one does not decode.
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

/// Empty: compression failed.
std::string write_entry(const Entry& entry);

/// Nothing for bytes that write_entry() did not make.
std::optional<Entry> read_entry(std::string_view file);
/// The same of the uncompressed bytes.
std::optional<Entry> parse_entry(std::string_view unpacked);

/// Whether all numbers in the image are within the image and within `module`, so that its code can
/// be trusted with them.
bool is_sound(const Image& image, const ir::Module& module);

}  // namespace heddle::jit
