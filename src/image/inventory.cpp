// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See inventory.h.
#include "image/inventory.h"

#include <fmt/format.h>

#include <cstring>

#include "image/archive.h"
#include "image/container.h"
#include "image/elf.h"

namespace heddle::image {
namespace {

class Taker {
 public:
  explicit Taker(std::string_view name) : name_(name) {}

  void take(std::string_view bytes, std::string_view where) {
    where_ = where;
    if (is_archive(bytes)) {
      take_library(bytes);
    } else if (bytes.starts_with(ELFMAG)) {
      take_elf(bytes);
    } else if (fat_binary_size(bytes)) {
      inventory.what = "a fat binary";
      take_fat_binary(bytes, false);
    } else if (bytes.find(".version") != std::string_view::npos) {
      inventory.what = "PTX text";
      add_text(bytes.substr(0, bytes.find('\0')));
    } else {
      inventory.what = "no image";
    }
  }

  Inventory inventory;

 private:
  void take_library(std::string_view bytes) {
    const auto members = read_archive(bytes);
    if (!members.ok()) damage(members.error().message);
    if (!members.ok()) return;
    for (const ArchiveMember& member : *members) {
      if (!is_archive(member.bytes)) take(member.bytes, member.name);
    }
    inventory.what = "a library";
  }

  void take_elf(std::string_view bytes) {
    Elf64_Ehdr header{};
    load(bytes, 0, header);
    if (is_container(bytes)) {
      inventory.what = "a container";
      add_container(bytes, {});
    } else if (header.e_machine == EM_CUDA) {
      inventory.what = "a cubin (machine code of a GPU)";
      add({.kind = Piece::Kind::machine_code, .bytes = std::string(bytes)});
    } else {
      inventory.what = header.e_type == ET_REL   ? "an object file of the host"
                       : header.e_type == ET_DYN ? "a program or shared library of the host"
                                                 : "a program of the host";
      take_sections(bytes);
    }
  }

  void take_sections(std::string_view bytes) {
    const auto sections = elf_sections(bytes);
    if (!sections.ok()) return damage("the file is damaged: " + sections.error().message);
    for (const ElfSection& section : *sections) {
      const bool relocatable = section.name == kRelocatableSection;
      if (!relocatable && section.name != kWholeSection) continue;
      if (section.content) {
        take_section(*section.content, relocatable);
      } else {
        damage(fmt::format("the section {} is cut off", section.name));
      }
    }
  }

  /// Fat binaries, aligned to 8 bytes, with zeros in between.
  void take_section(std::string_view bytes, bool relocatable) {
    while (bytes.size() >= 8) {
      u64 word;
      std::memcpy(&word, bytes.data(), sizeof word);
      const auto size = fat_binary_size(bytes);
      if (word && !size) return damage("a fat binary is cut off");
      const u64 whole = word ? size->header + size->content : 8;
      if (word) take_fat_binary(bytes.substr(0, whole), relocatable);
      bytes.remove_prefix(std::min<u64>((whole + 7) / 8 * 8, bytes.size()));
    }
  }

  void take_fat_binary(std::string_view bytes, bool relocatable) {
    const auto entries = read_fat_entries(bytes.data(), bytes.size());
    if (!entries.ok()) return damage(entries.error().message);
    for (const FatEntry& entry : *entries) {
      Piece piece{.in_fat_binary = true, .entry = entry, .relocatable = relocatable};
      const auto content = unpacked(entry);
      piece.entry.content = {};
      piece.kind = !content                        ? Piece::Kind::damaged
                   : entry.kind == FatKind::ptx    ? Piece::Kind::ptx
                   : entry.kind == FatKind::lto_ir ? Piece::Kind::lto_ir
                                                   : Piece::Kind::machine_code;
      if (!content) damage("the compressed code in the fat binary is damaged");
      piece.bytes = content.value_or("");
      if (is_container(piece.bytes)) {
        const std::string container = piece.bytes;
        add_container(container, std::move(piece));
        continue;
      }
      if (piece.kind == Piece::Kind::ptx) piece.texts = {{text_name(), piece.bytes}};
      add(std::move(piece));
    }
  }

  void add_container(std::string_view bytes, Piece piece) {
    piece.kind = Piece::Kind::container;
    piece.bytes = bytes;
    auto contents = read_container(bytes);
    if (contents.status != Status::ok) damage(contents.why);
    piece.texts = std::move(contents.texts);
    add(std::move(piece));
  }

  void add_text(std::string_view text) {
    add({.bytes = std::string(text), .texts = {{text_name(), std::string(text)}}});
  }

  void add(Piece piece) {
    piece.where = where_;
    inventory.pieces.push_back(std::move(piece));
  }

  std::string text_name() const {
    return where_.empty() ? std::string(name_) : fmt::format("{}({})", name_, where_);
  }
  void damage(std::string_view what) {
    inventory.damages.push_back(fmt::format("{}: {}", text_name(), what));
  }

  std::string_view name_;
  std::string where_;
};

}  // namespace

Inventory take_inventory(std::string_view bytes, std::string_view name) {
  Taker taker(name);
  taker.take(bytes, "");
  return std::move(taker.inventory);
}

}  // namespace heddle::image
