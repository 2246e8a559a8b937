// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fat binaries of nvcc: a 16-byte header, then entries of PTX text or GPU code, each for one
// target, possibly compressed. The offsets are those in files that nvcc 13 wrote.
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "driver/core/module/image.h"

namespace heddle::driver {
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

constexpr u16 kPtx = 1;
constexpr u64 kMaxTextBytes = u64{1} << 30;  // a larger size is an error
// An upper bound for zstd, where a block of 128 KiB takes at least four bytes.
constexpr u64 kMaxRatio = 1 << 15;
constexpr u64 kLz4 = 0x2000, kZstd = 0x8000, kArchSpecific = 0x100000, kFamilySpecific = 0x200000;

isa::Target target_of(const Entry& entry) {
  const char suffix = entry.flags & kArchSpecific ? 'a' : entry.flags & kFamilySpecific ? 'f' : 0;
  return {static_cast<u16>(entry.sm), suffix};
}

std::optional<std::string> text_of(const Entry& entry, const char* payload) {
  std::string text;
  if (entry.flags & (kLz4 | kZstd)) {
    if (entry.text_bytes > entry.compressed_bytes * kMaxRatio) return std::nullopt;
    text.resize(entry.text_bytes);
    const auto written =
        entry.flags & kZstd
            ? ZSTD_decompress(text.data(), text.size(), payload, entry.compressed_bytes)
            : static_cast<std::size_t>(LZ4_decompress_safe(payload, text.data(),
                                                           static_cast<int>(entry.compressed_bytes),
                                                           static_cast<int>(text.size())));
    if (written != text.size()) return std::nullopt;
  } else {
    text.assign(payload, entry.payload_bytes);
  }
  return text.substr(0, text.find('\0'));
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

ImageContents read_fat_binary(const void* data, const machine::Profile& profile,
                              std::string_view name, std::size_t limit) {
  const char* at = static_cast<const char*>(data);
  Header header{};
  if (at && limit >= sizeof header) std::memcpy(&header, at, sizeof header);
  if (header.magic != kFatBinaryMagic) {
    return {CUDA_ERROR_INVALID_IMAGE, "the fat binary does not begin with its magic number", {}};
  }
  const auto size = size_of(header, limit);
  if (!size) return {CUDA_ERROR_INVALID_IMAGE, "the fat binary is longer than the image", {}};
  at += size->header;
  const char* const end = at + size->content;
  std::optional<Entry> best;
  const char* best_payload = nullptr;
  std::string seen;
  while (at + sizeof(Entry) <= end) {
    Entry entry;
    std::memcpy(&entry, at, sizeof entry);
    const auto left = static_cast<u64>(end - at);
    if (entry.header_bytes < sizeof(Entry) || entry.header_bytes > left ||
        entry.payload_bytes > left - entry.header_bytes ||
        entry.compressed_bytes > entry.payload_bytes || entry.text_bytes > kMaxTextBytes) {
      return {CUDA_ERROR_INVALID_IMAGE, "the fat binary is damaged", {}};
    }
    const char* payload = at + entry.header_bytes;
    const auto target = target_of(entry);
    seen += (seen.empty() ? "" : ", ") +
            std::string(entry.kind == kPtx ? "PTX for " : "GPU code for ") + isa::to_string(target);
    if (entry.kind == kPtx && machine::runs(profile, target) &&
        (!best || is_better(target, target_of(*best), profile))) {
      best = entry;
      best_payload = payload;
    }
    at = payload + entry.payload_bytes;
  }
  if (!best) {
    return {CUDA_ERROR_NO_BINARY_FOR_GPU,
            "the fat binary holds no PTX that this device runs, only: " +
                (seen.empty() ? std::string("nothing") : seen),
            {}};
  }
  auto text = text_of(*best, best_payload);
  if (!text)
    return {CUDA_ERROR_INVALID_IMAGE, "the compressed PTX in the fat binary is damaged", {}};
  return {CUDA_SUCCESS, "", {{std::string(name), std::move(*text)}}};
}

}  // namespace heddle::driver
