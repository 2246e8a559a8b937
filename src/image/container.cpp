// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See container.h.
#include "image/container.h"

#include <fmt/format.h>

#include <cstring>

#include "image/elf.h"
#include "image/packing.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

namespace heddle::image {
namespace {

constexpr std::string_view kTextPrefix = ".ptx:", kNoteSection = ".note.heddle",
                           kNames = ".shstrtab";

/// A flag of the range that ELF leaves to an operating system.
constexpr u64 kNoContraction = 0x100000;

struct Note {
  Elf64_Nhdr header = {sizeof name, sizeof version, 1};
  char name[8] = "Heddle\0";
  u32 version = kContainerVersion;
};
static_assert(sizeof(Note) == 24 && sizeof(Elf64_Ehdr) == 64);

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void align(std::string& bytes) { bytes.resize((bytes.size() + 7) / 8 * 8); }

/// Writes the sections of an ELF file one after the other.
class Writer {
 public:
  Writer() : bytes_(sizeof(Elf64_Ehdr), '\0') {}

  void add(std::string_view name, u32 type, u64 flags, u32 info, std::string_view content) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<u32>(names_.size());
    section.sh_type = type;
    section.sh_flags = flags;
    section.sh_info = info;
    section.sh_offset = bytes_.size();
    section.sh_size = content.size();
    section.sh_addralign = type == SHT_NOTE ? 4 : 8;
    table_.push_back(section);
    names_ += name;
    names_ += '\0';
    bytes_ += content;
    align(bytes_);
  }
  std::string finish() {
    const std::string names = names_ + std::string(kNames) + '\0';
    add(kNames, SHT_STRTAB, 0, 0, names);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = header.e_version = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = EM_NONE;
    header.e_ehsize = sizeof header;
    header.e_shoff = bytes_.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    // Numbers that are too large stand in the first entry of the table.
    const u64 count = table_.size();
    const bool fits = count < SHN_LORESERVE;
    header.e_shnum = static_cast<u16>(fits ? count : 0);
    header.e_shstrndx = static_cast<u16>(fits ? count - 1 : SHN_XINDEX);
    if (!fits) {
      table_.front().sh_size = count;
      table_.front().sh_link = static_cast<u32>(count - 1);
    }
    std::memcpy(bytes_.data(), &header, sizeof header);
    for (const auto& section : table_) put(bytes_, section);
    return std::move(bytes_);
  }

 private:
  std::string bytes_, names_ = std::string(1, '\0');
  std::vector<Elf64_Shdr> table_ = std::vector<Elf64_Shdr>(1);
};

std::string compressed(std::string_view text) {
  Elf64_Chdr header{};
  header.ch_type = ELFCOMPRESS_ZSTD;
  header.ch_size = text.size();
  header.ch_addralign = 1;
  std::string content;
  put(content, header);
  return content + pack(text, Packing::zstd);
}

std::optional<std::string> text_of(const ElfSection& section) {
  Elf64_Chdr header;
  if (!section.content || !(section.header.sh_flags & SHF_COMPRESSED) ||
      !load(*section.content, 0, header) || header.ch_type != ELFCOMPRESS_ZSTD)
    return std::nullopt;
  return unpack(section.content->substr(sizeof header), header.ch_size, Packing::zstd);
}

Contents damaged(std::string_view what) {
  return {Status::invalid_image, fmt::format("the container is damaged: {}", what), {}};
}

}  // namespace

std::string write_container(std::span<const PtxText> texts) {
  Writer writer;
  std::string note;
  put(note, Note{});
  writer.add(kNoteSection, SHT_NOTE, 0, 0, note);
  for (const auto& [name, text, max_registers, contract] : texts) {
    writer.add(fmt::format("{}{}", kTextPrefix, name), SHT_PROGBITS,
               SHF_COMPRESSED | (contract ? 0 : kNoContraction), max_registers, compressed(text));
  }
  return writer.finish();
}

bool is_container(std::string_view bytes) {
  Elf64_Ehdr header;
  Note note;
  const Note ours;
  return bytes.starts_with(ELFMAG) && load(bytes, 0, header) && header.e_machine == EM_NONE &&
         load(bytes, sizeof header, note) &&
         std::memcmp(&note, &ours, offsetof(Note, version)) == 0;
}

std::size_t container_size(const char* image) {
  if (!is_container({image, sizeof(Elf64_Ehdr) + sizeof(Note)})) return 0;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  u64 count = header.e_shnum;
  if (!count) {
    Elf64_Shdr first;
    std::memcpy(&first, image + header.e_shoff, sizeof first);
    count = first.sh_size;
  }
  return header.e_shoff + count * sizeof(Elf64_Shdr);
}

Contents read_container(std::string_view bytes) {
  Note note;
  load(bytes, sizeof(Elf64_Ehdr), note);
  if (note.version != kContainerVersion) {
    return {Status::invalid_image,
            fmt::format("the container has version {} of its layout, and this Heddle reads version "
                        "{}",
                        note.version, kContainerVersion),
            {}};
  }
  const auto sections = elf_sections(bytes);
  if (!sections.ok()) return damaged(sections.error().message);
  Contents contents;
  for (const ElfSection& section : *sections) {
    if (!section.name.starts_with(kTextPrefix)) continue;
    auto text = text_of(section);
    if (!text) return damaged(fmt::format("its section {} is no compressed text", section.name));
    contents.texts.push_back({std::string(section.name.substr(kTextPrefix.size())),
                              std::move(*text), section.header.sh_info,
                              !(section.header.sh_flags & kNoContraction)});
  }
  return contents;
}

}  // namespace heddle::image
