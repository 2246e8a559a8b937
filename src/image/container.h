// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A container: the file that Heddle's tools and libraries write where the vendor's write machine
// code of a GPU. It is an ELF file for no machine, so that the vendor's tools refuse it:
//
//   bytes 0-63   the header: 64 bits, little-endian, ET_REL, EM_NONE
//   bytes 64-87  a note by "Heddle" of type 1, whose content is the version of the layout
//   a section for each PTX text, in order: its name is ".ptx:" and the name of the text; sh_info is
//                the limit of registers, 0 for none; the flag 0x100000 says that mul and add are
//                not contracted; the content is compressed as ELF says (SHF_COMPRESSED,
//                ELFCOMPRESS_ZSTD)
//   the names of the sections, and the table of sections at the end
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "image/image.h"

namespace heddle::image {

inline constexpr u32 kContainerVersion = 1;

std::string write_container(std::span<const PtxText> texts);

/// Whether a container begins at `bytes`.
bool is_container(std::string_view bytes);

/// The size of the container in memory at `image`, which begins as an ELF file. 0: it is none.
std::size_t container_size(const char* image);

/// The texts of a container, which may have none.
Contents read_container(std::string_view bytes);

}  // namespace heddle::image
