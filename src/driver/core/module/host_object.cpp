// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Object files of the host with GPU code inside, as nvcc makes them: ELF for 64 bits. The section
// .nv_fatbin has fat binaries one after the other; __nv_relfatbin has those of relocatable code
// (-rdc=true). Driver API 6.1, CU_JIT_INPUT_OBJECT; System V ABI, chapter 4.
#include <elf.h>

#include <algorithm>
#include <cstring>

#include "driver/core/module/image.h"

namespace heddle::driver {
namespace {

constexpr std::string_view kSections[] = {".nv_fatbin", "__nv_relfatbin"};

ImageContents damaged_object(std::string_view what) {
  return {CUDA_ERROR_INVALID_IMAGE, "the object file is damaged: " + std::string(what), {}};
}

std::optional<std::string_view> part(std::string_view bytes, u64 at, u64 size) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  return bytes.substr(at, size);
}

template <class T>
bool load(std::string_view bytes, u64 at, T& out) {
  const auto found = part(bytes, at, sizeof out);
  if (!found) return false;
  const char* const from = found->data();
  std::memcpy(&out, from, sizeof out);
  return true;
}

bool is_readable(const Elf64_Ehdr& header) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_shentsize == sizeof(Elf64_Shdr);
}

/// Adds the PTX of each fat binary in a section. Fat binaries are aligned to 8 bytes, with zeros in
/// between.
ImageContents read_section(std::string_view bytes, const machine::Profile& profile,
                           std::string_view name, ImageContents found) {
  while (bytes.size() >= 8) {
    if (bytes.substr(0, 8) == std::string_view("\0\0\0\0\0\0\0\0", 8)) {
      bytes.remove_prefix(8);
      continue;
    }
    const auto size = fat_binary_size(bytes);
    if (!size) return damaged_object("a fat binary in it is cut off");
    const u64 whole = size->header + size->content;
    if (size->content) {
      auto one = read_fat_binary(bytes.data(), profile, name, whole);
      if (one.result) return one;
      for (auto& text : one.texts) found.texts.push_back(std::move(text));
    }
    bytes.remove_prefix(std::min<u64>((whole + 7) / 8 * 8, bytes.size()));
  }
  return found;
}

}  // namespace

bool is_host_object(std::string_view bytes) {
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes.data(), std::min(sizeof header, bytes.size()));
  return bytes.starts_with(ELFMAG) && header.e_machine != EM_CUDA;
}

ImageContents read_host_object(std::string_view bytes, const machine::Profile& profile,
                               std::string_view name) {
  Elf64_Ehdr header;
  if (!load(bytes, 0, header)) return damaged_object("it ends within its header");
  if (!header.e_shoff) return {};
  if (!is_readable(header)) {
    return {CUDA_ERROR_INVALID_IMAGE, "the object file is not for a 64-bit little-endian host", {}};
  }
  // The first section header has the numbers that are too large for the file header.
  Elf64_Shdr first, names;
  if (!load(bytes, header.e_shoff, first))
    return damaged_object("it ends within its table of sections");
  const u64 count = header.e_shnum ? header.e_shnum : first.sh_size;
  const u64 names_index = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
  if (count > bytes.size() / sizeof(Elf64_Shdr) ||
      !part(bytes, header.e_shoff, count * sizeof(Elf64_Shdr)) || names_index >= count ||
      !load(bytes, header.e_shoff + names_index * sizeof names, names)) {
    return damaged_object("its table of sections is cut off");
  }
  const auto all_names = part(bytes, names.sh_offset, names.sh_size);
  if (!all_names) return damaged_object("the names of its sections are cut off");

  ImageContents found;
  for (u64 i = 1; i < count && !found.result; ++i) {
    Elf64_Shdr section;
    load(bytes, header.e_shoff + i * sizeof section, section);
    if (section.sh_type != SHT_PROGBITS || section.sh_name >= all_names->size()) continue;
    const auto rest = all_names->substr(section.sh_name);
    if (std::ranges::find(kSections, rest.substr(0, rest.find('\0'))) == std::end(kSections)) {
      continue;
    }
    const auto content = part(bytes, section.sh_offset, section.sh_size);
    if (!content) return damaged_object("its section of GPU code is cut off");
    if (section.sh_flags & SHF_COMPRESSED)
      return damaged_object("its section of GPU code is compressed");
    found = read_section(*content, profile, name, std::move(found));
  }
  return found;
}

}  // namespace heddle::driver
