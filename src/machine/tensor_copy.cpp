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

/// Calls move(address, offset, bytes as a constant) for the chunks of a row that begins at `at`.
/// The address of a chunk is that where swizzling puts it.
template <u32 kBytes, class Move>
inline void for_each_chunk(sem::SwizzlePattern pattern, u64 at, u32 bytes, Move move) {
  u32 offset = 0;
  while (offset < bytes) {
    const u64 begin = at + offset;
    const u32 room = kSwizzleLine - static_cast<u32>(begin % kSwizzleLine);
    const u32 end = offset + std::min(room, bytes - offset);
    // The same for all chunks of a line.
    const u32 low = static_cast<u32>(begin), moved = low ^ sem::swizzled(pattern, low);
    if (end - offset == kSwizzleLine) {
      for (u32 i = 0; i < kSwizzleLine; i += kBytes) move((begin + i) ^ moved, offset + i);
      offset = end;
      continue;
    }
    for (; offset < end; offset += kBytes) move((at + offset) ^ moved, offset);
  }
}

/// Rows that are not swizzled, and rows whose chunks of 16 or 8 bytes are.
struct Plain {
  void put(u64 to, const u8* from, u32 bytes) const {
    if (bytes == kSwizzleLine)
      std::memcpy(bytes_at(to), from, kSwizzleLine);
    else
      std::memcpy(bytes_at(to), from, bytes);
  }
  const u8* get(u64 from, u8*, u32) const { return bytes_at(from); }
};
template <u32 kBytes>
struct Swizzled {
  sem::SwizzlePattern pattern;
  void put(u64 to, const u8* from, u32 bytes) const {
    for_each_chunk<kBytes>(pattern, to, bytes, [&](u64 address, u32 offset) {
      std::memcpy(bytes_at(address), from + offset, kBytes);
    });
  }
  /// The row; it is in `staging`.
  const u8* get(u64 from, u8* staging, u32 bytes) const {
    for_each_chunk<kBytes>(pattern, from, bytes, [&](u64 address, u32 offset) {
      std::memcpy(staging + offset, bytes_at(address), kBytes);
    });
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

/// Checks rows against the memory of the device.
class Reach {
 public:
  explicit Reach(const Memory& memory) : memory_(memory) {}
  bool has(u64 address, u64 bytes) {
    if (range_.contains(address, bytes)) return true;
    range_ = memory_.accessible(address);
    return range_.contains(address, bytes);
  }

 private:
  const Memory& memory_;
  AddressRange range_{};  ///< that of the row before
};

template <class Layout>
std::optional<u64> load(const Memory& memory, TensorBox& box, std::span<const u64> targets,
                        const Layout& layout) {
  alignas(64) u8 staging[kMostRowBytes];
  const u32 bytes = box.row_bytes(), inside = bytes_in_global(box.type, box.end - box.begin);
  const bool is_whole = box.begin == 0 && box.end == box.elements && !is_padded(box.type) &&
                        !is_converted(box.type);
  Reach reach(memory);
  if (!is_whole) fill(staging, bytes, box.fills_with_nan);
  const u32 place = bytes_in_shared(box.type, box.begin);
  bool is_filled = !is_whole;  // `staging` has no elements of the tensor
  for (u64 i = 0; i < box.rows.count(); ++i) {
    const u64 row = box.rows.next();
    const u8* from = staging;
    if (row == sem::kNoRow || !inside) {
      if (!is_filled) fill(staging, bytes, box.fills_with_nan);
      is_filled = true;
    } else {
      const u64 address = box.address_of(row, box.begin);
      if (!reach.has(address, inside)) return address;
      if (is_whole) {
        from = bytes_at(address);
      } else {
        is_filled = false;
        if (is_padded(box.type))
          pad(box.type, staging + place, bytes_at(address), box.end - box.begin);
        else
          std::memcpy(staging + place, bytes_at(address), inside);
        if (is_converted(box.type)) convert(box.type, staging, box.begin, box.end);
      }
    }
    for (const u64 target : targets) layout.put(target + i * bytes, from, bytes);
  }
  return std::nullopt;
}

/// Calls write(address, elements, bytes) for what a store or a reduction writes of each row.
template <class Layout, class Write>
std::optional<u64> store(const Memory& memory, TensorBox& box, u64 source, const Layout& layout,
                         Write write) {
  alignas(64) u8 staging[kMostRowBytes];
  alignas(64) u8 packed[kMostRowBytes];
  const u32 bytes = box.row_bytes(), inside = bytes_in_global(box.type, box.end - box.begin);
  Reach reach(memory);
  for (u64 i = 0; i < box.rows.count(); ++i) {
    const u64 row = box.rows.next();
    if (row == sem::kNoRow || !inside) continue;
    const u64 address = box.address_of(row, box.begin);
    if (!reach.has(address, inside)) return address;
    const u8* from = layout.get(source + i * bytes, staging, bytes);
    if (box.type == TensorType::b6x16) {
      pack(packed, from, box.elements);
      from = packed;
    }
    write(address, from + bytes_in_global(box.type, box.begin), inside);
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

std::optional<u64> load_box(const Memory& memory, TensorBox box, std::span<const u64> targets) {
  return with_layout(box.swizzle,
                     [&](const auto& layout) { return load(memory, box, targets, layout); });
}

std::optional<u64> store_box(const Memory& memory, TensorBox box, u64 source) {
  return with_layout(box.swizzle, [&](const auto& layout) {
    return store(memory, box, source, layout, [](u64 to, const u8* from, u32 bytes) {
      std::memcpy(bytes_at(to), from, bytes);
    });
  });
}

std::optional<u64> reduce_box(const Memory& memory, TensorBox box, u64 source,
                              const AtomicFunction& function) {
  return with_layout(box.swizzle, [&](const auto& layout) {
    return store(memory, box, source, layout, [&](u64 to, const u8* from, u32 bytes) {
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
