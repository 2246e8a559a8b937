// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See elf.h.
#include "image/elf.h"

namespace heddle::image {

Result<std::vector<ElfSection>> elf_sections(std::string_view bytes) {
  std::vector<ElfSection> sections;
  Elf64_Ehdr header;
  if (!load(bytes, 0, header)) return Error{"it ends within its header"};
  if (!header.e_shoff) return sections;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return Error{"it is not for a 64-bit little-endian host"};
  // The first section header has the numbers that are too large for the file header.
  Elf64_Shdr first, names;
  if (!load(bytes, header.e_shoff, first)) return Error{"it ends within its table of sections"};
  const u64 count = header.e_shnum ? header.e_shnum : first.sh_size;
  const u64 names_index = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
  if (count > bytes.size() / sizeof(Elf64_Shdr) ||
      !part(bytes, header.e_shoff, count * sizeof(Elf64_Shdr)) || names_index >= count ||
      !load(bytes, header.e_shoff + names_index * sizeof names, names)) {
    return Error{"its table of sections is cut off"};
  }
  const auto all_names = part(bytes, names.sh_offset, names.sh_size);
  if (!all_names) return Error{"the names of its sections are cut off"};
  for (u64 i = 1; i < count; ++i) {
    ElfSection section;
    load(bytes, header.e_shoff + i * sizeof section.header, section.header);
    const Elf64_Shdr& one = section.header;
    if (one.sh_name < all_names->size()) {
      const auto rest = all_names->substr(one.sh_name);
      section.name = rest.substr(0, rest.find('\0'));
    }
    if (one.sh_type != SHT_NOBITS) section.content = part(bytes, one.sh_offset, one.sh_size);
    sections.push_back(section);
  }
  return sections;
}

}  // namespace heddle::image
