// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fat binaries of nvcc: a 16-byte header, then entries of PTX text or GPU code, each for one
// target, possibly compressed. The offsets are those in files that nvcc 13 wrote.
#include <cstring>
#include <optional>

#include "image/container.h"
#include "image/packing.h"

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
  u32 options_offset;
  u16 minor, major;  // PTX ISA version
  u32 sm;
  u32 name_offset, name_bytes;
  u64 flags;
  u64 reserved;
  u64 text_bytes;  // when uncompressed
};
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64);

constexpr u16 kPtx = 1, kLtoIr = 8;
constexpr u64 kLz4 = 0x2000, kZstd = 0x8000, kArchSpecific = 0x100000, kFamilySpecific = 0x200000;

isa::Target target_of(const Entry& entry) {
  const char suffix = entry.flags & kArchSpecific ? 'a' : entry.flags & kFamilySpecific ? 'f' : 0;
  return {static_cast<u16>(entry.sm), suffix};
}

std::string_view payload_of(const Entry& entry, const char* at) {
  return {at, entry.flags & (kLz4 | kZstd) ? entry.compressed_bytes : entry.payload_bytes};
}

std::optional<std::string> text_of(const Entry& entry, std::string_view payload) {
  const Packing packing = entry.flags & kZstd  ? Packing::zstd
                          : entry.flags & kLz4 ? Packing::lz4
                                               : Packing::none;
  const auto text = unpack(payload, entry.text_bytes, packing);
  if (!text) return std::nullopt;
  return text->substr(0, text->find('\0'));
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

}  // namespace

std::optional<FatBinarySize> fat_binary_size(std::string_view bytes) {
  Header header{};
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.magic == kFatBinaryMagic ? size_of(header, bytes.size()) : std::nullopt;
}

Contents read_fat_binary(const void* data, const machine::Profile& profile, std::string_view name,
                         std::size_t limit) {
  const char* at = static_cast<const char*>(data);
  Header header{};
  if (at && limit >= sizeof header) std::memcpy(&header, at, sizeof header);
  if (header.magic != kFatBinaryMagic) {
    return {Status::invalid_image, "the fat binary does not begin with its magic number", {}};
  }
  const auto size = size_of(header, limit);
  if (!size) return {Status::invalid_image, "the fat binary is longer than the image", {}};
  at += size->header;
  const char* const end = at + size->content;
  std::optional<Entry> best;
  std::string_view best_payload;
  std::string seen;
  while (at + sizeof(Entry) <= end) {
    Entry entry;
    std::memcpy(&entry, at, sizeof entry);
    const auto left = static_cast<u64>(end - at);
    if (entry.header_bytes < sizeof(Entry) || entry.header_bytes > left ||
        entry.payload_bytes > left - entry.header_bytes ||
        entry.compressed_bytes > entry.payload_bytes) {
      return {Status::invalid_image, "the fat binary is damaged", {}};
    }
    const std::string_view payload = payload_of(entry, at + entry.header_bytes);
    const auto target = target_of(entry);
    const bool has_ptx = entry.kind == kPtx || is_container(payload);
    seen += (seen.empty() ? "" : ", ") +
            std::string(has_ptx                ? "PTX for "
                        : entry.kind == kLtoIr ? "LTO-IR for "
                                               : "GPU code for ") +
            isa::to_string(target);
    if (has_ptx && machine::runs(profile, target) &&
        (!best || is_better(target, target_of(*best), profile))) {
      best = entry;
      best_payload = payload;
    }
    at += entry.header_bytes + entry.payload_bytes;
  }
  if (!best) {
    return {Status::no_binary,
            "the fat binary holds no PTX that this device runs, only: " +
                (seen.empty() ? std::string("nothing") : seen),
            {}};
  }
  if (best->kind != kPtx) return read_container(best_payload);
  auto text = text_of(*best, best_payload);
  if (!text) return {Status::invalid_image, "the compressed PTX in the fat binary is damaged", {}};
  return {Status::ok, "", {{std::string(name), std::move(*text)}}};
}

}  // namespace heddle::image
