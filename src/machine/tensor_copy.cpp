// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/tensor_copy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/sem/cvt_narrow.h"
#include "isa/sem/half_arith.h"
#include "machine/memory.h"

namespace heddle::machine {
namespace {

using sem::f32;
using sem::kSwizzleLine;
using sem::Swizzle;
using sem::TensorBox;
using sem::TensorType;

constexpr u32 kChunk = 16, kHalfChunk = 8;
constexpr u32 kGroup = 16;  ///< elements of a padded type that are padded together
/// The longest row: 256 elements of 8 bytes.
constexpr u32 kMostRowBytes = 2048;

u8* bytes_at(u64 address) { return reinterpret_cast<u8*>(address); }

// --- rows in shared memory ---

/// Calls move(address, offset) for the chunks of a row that begins at `at`. The address is that
/// where swizzling puts the chunk.
template <u32 kBytes, class Move>
inline void for_each_chunk(sem::SwizzlePattern pattern, u64 at, u32 bytes, Move move) {
  u32 offset = 0;
  while (offset < bytes) {
    const u64 begin = at + offset;
    const u32 room = kSwizzleLine - static_cast<u32>(begin % kSwizzleLine);
    const u32 end = offset + std::min(room, bytes - offset);
    // The same for all chunks of a line.
    const u32 low = static_cast<u32>(begin), moved = low ^ sem::swizzled(pattern, low);
    for (; offset < end; offset += kBytes) move((at + offset) ^ moved, offset);
  }
}
/// The same for a row that is a whole line.
template <u32 kBytes, class Move>
inline void for_each_chunk_of_line(sem::SwizzlePattern pattern, u64 line, Move move) {
  const u32 low = static_cast<u32>(line), moved = low ^ sem::swizzled(pattern, low);
  for (u32 i = 0; i < kSwizzleLine; i += kBytes) move(line ^ (i ^ moved), i);
}
inline bool is_line(u64 at, u32 bytes) { return bytes == kSwizzleLine && at % kSwizzleLine == 0; }

/// Rows that are not swizzled, and rows whose chunks of 16 or 8 bytes are. put(): `count` rows,
/// which begin every `step` bytes, one behind the other. get(): a row, perhaps in `staging`.
struct Plain {
  void put(u64 to, const u8* from, u32 bytes, u64 step, u64 count) const {
    if (step == bytes) {
      std::memcpy(bytes_at(to), from, count * bytes);
      return;
    }
    const bool is_line = bytes == kSwizzleLine;  // the usual length
    for (u64 i = 0; i < count; ++i, to += bytes, from += step) {
      if (is_line)
        std::memcpy(bytes_at(to), from, kSwizzleLine);
      else
        std::memcpy(bytes_at(to), from, bytes);
    }
  }
  const u8* get(u64 from, u8*, u32) const { return bytes_at(from); }
};
template <u32 kBytes>
struct Swizzled {
  sem::SwizzlePattern pattern;
  void put(u64 to, const u8* from, u32 bytes, u64 step, u64 count) const {
    const auto move = [&](u64 address, u32 offset) {
      std::memcpy(bytes_at(address), from + offset, kBytes);
    };
    if (is_line(to, bytes)) {
      for (u64 i = 0; i < count; ++i, to += bytes, from += step)
        for_each_chunk_of_line<kBytes>(pattern, to, move);
      return;
    }
    for (u64 i = 0; i < count; ++i, to += bytes, from += step)
      for_each_chunk<kBytes>(pattern, to, bytes, move);
  }
  const u8* get(u64 from, u8* staging, u32 bytes) const {
    const auto move = [&](u64 address, u32 offset) {
      std::memcpy(staging + offset, bytes_at(address), kBytes);
    };
    if (is_line(from, bytes))
      for_each_chunk_of_line<kBytes>(pattern, from, move);
    else
      for_each_chunk<kBytes>(pattern, from, bytes, move);
    return staging;
  }
};

template <class Use>
std::optional<u64> with_layout(Swizzle mode, Use use) {
  const sem::SwizzlePattern pattern = sem::swizzle_pattern(mode);
  if (mode == Swizzle::none) return use(Plain{});
  if (pattern.flips_8b) return use(Swizzled<kHalfChunk>{pattern});
  return use(Swizzled<kChunk>{pattern});
}

// --- rows of the tensor ---

/// Elements outside of the tensor (5.5.3.3). The manual does not give the bits of OOB-NaN; those
/// that fma.oob knows are a NaN in every format when they are repeated.
void fill(u8* to, u32 bytes, bool with_nan) {
  if (!with_nan) {
    std::memset(to, 0, bytes);
    return;
  }
  for (u32 i = 0; i < bytes; i += sizeof(u16))
    std::memcpy(to + i, &sem::kOutOfBoundsNan, sizeof(u16));
}

bool is_converted(TensorType type) {
  return type == TensorType::f32_ftz || type == TensorType::tf32 || type == TensorType::tf32_ftz;
}
/// What a load makes of an element. The manual does not give the rounding to tf32: it is that of
/// cvt.rna.tf32 here.
f32 converted(TensorType type, f32 value) {
  if (type != TensorType::tf32) value = sem::flush_bits(value);
  if (type == TensorType::f32_ftz) return value;
  return std::bit_cast<f32>(sem::cvt_tf32_away(sem::Flag::off, value).bits);
}
void convert(TensorType type, u8* row, u32 begin, u32 end) {
  for (u32 i = begin; i < end; ++i) {
    f32 value;
    std::memcpy(&value, row + i * sizeof value, sizeof value);
    value = converted(type, value);
    std::memcpy(row + i * sizeof value, &value, sizeof value);
  }
}

/// Sixteen elements side by side become 16 bytes, the last of which are 0 (5.5.1.1).
void pad(TensorType type, u8* to, const u8* from, u32 elements) {
  const u32 bytes = bytes_in_global(type, kGroup);
  std::memset(to, 0, elements);
  for (u32 i = 0; i < elements / kGroup; ++i)
    std::memcpy(to + i * kGroup, from + std::size_t{i} * bytes, bytes);
}
/// Of sixteen bytes with an element in the low 6 bits of each, the elements side by side.
void pack(u8* to, const u8* from, u32 elements) {
  constexpr u32 kBits = 6, kInBytes = 4, kBytes = 3;  // four elements take three bytes
  for (u32 i = 0; i < elements / kInBytes; ++i) {
    u32 bits = 0;
    for (u32 k = 0; k < kInBytes; ++k) bits |= (from[i * kInBytes + k] & 0x3fu) << k * kBits;
    std::memcpy(to + std::size_t{i} * kBytes, &bits, kBytes);
  }
}

/// The first address that a kernel may not access, of `bytes` bytes of each row of a run; the first
/// row's are at `address`.
std::optional<u64> beyond(const Memory& memory, const sem::TensorRun& run, u64 address, u64 bytes) {
  // The product does not wrap around: a box in shared memory has less than 2^15 rows, and a step is
  // less than 2^43.
  const AddressRange range = memory.accessible(address);
  if (range.contains(address, (run.count - 1) * run.step + bytes)) return std::nullopt;
  for (u64 i = 0; i < run.count; ++i) {
    if (const u64 at = address + i * run.step; !memory.is_accessible(at, bytes)) return at;
  }
  return std::nullopt;
}

/// The part of a row that is in the tensor.
struct Part {
  u32 bytes, place;  ///< in global memory; its place in the row in shared memory
  explicit Part(const TensorBox& box)
      : bytes(bytes_in_global(box.type, box.end - box.begin)),
        place(bytes_in_shared(box.type, box.begin)) {}
};

/// Puts rows of shared memory to all targets of a load.
template <class Layout>
class Targets {
 public:
  Targets(const Layout& layout, std::span<const u64> targets, u32 bytes)
      : layout_(layout), targets_(targets), bytes_(bytes) {}
  /// `count` rows, which begin every `step` bytes.
  void put(const u8* from, u64 step, u64 count) {
    for (const u64 target : targets_) layout_.put(target + offset_, from, bytes_, step, count);
    offset_ += count * bytes_;
  }

 private:
  const Layout& layout_;
  std::span<const u64> targets_;
  u32 bytes_;
  u64 offset_ = 0;
};

template <class Layout>
std::optional<u64> load(const Memory& memory, TensorBox& box, std::span<const u64> targets,
                        const Layout& layout) {
  alignas(64) u8 staging[kMostRowBytes];
  const u32 bytes = box.row_bytes();
  const Part part(box);
  const bool is_whole = part.bytes == bytes && !is_padded(box.type) && !is_converted(box.type);
  Targets<Layout> to(layout, targets, bytes);
  if (!is_whole) fill(staging, bytes, box.fills_with_nan);
  bool is_filled = !is_whole;  // `staging` has no elements of the tensor
  for (u64 done = 0; done < box.rows.count();) {
    const sem::TensorRun run = box.rows.next();
    done += run.count;
    if (run.address == sem::kNoRow || !part.bytes) {
      if (!is_filled) fill(staging, bytes, box.fills_with_nan);
      is_filled = true;
      to.put(staging, 0, run.count);
      continue;
    }
    const u64 address = box.address_of(run.address, box.begin);
    if (const auto bad = beyond(memory, run, address, part.bytes)) return bad;
    if (is_whole) {
      to.put(bytes_at(address), run.step, run.count);
      continue;
    }
    is_filled = false;
    for (u64 i = 0; i < run.count; ++i) {
      const u8* from = bytes_at(address + i * run.step);
      if (is_padded(box.type))
        pad(box.type, staging + part.place, from, box.end - box.begin);
      else
        std::memcpy(staging + part.place, from, part.bytes);
      if (is_converted(box.type)) convert(box.type, staging, box.begin, box.end);
      to.put(staging, 0, 1);
    }
  }
  return std::nullopt;
}

/// Calls write(address, elements, bytes) for what a store or a reduction writes of each row. With
/// `kOverwrites`, elements may be at the address already.
template <bool kOverwrites, class Layout, class Write>
std::optional<u64> store(const Memory& memory, TensorBox& box, u64 source, const Layout& layout,
                         Write write) {
  alignas(64) u8 staging[kMostRowBytes];
  alignas(64) u8 packed[kMostRowBytes];
  const u32 bytes = box.row_bytes(), begin = bytes_in_global(box.type, box.begin);
  const Part part(box);
  const bool is_direct = kOverwrites && part.bytes == bytes;
  for (u64 done = 0; done < box.rows.count();) {
    const sem::TensorRun run = box.rows.next();
    const u64 first = source + done * bytes;
    done += run.count;
    if (run.address == sem::kNoRow || !part.bytes) continue;
    const u64 address = box.address_of(run.address, box.begin);
    if (const auto bad = beyond(memory, run, address, part.bytes)) return bad;
    for (u64 i = 0; i < run.count; ++i) {
      const u64 to = address + i * run.step;
      const u8* from = layout.get(first + i * bytes, is_direct ? bytes_at(to) : staging, bytes);
      if (box.type == TensorType::b6x16) {
        pack(packed, from, box.elements);
        from = packed;
      }
      write(to, from + begin, part.bytes);
    }
  }
  return std::nullopt;
}

// --- reductions ---

template <isa::Atomop kOp, class T>
const AtomicFunction* function_of() {
  return &kAtomicFunction<&sem::atom_apply<kOp, T>>;
}
/// Of the types that add, min and max have.
template <isa::Atomop kOp>
const AtomicFunction* of_number(TensorType type) {
  constexpr bool kAdds = kOp == isa::Atomop::add;
  switch (type) {
    case TensorType::u32:
      return function_of<kOp, u32>();
    case TensorType::s32:
      return function_of<kOp, s32>();
    case TensorType::u64:
      return function_of<kOp, u64>();
    case TensorType::s64:
      return kAdds ? nullptr : function_of<kOp, s64>();
    case TensorType::f16:
      return function_of<kOp, sem::f16>();
    case TensorType::bf16:
      return function_of<kOp, sem::bf16>();
    case TensorType::f32:
    case TensorType::f32_ftz:
      if constexpr (kAdds) return function_of<kOp, f32>();
      return nullptr;
    default:
      return nullptr;
  }
}
template <isa::Atomop kOp>
const AtomicFunction* of_bits(TensorType type) {
  if (type == TensorType::u32 || type == TensorType::s32) return function_of<kOp, u32>();
  if (type == TensorType::u64 || type == TensorType::s64) return function_of<kOp, u64>();
  return nullptr;
}

}  // namespace

SharedExtent shared_extent(const TensorBox& box, u64 address) {
  if (box.swizzle == Swizzle::none) return {address, box.shared_bytes()};
  const u64 begin = address / kSwizzleLine * kSwizzleLine;
  const u64 end = address + box.shared_bytes() + kSwizzleLine - 1;
  return {begin, end / kSwizzleLine * kSwizzleLine - begin};
}

std::optional<u64> load_box(const Memory& memory, TensorBox& box, std::span<const u64> targets) {
  return with_layout(box.swizzle,
                     [&](const auto& layout) { return load(memory, box, targets, layout); });
}

std::optional<u64> store_box(const Memory& memory, TensorBox& box, u64 source) {
  return with_layout(box.swizzle, [&](const auto& layout) {
    return store<true>(memory, box, source, layout, [](u64 to, const u8* from, u32 bytes) {
      if (from != bytes_at(to)) std::memcpy(bytes_at(to), from, bytes);
    });
  });
}

std::optional<u64> reduce_box(const Memory& memory, TensorBox& box, u64 source,
                              const AtomicFunction& function) {
  return with_layout(box.swizzle, [&](const auto& layout) {
    return store<false>(memory, box, source, layout, [&](u64 to, const u8* from, u32 bytes) {
      combine(function, to, from, bytes, false);
    });
  });
}

const AtomicFunction* tensor_reduction(isa::Atomop op, TensorType type) {
  using isa::Atomop;
  switch (op) {
    case Atomop::add:
      return of_number<Atomop::add>(type);
    case Atomop::min:
      return of_number<Atomop::min>(type);
    case Atomop::max:
      return of_number<Atomop::max>(type);
    case Atomop::and_:
      return of_bits<Atomop::and_>(type);
    case Atomop::or_:
      return of_bits<Atomop::or_>(type);
    case Atomop::xor_:
      return of_bits<Atomop::xor_>(type);
    case Atomop::inc:
      return type == TensorType::u32 ? function_of<Atomop::inc, u32>() : nullptr;
    case Atomop::dec:
      return type == TensorType::u32 ? function_of<Atomop::dec, u32>() : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace heddle::machine
