// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fat binaries of nvcc, entry by entry: a 16-byte header, then entries of PTX text, GPU code or
// intermediate code, each for one target, possibly compressed. The offsets are those in files that
// nvcc 13 wrote.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "image/packing.h"
#include "isa/gate.h"

namespace heddle::image {

enum class FatKind : u16 { ptx = 1, elf = 2, lto_ir = 8 };

/// An entry, whose content stays in the fat binary.
struct FatEntry {
  FatKind kind = FatKind::ptx;
  isa::Target target = {};
  isa::PtxVersion version = {};  ///< of PTX; of GPU code the version of its format
  bool debug = false;
  Packing packing = Packing::none;
  std::string name = {};          ///< of the source file; may be empty
  std::string options = {};       ///< for the assembler; may be empty
  std::string_view content = {};  ///< packed
  u64 unpacked_bytes = 0;         ///< when packed
};

/// The entries of the fat binary at `data`, of at most `limit` bytes. The error is a sentence.
Result<std::vector<FatEntry>> read_fat_entries(const void* data, std::size_t limit);

/// The unpacked content: of PTX the text. None: it is damaged.
std::optional<std::string> unpacked(const FatEntry& entry);

/// A fat binary with these entries, whose contents are not packed yet.
std::string write_fat_binary(std::span<const FatEntry> entries);

}  // namespace heddle::image
