// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/entry.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "jit/serialization.h"

namespace heddle::jit {

// In this namespace, where Reader and Writer find them.
template <class Stream>
void fields(Stream& s, CodeLine& line) {
  auto& [offset, function, inst] = line;
  s(offset, function, inst);
}

template <class Stream>
void fields(Stream& s, Site& site) {
  auto& [function, inst, sem, space, type, bytes, count, strong, ordered, has_third, op, runtime,
         registers, first_result, dispatch, next, distance, in_line, shared, step, widens,
         index_step, factor, narrow, alone, has_count, has_members, gathered] = site;
  s(function, inst, sem, space, type, bytes, count, strong, ordered, has_third, op, runtime,
    registers, first_result, dispatch, next, distance, in_line, shared, step, widens, index_step,
    factor, narrow, alone, has_count, has_members, gathered);
}

template <class Stream>
void fields(Stream& s, Image& image) {
  auto& [code, absolute, entry, lines, team, frame_bytes, loops, waits, switches_ctas,
         zeroes_subnormals, local_bytes, frame_of_call, allocates, sites, symbols] = image;
  s(code, absolute, entry, lines, team, frame_bytes, loops, waits, switches_ctas, zeroes_subnormals,
    local_bytes, frame_of_call, allocates, sites, symbols);
}

namespace {

constexpr std::string_view kMagic = "heddle code 11\n";
/// The largest entry; kernels have a thousandth of it.
constexpr u64 kLargest = u64{64} << 20;
/// Fast compression: size and time are both small beside compiling.
constexpr int kLevel = 3;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

std::string write_entry(const Entry& entry) {
  Writer writer;
  writer.bytes(kMagic);
  writer(entry.key);
  if (const auto* image = std::get_if<Image>(&entry.content)) {
    writer(true, *image);
  } else {
    writer(false, std::get_if<Refusal>(&entry.content)->message);
  }
  const std::string plain = std::move(writer).take();
  if (plain.size() > kLargest) return {};
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (!context) return {};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), packed.data(), packed.size(), plain.data(), plain.size());
  if (ZSTD_isError(size)) return {};
  packed.resize(size);
  return packed;
}

std::optional<Entry> read_entry(std::string_view file) {
  const unsigned long long size = ZSTD_getFrameContentSize(file.data(), file.size());
  // ZSTD_CONTENTSIZE_UNKNOWN and _ERROR are larger than the limit.
  if (size > kLargest || size < kMagic.size()) return std::nullopt;
  const auto plain = std::make_unique_for_overwrite<char[]>(size);
  if (ZSTD_decompress(plain.get(), size, file.data(), file.size()) != size) return std::nullopt;
  return parse_entry({plain.get(), size});
}

std::optional<Entry> parse_entry(std::string_view unpacked) {
  Reader reader(unpacked);
  if (reader.bytes(kMagic.size()) != kMagic) return std::nullopt;
  Entry entry;
  bool compiled = false;
  reader(entry.key, compiled);
  if (compiled) {
    reader(entry.content.emplace<Image>());
  } else {
    reader(entry.content.emplace<Refusal>().message);
  }
  if (!reader.done()) return std::nullopt;
  return entry;
}

bool is_sound(const Image& image, const ir::Module& module) {
  const u64 size = image.code.size();
  const auto is_place = [&](u32 function, u32 inst) {
    return function < module.functions.size() && inst < module.functions[function].insts.size();
  };
  const auto is_line = [&](const CodeLine& line) {
    return line.offset <= size && is_place(line.function, line.inst);
  };
  const auto is_site = [&](const Site& site) {
    return is_place(site.function, site.inst) && site.space <= ir::Space::shared &&
           site.next < image.sites.size() && site.shared != 0;
  };
  return image.entry < size && (image.team == kLanes || image.team == kMostWarps * kLanes) &&
         image.frame_bytes % 64 == 0 &&
         std::ranges::all_of(
             image.absolute, [&](u32 at) { return at + u64{8} <= size; }) &&
         std::ranges::is_sorted(image.lines, {}, &CodeLine::offset) &&
         std::ranges::all_of(image.lines, is_line) && std::ranges::all_of(image.sites, is_site) &&
         std::ranges::all_of(
             image.symbols,
             [&](u32 id) {
               return id & kFunctionSymbol ? (id & ~kFunctionSymbol) < module.functions.size()
                                           : id < module.variables.size();
             });
}

}  // namespace heddle::jit
