// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of ELF files for 64 bits, little-endian. System V ABI, chapter 4.
#pragma once

#include <elf.h>

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace heddle::image {

struct ElfSection {
  Elf64_Shdr header;
  std::string_view name;
  std::optional<std::string_view> content;  ///< none: it lies outside of the file
};

/// `size` bytes at `at`; none: they are not all there.
inline std::optional<std::string_view> part(std::string_view bytes, u64 at, u64 size) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  return bytes.substr(at, size);
}

template <class T>
bool load(std::string_view bytes, u64 at, T& out) {
  const auto found = part(bytes, at, sizeof out);
  if (!found) return false;
  found->copy(reinterpret_cast<char*>(&out), sizeof out);
  return true;
}

/// The sections of a file, without the first one, which is none. The error is a clause behind "the
/// file is damaged: ".
Result<std::vector<ElfSection>> elf_sections(std::string_view bytes);

}  // namespace heddle::image
