// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Object files of the host with GPU code inside, as nvcc makes them: ELF for 64 bits. The section
// .nv_fatbin has fat binaries one after the other; __nv_relfatbin has those of relocatable code
// (-rdc=true). Driver API 6.1, CU_JIT_INPUT_OBJECT; System V ABI, chapter 4.
#include <algorithm>
#include <cstring>

#include "image/container.h"
#include "image/elf.h"

namespace heddle::image {
namespace {

constexpr std::string_view kModuleId = "__nv_module_id";

bool has_code(const ElfSection& section, HostCode code) {
  return section.header.sh_type == SHT_PROGBITS &&
         (section.name == kRelocatableSection ||
          (section.name == kWholeSection && code == HostCode::all));
}

Contents damaged_object(std::string_view what) {
  return {Status::invalid_image, "the object file is damaged: " + std::string(what), {}};
}

/// Adds the PTX of each fat binary in a section. Fat binaries are aligned to 8 bytes, with zeros in
/// between.
Contents read_section(std::string_view bytes, const machine::Profile& profile,
                      std::string_view name, Contents found) {
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
      if (one.status != Status::ok) return one;
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
  return bytes.starts_with(ELFMAG) && header.e_machine != EM_CUDA && !is_container(bytes);
}

Contents read_host_object(std::string_view bytes, const machine::Profile& profile,
                          std::string_view name, HostCode code) {
  const auto sections = elf_sections(bytes);
  if (!sections.ok()) return damaged_object(sections.error().message);
  Contents found;
  for (const ElfSection& section : *sections) {
    if (found.status != Status::ok) break;
    if (!has_code(section, code)) continue;
    if (!section.content) return damaged_object("its section of GPU code is cut off");
    if (section.header.sh_flags & SHF_COMPRESSED)
      return damaged_object("its section of GPU code is compressed");
    found = read_section(*section.content, profile, name, std::move(found));
  }
  return found;
}

std::string module_id_of(std::string_view bytes) {
  const auto sections = elf_sections(bytes);
  if (!sections.ok()) return {};
  for (const ElfSection& section : *sections) {
    if (section.name == kModuleId && section.content)
      return std::string(section.content->substr(0, section.content->find('\0')));
  }
  return {};
}

}  // namespace heddle::image
