// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tcgen05.mma (PTX ISA 9.7.16.10): a product whose D is in tensor memory. One thread issues it, and
// it is computed at once, for one CTA or a pair. Rows of D are in tensor memory as the layouts of
// 9.7.16.10.5 say, each element in a word of its own.
#pragma once

#include <memory>

#include "isa/sem/matrix_memory.h"
#include "isa/sem/mma_sparse.h"
#include "isa/sem/tensor_memory.h"
#include "isa/sem/tensor_product_shape.h"
#include "isa/tensor_product.h"

namespace heddle::sem {

using isa::ProductFault;
using isa::TensorProduct;

/// Where rows and columns of D are (9.7.16.10.5). Sixteen rows from a multiple of sixteen on are in
/// successive lanes.
struct TensorLayout {
  u32 rows;        ///< of D in each CTA
  u32 parts;       ///< of N, which lie below each other
  u32 part_lanes;  ///< from a part to the next
  bool spread;     ///< sixteen rows take 32 lanes
};
constexpr TensorLayout tensor_layout(u32 m, u32 ctas, bool sparse, bool weight_stationary) {
  const u32 rows = m / ctas;
  if (weight_stationary && rows < 128) return {rows, 128 / rows, rows, false};  // E, G
  if (ctas == 2 && rows == 64 && !sparse) return {rows, 2, 64, false};          // B
  return {rows, 1, 0, rows == 64};                                              // A, D; F, C
}
constexpr u32 lane_of(const TensorLayout& layout, u32 row) {
  return layout.spread ? row / 16 * 32 + row % 16 : row;
}

/// Reads the operands of a product and computes it.
class TensorMultiplication {
 public:
  TensorMultiplication(const TensorProduct& product, const isa::TensorCore& core)
      : p_(product),
        core_(core),
        shape_(product_shape(product.kind, product.sparse, product.descriptor)),
        layout_(tensor_layout(shape_.m, product.ctas, product.sparse, product.weight_stationary)),
        rule_(rule_of(rule_of_kind(), product.sparse)) {}

  ProductFault run() {
    if (!legal_m(p_).contain(shape_.m)) return {ProductFault::Kind::m, shape_.m};
    if (!legal_n(p_).contain(shape_.n)) return {ProductFault::Kind::n, shape_.n};
    words_ = shape_.k / elements_in_word(shape_.a, p_.kind);
    for (u32 cta = 0; cta < p_.ctas && fault_.kind == ProductFault::Kind::none; ++cta) {
      multiply(cta);
    }
    return fault_;
  }

 private:
  static constexpr u32 elements_in_word(isa::Type type, isa::Tcgen05Kind kind) {
    if (is_fp4(kind)) return 8;
    return kind == isa::Tcgen05Kind::kind_i8 ? 4 : sem::elements_in_word(format_of(type));
  }
  bool failed() const { return fault_.kind != ProductFault::Kind::none; }
  void fail(ProductFault::Kind kind, u32 address) {
    if (!failed()) fault_ = {kind, address};
  }

  // --- tensor memory ---

  /// Sixteen lanes of a column, or null.
  u32* lanes(u32 cta, u32 lane, u32 column) {
    const u32 unit = column / isa::kTensorUnit;
    if (column >= isa::kTensorColumns || lane + kVectorLanes > isa::kTensorLanes ||
        (p_.allocated[cta] >> unit & 1) == 0) {
      fail(ProductFault::Kind::tensor, lane << 16 | column);
      return nullptr;
    }
    return p_.tensor[cta] + column * isa::kTensorLanes + lane;
  }
  u32 word(u32 cta, u32 lane, u32 column) {
    const u32* const all = lanes(cta, lane / kVectorLanes * kVectorLanes, column);
    return all ? all[lane % kVectorLanes] : 0;
  }

  // --- shared memory ---

  /// A chunk of sixteen bytes; small elements get a byte each.
  void load_chunk(u32 cta, const MatrixLayout& matrix, isa::Type type, u32 row, u32 chunk,
                  u8 (&to)[kMatrixChunk]) {
    u8 bytes[kMatrixChunk] = {};
    const u32 address = chunk_address(matrix, row, chunk);
    if (address > p_.shared_bytes || p_.shared_bytes - address < kMatrixChunk)
      fail(ProductFault::Kind::shared, address);
    else
      std::memcpy(bytes, p_.shared[cta] + address, kMatrixChunk);
    const isa::TmemSource source = is_fp4(p_.kind)           ? isa::TmemSource::none
                                   : type == isa::Type::e2m1 ? isa::TmemSource::b4x16_p64
                                   : type == isa::Type::e2m3 || type == isa::Type::e3m2
                                       ? isa::TmemSource::b6x16_p32
                                       : isa::TmemSource::none;
    for (u32 i = 0; i < kMatrixChunk; ++i) to[i] = tensor_copy_byte(source, bytes, i);
  }
  /// See load_vectors().
  template <class Put>
  void load_vectors(u32 cta, u64 descriptor, bool transposed, isa::Type type, u32 first, u32 count,
                    u32 words, Put put) {
    const Major major = transposed ? Major::mn : Major::k;
    const MatrixLayout matrix = matrix_layout(tcgen05_descriptor(descriptor), major);
    sem::load_vectors(
        {major, first, count, words, 4 / elements_in_word(type, p_.kind)},
        [&](u32 row, u32 chunk, u8(&bytes)[kMatrixChunk]) {
          load_chunk(cta, matrix, type, row, chunk, bytes);
        },
        put);
  }

  // --- operands ---

  /// The metadata of a chunk of a row of A in tensor memory.
  u32 metadata(u32 cta, u32 row, u32 chunk) {
    const u32 column = (p_.metadata & 0xffff), lane = p_.metadata >> 16;
    if (sparse_unit(shape_.a) == 16) {
      const u32 at = lane + lane_of(layout_, row / 16 * 16) + row % 8 + 8 * (chunk / 4);
      return word(cta, at, column + shape_.selector) >> (chunk % 4 * 4 + 16 * (row / 8 % 2)) & 15;
    }
    return word(cta, lane + lane_of(layout_, row), column + chunk / 8) >> (chunk % 8 * 4) & 15;
  }

  void load_a(u32 cta, u32 first_row, RowsOfA& to) {
    alignas(64) u32 rows[kMostWords][kVectorLanes] = {};
    const u32 stored = p_.sparse ? words_ / 2 : words_;
    if (p_.a_in_tensor) {
      const u32 lane = (p_.a >> 16) & 0xffff, column = p_.a & 0xffff;
      for (u32 i = 0; i < stored; ++i) {
        for (u32 row = 0; row < kVectorLanes; ++row) {
          const u32 from = first_row + row;
          const u32 shifted = p_.shifts_a && from > 0 ? from - 1 : from;
          rows[i][row] = word(cta, lane + lane_of(layout_, shifted), static_cast<u32>(column + i));
        }
      }
    } else {
      load_vectors(cta, p_.a, shape_.transposes_a, shape_.a, first_row, kVectorLanes, stored,
                   [&](u32 row, u32 group, const u32(&four)[kGroup]) {
                     for (u32 i = 0; i < kGroup; ++i) rows[group * kGroup + i][row] = four[i];
                   });
    }
    std::memcpy(to.words, rows, sizeof to.words);
    to.sparse = p_.sparse;
    if (p_.sparse) {
      expand_a(sparse_unit(shape_.a), words_, to,
               [&](u32 row, u32 chunk) { return metadata(cta, first_row + row, chunk); });
    }
    if (shape_.negates)
      negate(is_fp4(p_.kind) ? 0x88888888u : sign_bits(format_of(shape_.a)), words_, to);
  }
  /// Eight columns of B as words of a fragment.
  void load_b(u32 first_column, u32 (&to)[kMostWords / kGroup][kWarpSize]) {
    const u32 each = shape_.n / p_.ctas;
    const auto is_zero = [&](u32 i) { return p_.zero_columns.test(first_column + i); };
    for (u32 i = 0; i < kTileColumns;) {
      if (is_zero(i)) {
        for (auto& group : to) std::fill_n(group + i * kGroup, kGroup, 0);
        ++i;
        continue;
      }
      const u32 column = first_column + i + p_.column_shift;
      const u32 cta = std::min(column / each, p_.ctas - 1), in_cta = column - cta * each;
      // Those that follow in the same CTA.
      u32 count = 1;
      while (i + count < kTileColumns && !is_zero(i + count) &&
             (cta + 1 == p_.ctas || in_cta + count < each))
        ++count;
      load_vectors(cta, p_.b, shape_.transposes_b, shape_.b, in_cta, count, words_,
                   [&](u32 one, u32 group, const u32(&four)[kGroup]) {
                     std::memcpy(to[group] + (i + one) * kGroup, four, sizeof four);
                   });
      i += count;
    }
  }

  u32 scale_byte(u32 cta, u32 address, u32 first_byte, u32 index, u32 part, u32 groups, u32 q) {
    const u32 byte = first_byte + q;
    const u32 column = (address & 0xffff) + index / 32 + byte / 4 * groups;
    return word(cta, part * 64 + index % 32, column) >> (byte % 4 * 8) & 0xff;
  }

  // --- the product ---

  u32 lane_of_d(u32 row, u32 column) const {
    const u32 part = column / (shape_.n / layout_.parts);
    return (p_.d >> 16) + lane_of(layout_, row) + part * layout_.part_lanes;
  }

  /// Sixteen rows of A, and eight columns of B, decoded for the class of their elements.
  union DecodedRows {
    IntegerRows exact;  ///< integers and e2m1
    DecodedA floats;
  };
  union DecodedColumns {
    IntegerColumns exact;
    DecodedB floats;
  };
  bool is_exact() const { return p_.kind == isa::Tcgen05Kind::kind_i8 || is_fp4(p_.kind); }
  isa::Type exact_type(isa::Type type) const { return is_fp4(p_.kind) ? isa::Type::e2m1 : type; }

  void load_rows(u32 cta, u32 first_row, DecodedRows& to) {
    RowsOfA a;
    load_a(cta, first_row, a);
    if (is_exact())
      decode_rows(exact_type(shape_.a), a, words_, to.exact);
    else
      decode_a(format_of(shape_.a), rule_.ieee, a, words_, to.floats);
  }
  void load_columns(u32 first_column, DecodedColumns& to) {
    alignas(64) u32 of_b[kMostWords / kGroup][kWarpSize];
    load_b(first_column, of_b);
    const u32* registers[kMostWords / kGroup];
    for (u32 i = 0; i < std::size(registers); ++i) registers[i] = of_b[i];
    if (is_exact())
      decode_columns(exact_type(shape_.b), registers, words_, to.exact);
    else
      decode_b(format_of(shape_.b), rule_.ieee, registers, words_, to.floats);
  }

  /// The rows of D that a CTA has.
  void multiply(u32 cta) {
    const u32 blocks = layout_.rows / kVectorLanes;
    const auto rows = std::make_unique_for_overwrite<DecodedRows[]>(blocks);
    for (u32 i = 0; i < blocks; ++i) load_rows(cta, i * kVectorLanes, rows[i]);
    for (u32 column = 0; column < shape_.n && !failed(); column += kTileColumns) {
      DecodedColumns columns;
      load_columns(column, columns);
      for (u32 i = 0; i < blocks && !failed(); ++i)
        multiply_tile(cta, i * kVectorLanes, column, rows[i], columns);
    }
  }
  void multiply_tile(u32 cta, u32 first_row, u32 column, const DecodedRows& rows,
                     const DecodedColumns& columns) {
    u32x16 sums[kTileColumns] = {};
    u32* places[kTileColumns];
    for (u32 i = 0; i < kTileColumns && !failed(); ++i) {
      const u32 in = (column + i) % (shape_.n / layout_.parts);
      places[i] = lanes(cta, lane_of_d(first_row, column + i), (p_.d & 0xffff) + in);
      if (places[i] && p_.accumulates) sums[i] = load<u32x16>(places[i]);
    }
    if (failed()) return;
    multiply_columns(cta, first_row, column, rows, columns, sums);
    if (failed()) return;
    for (u32 i = 0; i < kTileColumns; ++i)
      store_rows(cta, first_row, column + i, places[i], sums[i]);
  }

  const SumRule& rule_of_kind() const {
    switch (p_.kind) {
      case isa::Tcgen05Kind::kind_tf32:
        return core_.tcgen05_tf32;
      case isa::Tcgen05Kind::kind_f8f6f4:
        return core_.tcgen05_narrow;
      case isa::Tcgen05Kind::kind_mxf8f6f4:
        return core_.scaled_narrow;
      case isa::Tcgen05Kind::kind_mxf4:
      case isa::Tcgen05Kind::kind_mxf4nvf4:
        return core_.scaled_fp4;
      default:
        return core_.tcgen05_f16;
    }
  }

  void multiply_columns(u32 cta, u32 first_row, u32 column, const DecodedRows& a,
                        const DecodedColumns& b, u32x16 (&sums)[kTileColumns]) {
    if (p_.kind == isa::Tcgen05Kind::kind_i8)
      return multiply_integer_columns(shape_.a, a.exact, b.exact, words_, shape_.saturates, sums);
    if (is_fp4(p_.kind)) return multiply_fp4(cta, first_row, column, a.exact, b.exact, sums);
    const MatrixProduct what =
        product_of(rule_, {shape_.a, shape_.b, shape_.d, shape_.d}, shape_.k);
    const Rows rows = rows_of(a.floats);
    const Columns columns = columns_of(b.floats);
    ColumnSums values;
    for (u32 i = 0; i < kTileColumns; ++i) {
      values[i] = what.half_c ? half_values(sums[i], 0) : as<f32x16>(sums[i]);
      if (p_.scale_d != 0) values[i] *= scale_of_d();
    }
    if (is_scaled(p_.kind)) {
      const TileScales scales = {
          decode_scales(kVectorLanes, [&](u32 i) { return scale_of_row(cta, first_row + i, 0); }),
          decode_scales(kTileColumns, [&](u32 i) { return scale_of_column(cta, column + i, 0); })};
      sem::multiply_scaled_columns(rule_, what, rows, columns, scales, values);
    } else {
      sem::multiply_columns(rule_, what, rows, columns, values);
    }
    for (u32 i = 0; i < kTileColumns; ++i)
      sums[i] = what.result.half ? half_bits(values[i]) : as<u32x16>(values[i]);
  }
  float scale_of_d() const { return std::bit_cast<float>((127 - p_.scale_d) << 23); }

  isa::Type scale_type() const { return is_fp4(p_.kind) ? shape_.scale : isa::Type::ue8m0; }
  Scale scale_of_row(u32 cta, u32 row, u32 q) {
    constexpr u32 kGroups = 4;  // of 32 rows
    return decode_scale(scale_type(),
                        scale_byte(cta, p_.scale_a, shape_.scale_a, row, 0, kGroups, q));
  }
  Scale scale_of_column(u32 cta, u32 column, u32 q) {
    // The upper half of N is in other lanes where D is.
    const u32 each = shape_.n / layout_.parts;
    const u32 part = layout_.parts == 2 ? column / each : 0;
    const u32 groups = (each + 31) / 32;
    return decode_scale(scale_type(), scale_byte(cta, p_.scale_b, shape_.scale_b,
                                                 column - part * each, part, groups, q));
  }

  void multiply_fp4(u32 cta, u32 first_row, u32 column, const IntegerRows& rows,
                    const IntegerColumns& columns, u32x16 (&sums)[kTileColumns]) {
    const u32 count = shape_.k / kFp4InSum;
    const u32 of_scale = p_.scale_block / kFp4InSum * (p_.sparse ? 2 : 1);  // sums
    const RowScalesOfSums scales = row_scales_of_sums(count, [&](u32 row, u32 sum) {
      return scale_of_row(cta, first_row + row, sum / of_scale);
    });
    multiply_fp4_columns(
        rule_, count, rows, columns, scales,
        [&](u32 i, u32 sum) { return scale_of_column(cta, column + i, sum / of_scale); }, sums);
  }

  void store_rows(u32 cta, u32 first_row, u32 column, u32* to, u32x16 values) {
    const u32 lane = lane_of_d(first_row, column);
    const u32 disabled = p_.disabled[cta * 4 + lane / 32] >> (lane % 32) & 0xffff;
    for (u32 row = 0; row < kVectorLanes; ++row) {
      if ((disabled >> row & 1) == 0) to[row] = values[row];
    }
  }

  const TensorProduct& p_;
  const isa::TensorCore& core_;
  ProductShape shape_;
  TensorLayout layout_;
  SumRule rule_;
  u32 words_ = 0;
  ProductFault fault_;
};

}  // namespace heddle::sem
