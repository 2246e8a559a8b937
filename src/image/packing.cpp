// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See packing.h.
#include "image/packing.h"

#include <lz4.h>
#include <zstd.h>

namespace heddle::image {
namespace {

constexpr u64 kMostText = u64{1} << 30;
// An upper bound for zstd, where a block of 128 KiB takes at least four bytes.
constexpr u64 kMostRatio = 1 << 15;

}  // namespace

std::string pack(std::string_view text, Packing packing) {
  if (packing == Packing::none) return std::string(text);
  const bool zstd = packing == Packing::zstd;
  const char* const from = text.data();
  const auto size = static_cast<int>(text.size());
  std::string packed(
      zstd ? ZSTD_compressBound(text.size()) : static_cast<std::size_t>(LZ4_compressBound(size)),
      '\0');
  packed.resize(
      zstd ? ZSTD_compress(packed.data(), packed.size(), from, text.size(), ZSTD_CLEVEL_DEFAULT)
           : static_cast<std::size_t>(
                 LZ4_compress_default(from, packed.data(), size, static_cast<int>(packed.size()))));
  return packed;
}

std::optional<std::string> unpack(std::string_view packed, u64 size, Packing packing) {
  if (packing == Packing::none) return std::string(packed);
  if (size > kMostText || size > packed.size() * kMostRatio) return std::nullopt;
  std::string text(size, '\0');
  const char* const from = packed.data();
  const auto written =
      packing == Packing::zstd
          ? ZSTD_decompress(text.data(), text.size(), from, packed.size())
          : static_cast<std::size_t>(LZ4_decompress_safe(
                from, text.data(), static_cast<int>(packed.size()), static_cast<int>(text.size())));
  if (written != text.size()) return std::nullopt;
  return text;
}

}  // namespace heddle::image
