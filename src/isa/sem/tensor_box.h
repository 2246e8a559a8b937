// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The box that an instruction with a tensor map copies (PTX ISA 5.5.3 to 5.5.5, 9.7.9.27.1), as
// rows: contiguous elements of dimension 0. In shared memory the rows lie one behind the other, and
// then swizzling moves chunks of them (swizzle.h). In the tensor, their places come from a walk
// over the other dimensions, which is the same for all modes:
//
//   mode         walks over       begins at      wraps at                   a row has
//   tile         all others       coordinates    the box's end              box[0] elements
//   gather4      a list of four                                             box[0] elements
//   im2col       W, H, D, then N  coordinates    the corners                the channels of a pixel
//   im2col::w    W, then N        coordinates    the corners of W           the same
//
// Rows outside of the tensor are filled by loads, and skipped by stores. Nothing here accesses
// memory.
#pragma once

#include "isa/groups.h"
#include "isa/sem/tensor_map_limits.h"

namespace heddle::sem {

using isa::LoadMode;

inline constexpr u64 kNoRow = ~u64{0};  ///< a row outside of the tensor; no row has this address
inline constexpr u32 kGatheredRows = 4;

/// Rows that follow each other in a box: all outside of the tensor, or at addresses with the same
/// distance.
struct TensorRun {
  u64 address;  ///< that of element 0 of dimension 0 of the first row, or kNoRow
  u64 step;     ///< from row to row
  u64 count;
};

/// The rows of a box, one run after the other.
class TensorRows {
 public:
  constexpr u64 count() const { return count_; }
  /// Until the runs have count() rows.
  constexpr TensorRun next();

  static constexpr TensorRows of_tile(const TensorMap& map, const s32* coordinates);
  static constexpr TensorRows of_list(const TensorMap& map, const s32* rows);
  static constexpr TensorRows of_pixels(const TensorMap& map, const s32* coordinates,
                                        const u16* offsets);
  static constexpr TensorRows of_line(const TensorMap& map, const s32* coordinates, u32 halo,
                                      u32 offset);

 private:
  static constexpr s64 kNever = s64{1} << 62;

  /// A dimension of the walk. Where `at` passes `last`, it goes back to `first`, and the next
  /// dimension makes a step.
  struct Digit {
    s64 at = 0, first = 0, last = 0, step = 1, offset = 0, dim = 1;
    u64 stride = 0;
    constexpr s64 place() const { return at + offset; }
    constexpr bool inside() const { return place() >= 0 && place() < dim; }
    constexpr u64 address() const { return static_cast<u64>(place()) * stride; }
    /// Steps that fit into a distance; a step is 1 to 8, mostly 1.
    constexpr u64 steps(s64 distance) const {
      return static_cast<u64>(step == 1 ? distance : distance / step);
    }
    /// Places from here to the last one before the digit goes back to `first`.
    constexpr u64 places_left() const { return at <= last ? steps(last - at) + 1 : 1; }
    /// Places from here on that are as much inside of the tensor as this one.
    constexpr u64 places_alike() const {
      if (place() < 0) return steps(-place() - 1) + 1;
      return place() < dim ? steps(dim - 1 - place()) + 1 : static_cast<u64>(kNever);
    }
  };
  constexpr explicit TensorRows(const TensorMap& map) : base_(map.address) {}
  static constexpr Digit digit(const TensorMap& map, u32 dimension, s64 at) {
    return {.at = at,
            .first = at,
            .last = kNever,
            .step = map.element_strides[dimension],
            .dim = static_cast<s64>(map.dims[dimension]),
            .stride = map.strides[dimension - 1]};
  }
  /// The number of the image, the last dimension of im2col.
  static constexpr Digit image_digit(const TensorMap& map, const s32* coordinates) {
    Digit image = digit(map, map.rank - 1u, coordinates[map.rank - 1]);
    image.step = 1;
    return image;
  }
  constexpr void add(const Digit& digit) { digits_[used_++] = digit; }
  /// The place of all digits but the first one.
  constexpr void settle() {
    outer_ = base_;
    is_inside_ = true;
    for (u32 i = 1; i < used_; ++i) {
      is_inside_ &= digits_[i].inside();
      outer_ += digits_[i].address();
    }
  }
  static constexpr u64 least(u64 a, u64 b) { return a < b ? a : b; }
  constexpr void advance();
  /// `count` rows from `beyond` steps of the first digit away.
  constexpr TensorRun run(u32 beyond, u64 count) const {
    Digit digit = digits_[0];
    digit.at += beyond * digit.step;
    if (!is_inside_ || !digit.inside()) return {kNoRow, 0, count};
    return {outer_ + digit.address(), static_cast<u64>(digit.step) * digit.stride, count};
  }

  u64 base_ = 0, outer_ = 0;
  bool is_inside_ = true;
  bool is_list_ = false;  ///< each digit is a row
  u32 used_ = 0;
  u64 count_ = 1, done_ = 0;
  u32 halo_ = 0, halo_after_ = 0;     ///< so many rows more behind each `halo_after_` rows
  u32 since_halo_ = 0, in_halo_ = 0;  ///< rows since then, rows of the halo
  Digit digits_[kMostTensorRank - 1];
};

constexpr TensorRun TensorRows::next() {
  if (is_list_) {
    const Digit& row = digits_[done_++];
    return {row.inside() ? base_ + row.address() : kNoRow, 0, 1};
  }
  if (halo_ && since_halo_ == halo_after_) {
    if (in_halo_ < halo_) return ++done_, run(++in_halo_, 1);
    since_halo_ = in_halo_ = 0;
    advance();
  }
  Digit& digit = digits_[0];
  u64 count = count_ - done_;
  if (halo_) count = least(count, halo_after_ - since_halo_);
  count = least(count, digit.places_left());
  if (is_inside_) count = least(count, digit.places_alike());
  const TensorRun rows = run(0, count);
  done_ += count;
  since_halo_ += static_cast<u32>(count);
  digit.at += static_cast<s64>(count - 1) * digit.step;
  if (!halo_ || since_halo_ != halo_after_) advance();
  return rows;
}

constexpr void TensorRows::advance() {
  digits_[0].at += digits_[0].step;
  if (digits_[0].at <= digits_[0].last) return;
  digits_[0].at = digits_[0].first;
  for (u32 i = 1; i < used_; ++i) {
    digits_[i].at += digits_[i].step;
    if (digits_[i].at <= digits_[i].last) break;
    digits_[i].at = digits_[i].first;
  }
  settle();
}

constexpr TensorRows TensorRows::of_tile(const TensorMap& map, const s32* coordinates) {
  TensorRows rows(map);
  for (u32 i = 1; i < map.rank; ++i) {
    const u32 step = map.element_strides[i], count = (map.box[i] + step - 1) / step;
    Digit digit = rows.digit(map, i, coordinates[i]);
    digit.last = digit.at + s64{count - 1} * step;
    rows.add(digit);
    rows.count_ *= count;
  }
  rows.settle();
  return rows;
}

/// `rows`: four coordinates of dimension 1.
constexpr TensorRows TensorRows::of_list(const TensorMap& map, const s32* rows) {
  TensorRows list(map);
  list.is_list_ = true;
  list.count_ = kGatheredRows;
  for (u32 i = 0; i < kGatheredRows; ++i) list.digits_[i] = list.digit(map, 1, rows[i]);
  return list;
}

/// im2col (5.5.4). `offsets`: W, H, D; null: 0.
constexpr TensorRows TensorRows::of_pixels(const TensorMap& map, const s32* coordinates,
                                           const u16* offsets) {
  TensorRows rows(map);
  const u32 last = map.rank - 1u;
  for (u32 i = 1; i < last; ++i) {
    Digit digit = rows.digit(map, i, coordinates[i]);
    digit.first = map.lower[i - 1];
    digit.last = digit.dim - 1 + map.upper[i - 1];
    digit.offset = offsets ? offsets[i - 1] : 0;
    rows.add(digit);
  }
  rows.add(rows.image_digit(map, coordinates));
  rows.count_ = map.pixels;
  rows.settle();
  return rows;
}

/// im2col::w and im2col::w::128 (5.5.5). The manual's rule is in figures; this is how Heddle reads
/// its text: the walk is that of im2col with one place in H and D; and the halo is the pixels to
/// the right of the last one, within the box or not.
constexpr TensorRows TensorRows::of_line(const TensorMap& map, const s32* coordinates, u32 halo,
                                         u32 offset) {
  constexpr u32 kPixels = 128, kPixelsBeforeHalo = 32;
  TensorRows rows(map);
  const bool by_32 = map.mode == TensorMode::im2col_w_128;
  Digit line = rows.digit(map, 1, coordinates[1]);
  line.first = map.lower[0];
  line.last = line.dim - 1 + map.upper[0];
  line.offset = offset;
  rows.add(line);
  rows.add(rows.image_digit(map, coordinates));
  for (u32 i = 2; i + 1 < map.rank; ++i) rows.add(rows.digit(map, i, coordinates[i]));
  rows.halo_ = halo;
  rows.halo_after_ = by_32 ? kPixelsBeforeHalo : map.pixels;
  const u32 pixels = by_32 ? kPixels : map.pixels;
  rows.count_ = pixels + u64{pixels} / rows.halo_after_ * halo;
  rows.settle();
  return rows;
}

/// The reasons why an instruction cannot copy a box, beside the faults of its map.
enum class TensorBoxFault : u8 {
  none,
  mode,          ///< the map is for another mode
  rank,          ///< the instruction has another number of dimensions
  gathered_box,  ///< gather4 and scatter4 need a box with one row
  column,        ///< the first coordinate is odd, or no multiple of 128 for padded types
  halo,          ///< wHalo or wOffset is out of its range
};

/// The operands of an instruction with a tensor map.
/// A box in shared memory begins at a multiple of this. The CUDA programming guide says so; the PTX
/// manual does not.
inline constexpr u32 kTensorBoxAlignment = 128;

struct TensorOperands {
  LoadMode mode = LoadMode::none;
  u32 rank = 1;                 ///< `.1d` to `.5d`
  const s32* coordinates = {};  ///< `rank` of them; with a list, a column and four rows
  const u16* info = {};         ///< offsets, or wHalo and wOffset; null: none
  TensorLimits limits = TensorLimits::usual;
};

constexpr bool is_of_list(LoadMode mode) {
  return mode == LoadMode::tile_gather4 || mode == LoadMode::tile_scatter4;
}
constexpr TensorMode mode_of_map(LoadMode mode) {
  switch (mode) {
    case LoadMode::im2col:
    case LoadMode::im2col_no_offs:
      return TensorMode::im2col;
    case LoadMode::im2col_w:
      return TensorMode::im2col_w;
    case LoadMode::im2col_w_128:
      return TensorMode::im2col_w_128;
    default:
      return TensorMode::tile;
  }
}

/// The first coordinate is a multiple of this.
constexpr u32 column_unit(TensorType type, TensorLimits limits) {
  return is_padded(type) ? padded_row(type, limits) : type == TensorType::b4x16 ? 2 : 1;
}

constexpr TensorBoxFault tensor_box_fault(const TensorMap& map, const TensorOperands& operands) {
  constexpr u32 kOffsets = 32, kHalos = 512, kHalosOf128 = 32;
  if (map.mode != mode_of_map(operands.mode)) return TensorBoxFault::mode;
  if (map.rank != operands.rank) return TensorBoxFault::rank;
  if (is_of_list(operands.mode) && map.box[1] != 1) return TensorBoxFault::gathered_box;
  const u32 unit = column_unit(map.type, operands.limits);
  if (operands.coordinates[0] % static_cast<s32>(unit)) return TensorBoxFault::column;
  if (map.mode == TensorMode::im2col_w || map.mode == TensorMode::im2col_w_128) {
    const u32 halos = map.mode == TensorMode::im2col_w ? kHalos : kHalosOf128;
    if (operands.info[0] >= halos || operands.info[1] >= kOffsets) return TensorBoxFault::halo;
  }
  return TensorBoxFault::none;
}

struct TensorBox {
  TensorRows rows;
  TensorType type;
  bool fills_with_nan;
  Swizzle swizzle;
  s64 column;      ///< coordinate of the first element of each row
  u32 elements;    ///< of a row
  u32 begin, end;  ///< the elements of a row that are in the tensor, if the row is

  constexpr u32 row_bytes() const { return bytes_in_shared(type, elements); }
  constexpr u64 shared_bytes() const { return rows.count() * row_bytes(); }
  /// What a load adds to the mbarrier object: filled elements count, padding does not.
  constexpr u64 counted_bytes() const { return rows.count() * bytes_in_global(type, elements); }
  /// The address of an element of a row.
  constexpr u64 address_of(u64 row, u32 element) const {
    return row + static_cast<u64>(column + element) * element_bits(type) / 8;
  }
};

/// Of a map and operands without fault.
constexpr TensorBox tensor_box(const TensorMap& map, const TensorOperands& operands) {
  const s32* const at = operands.coordinates;
  const u32 elements = map.row_elements();
  const auto within = [&](s64 value) {
    return static_cast<u32>(value < 0 ? 0 : value > elements ? elements : value);
  };
  const u32 begin = within(-s64{at[0]}), end = within(static_cast<s64>(map.dims[0]) - at[0]);
  TensorRows rows = is_of_list(operands.mode)      ? TensorRows::of_list(map, at + 1)
                    : map.mode == TensorMode::tile ? TensorRows::of_tile(map, at)
                    : map.mode == TensorMode::im2col
                        ? TensorRows::of_pixels(map, at, operands.info)
                        : TensorRows::of_line(map, at, operands.info[0], operands.info[1]);
  return {rows,     map.type, map.fills_with_nan,       map.swizzle(), at[0],
          elements, begin,    end < begin ? begin : end};
}

}  // namespace heddle::sem
