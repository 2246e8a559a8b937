// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See fat_binary.h, and image.h.
#include "image/fat_binary.h"

#include <algorithm>
#include <cstring>

#include "image/container.h"

namespace heddle::image {
namespace {

struct Header {
  u32 magic;
  u16 version;
  u16 header_bytes;
  u64 content_bytes;  // the size without the header
};

struct Entry {
  u16 kind;
  u16 version;
  u32 header_bytes;
  u64 payload_bytes;     // padded to 8
  u32 compressed_bytes;  // 0: not compressed
  u32 options_offset;    // of the offset and the size of the assembler's options; 0: none
  u16 minor, major;      // PTX ISA version
  u32 sm;
  u32 name_offset, name_bytes;
  u64 flags;
  u64 reserved;
  u64 text_bytes;  // when uncompressed
};
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64);

constexpr u16 kHeaderVersion = 1, kEntryVersion = 0x0101;
constexpr u64 k64Bit = 1, kDebug = 2, kLinux = 0x10, kLz4 = 0x2000, kZstd = 0x8000,
              kArchSpecific = 0x100000, kFamilySpecific = 0x200000;

isa::Target target_of(const Entry& entry) {
  const char suffix = entry.flags & kArchSpecific ? 'a' : entry.flags & kFamilySpecific ? 'f' : 0;
  return {static_cast<u16>(entry.sm), suffix};
}

/// A string in the header of an entry; empty: it is not there.
std::string string_at(std::string_view header, u64 offset, u64 size) {
  return offset > header.size() || size > header.size() - offset
             ? std::string()
             : std::string(header.substr(offset, size));
}

std::string options_of(const Entry& entry, std::string_view header) {
  u32 place[2];  // offset, size
  if (!entry.options_offset || entry.options_offset > header.size() ||
      header.size() - entry.options_offset < sizeof place)
    return {};
  std::memcpy(place, header.data() + entry.options_offset, sizeof place);
  return string_at(header, place[0], place[1]);
}

FatEntry read_entry(const Entry& entry, std::string_view header, std::string_view payload) {
  const bool is_packed = entry.flags & (kLz4 | kZstd);
  return {static_cast<FatKind>(entry.kind),
          target_of(entry),
          {static_cast<u8>(entry.major), static_cast<u8>(entry.minor)},
          (entry.flags & kDebug) != 0,
          entry.flags & kZstd  ? Packing::zstd
          : entry.flags & kLz4 ? Packing::lz4
                               : Packing::none,
          string_at(header, entry.name_offset, entry.name_bytes),
          options_of(entry, header),
          is_packed ? payload.substr(0, entry.compressed_bytes) : payload,
          entry.text_bytes};
}

// PTX for exactly the device's target is better than other PTX that the device runs, and PTX for a
// newer target is better than PTX for an older one.
bool is_better(isa::Target target, isa::Target than, const machine::Profile& profile) {
  const bool fits = isa::admits(target, profile.target);
  const bool other_fits = isa::admits(than, profile.target);
  return fits != other_fits ? fits : target.sm > than.sm;
}

std::optional<FatBinarySize> size_of(const Header& header, std::size_t limit) {
  if (header.header_bytes < sizeof header || header.header_bytes > limit ||
      header.content_bytes > limit - header.header_bytes) {
    return std::nullopt;
  }
  return FatBinarySize{header.header_bytes, header.content_bytes};
}

bool has_ptx(const FatEntry& entry) {
  return entry.kind == FatKind::ptx || is_container(entry.content);
}

std::string_view kind_of(const FatEntry& entry) {
  return has_ptx(entry)                  ? "PTX for "
         : entry.kind == FatKind::lto_ir ? "LTO-IR for "
                                         : "GPU code for ";
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_padded(std::string& bytes, std::string_view text, std::size_t least) {
  bytes += text;
  bytes.append((std::max(text.size(), least) + 7) / 8 * 8 - text.size(), '\0');
}

void write_entry(std::string& bytes, const FatEntry& from) {
  std::string content(from.content);
  if (from.kind == FatKind::ptx) content += '\0';
  const std::string packed = pack(content, from.packing);
  std::string strings;
  Entry entry{};
  if (!from.name.empty()) {
    entry.name_offset = sizeof entry;
    entry.name_bytes = static_cast<u32>(from.name.size());
    append_padded(strings, from.name, from.name.size() + 1);
  }
  if (from.kind == FatKind::ptx) {
    entry.options_offset = static_cast<u32>(sizeof entry + strings.size());
    append(strings, entry.options_offset + 8);
    append(strings, static_cast<u32>(from.options.size()));
    append_padded(strings, from.options, from.options.size() + 1);
  }
  entry.kind = static_cast<u16>(from.kind);
  entry.version = kEntryVersion;
  entry.header_bytes = static_cast<u32>(sizeof entry + strings.size());
  entry.payload_bytes = (packed.size() + 7) / 8 * 8;
  entry.minor = from.version.minor;
  entry.major = from.version.major;
  entry.sm = from.target.sm;
  entry.flags = k64Bit | kLinux | (from.debug ? kDebug : 0) |
                (from.target.suffix == 'a'   ? kArchSpecific
                 : from.target.suffix == 'f' ? kFamilySpecific
                                             : 0);
  if (from.packing != Packing::none) {
    entry.compressed_bytes = static_cast<u32>(packed.size());
    entry.text_bytes = content.size();
    entry.flags |= from.packing == Packing::zstd ? kZstd : kLz4;
  }
  append(bytes, entry);
  bytes += strings;
  append_padded(bytes, packed, 0);
}

}  // namespace

std::optional<FatBinarySize> fat_binary_size(std::string_view bytes) {
  Header header{};
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.magic == kFatBinaryMagic ? size_of(header, bytes.size()) : std::nullopt;
}

Result<std::vector<FatEntry>> read_fat_entries(const void* data, std::size_t limit) {
  const char* at = static_cast<const char*>(data);
  Header header{};
  if (at && limit >= sizeof header) std::memcpy(&header, at, sizeof header);
  if (header.magic != kFatBinaryMagic)
    return Error{"the fat binary does not begin with its magic number"};
  const auto size = size_of(header, limit);
  if (!size) return Error{"the fat binary is longer than the image"};
  at += size->header;
  const char* const end = at + size->content;
  std::vector<FatEntry> entries;
  while (at + sizeof(Entry) <= end) {
    Entry entry;
    std::memcpy(&entry, at, sizeof entry);
    const auto left = static_cast<u64>(end - at);
    if (entry.header_bytes < sizeof(Entry) || entry.header_bytes > left ||
        entry.payload_bytes > left - entry.header_bytes ||
        entry.compressed_bytes > entry.payload_bytes) {
      return Error{"the fat binary is damaged"};
    }
    entries.push_back(read_entry(entry, {at, entry.header_bytes},
                                 {at + entry.header_bytes, entry.payload_bytes}));
    at += entry.header_bytes + entry.payload_bytes;
  }
  return entries;
}

std::optional<std::string> unpacked(const FatEntry& entry) {
  auto content = unpack(entry.content, entry.unpacked_bytes, entry.packing);
  if (content && entry.kind == FatKind::ptx)
    content->resize(std::min(content->find('\0'), content->size()));
  return content;
}

Contents read_fat_binary(const void* data, const machine::Profile& profile, std::string_view name,
                         std::size_t limit) {
  const auto entries = read_fat_entries(data, limit);
  if (!entries.ok()) return {Status::invalid_image, entries.error().message, {}};
  const FatEntry* best = nullptr;
  std::string seen;
  for (const FatEntry& entry : *entries) {
    seen += (seen.empty() ? "" : ", ") + std::string(kind_of(entry)) + isa::to_string(entry.target);
    if (has_ptx(entry) && machine::runs(profile, entry.target) &&
        (!best || is_better(entry.target, best->target, profile)))
      best = &entry;
  }
  if (!best) {
    return {Status::no_binary,
            "the fat binary holds no PTX that this device runs, only: " +
                (seen.empty() ? std::string("nothing") : seen),
            {}};
  }
  if (best->kind != FatKind::ptx) return read_container(best->content);
  auto text = unpacked(*best);
  if (!text) return {Status::invalid_image, "the compressed PTX in the fat binary is damaged", {}};
  return {Status::ok, "", {{std::string(name), std::move(*text)}}};
}

std::string write_fat_binary(std::span<const FatEntry> entries) {
  std::string content;
  for (const FatEntry& entry : entries) write_entry(content, entry);
  std::string bytes;
  append(bytes, Header{kFatBinaryMagic, kHeaderVersion, sizeof(Header), content.size()});
  return bytes + content;
}

}  // namespace heddle::image
