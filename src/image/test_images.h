// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images for tests, byte by byte as nvcc and the host's tools lay them out: fat binaries, host
// objects that hold them, archives.
#pragma once

#include <ar.h>
#include <elf.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "image/image.h"
#include "image/packing.h"

namespace heddle::image {

struct EntrySpec {
  u16 kind;  // 1 PTX, 2 GPU code
  u32 sm;
  std::string text;
  Packing packing = Packing::none;
  u64 flags = 0x11;  // 64-bit, Linux
};

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Not image::pack: the driver's tests link the library alone.
inline std::string packed(const std::string& text, Packing packing) {
  if (packing == Packing::none) return text;
  std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
  if (packing == Packing::zstd) {
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  } else {
    out.resize(static_cast<std::size_t>(LZ4_compress_default(
        text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()))));
  }
  return out;
}

inline std::string fat_binary(const std::vector<EntrySpec>& entries) {
  std::string content;
  for (const auto& e : entries) {
    const std::string text = e.text + '\0';
    const std::string packed = image::packed(text, e.packing);
    const u64 padded = (packed.size() + 7) / 8 * 8;
    const u64 flag = e.packing == Packing::zstd ? 0x8000 : e.packing == Packing::lz4 ? 0x2000 : 0;
    put<u16>(content, e.kind);
    put<u16>(content, 0x0101);
    put<u32>(content, 64);
    put<u64>(content, padded);
    put<u32>(content, flag ? static_cast<u32>(packed.size()) : 0);
    put<u32>(content, 0);
    put<u16>(content, 0);
    put<u16>(content, 9);
    put<u32>(content, e.sm);
    put<u64>(content, 0);
    put<u64>(content, e.flags | flag);
    put<u64>(content, 0);
    put<u64>(content, flag ? text.size() : 0);
    content += packed;
    content.append(padded - packed.size(), '\0');
  }
  std::string all;
  put<u32>(all, kFatBinaryMagic);
  put<u16>(all, 1);
  put<u16>(all, 16);
  put<u64>(all, content.size());
  return all + content;
}

/// A host object with these sections: their names and contents.
inline std::string host_object(const std::vector<std::pair<std::string, std::string>>& sections,
                               u16 machine = EM_X86_64) {
  std::string names("\0.shstrtab\0", 11), content;
  std::vector<Elf64_Shdr> table(1);
  const auto add = [&](std::size_t name, u32 type, const std::string& bytes) {
    content.resize((content.size() + 7) / 8 * 8);
    Elf64_Shdr section{};
    section.sh_name = static_cast<u32>(name);
    section.sh_type = type;
    section.sh_offset = sizeof(Elf64_Ehdr) + content.size();
    section.sh_size = bytes.size();
    table.push_back(section);
    content += bytes;
  };
  for (const auto& [name, bytes] : sections) {
    add(names.size(), SHT_PROGBITS, bytes);
    names += name + '\0';
  }
  add(1, SHT_STRTAB, names);
  content.resize((content.size() + 7) / 8 * 8);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine;
  header.e_ehsize = sizeof header;
  header.e_shoff = sizeof header + content.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<u16>(table.size());
  header.e_shstrndx = static_cast<u16>(table.size() - 1);
  std::string all(reinterpret_cast<const char*>(&header), sizeof header);
  all += content;
  for (const auto& section : table) put(all, section);
  return all;
}

/// A member of an archive: header and content. `field` is the name field of the header.
inline std::string member(std::string field, std::string content) {
  std::string size = std::to_string(content.size());
  field.resize(16, ' ');
  size.resize(10, ' ');
  if (content.size() % 2) content += '\n';
  return field + "0           0     0     100644  " + size + ARFMAG + content;
}

/// An archive in GNU's layout: a table of symbols, the long names, the members.
inline std::string archive(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string long_names, content;
  for (const auto& [name, bytes] : members) {
    if (name.size() < 16) {
      content += member(name + "/", bytes);
    } else {
      content += member("/" + std::to_string(long_names.size()), bytes);
      long_names += name + "/\n";
    }
  }
  std::string all = ARMAG + member("/", std::string(4, '\0'));
  if (!long_names.empty()) all += member("//", long_names);
  return all + content;
}

}  // namespace heddle::image
