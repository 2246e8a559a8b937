// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.mma_async (PTX ISA 9.7.15). Four warps multiply a matrix of 64 rows; each computes its
// sixteen rows by itself, when it issues the instruction. B, and A unless it is in registers, are
// in shared memory, where descriptors say (matrix_descriptor.h).
#pragma once

#include "isa/sem/matrix_memory.h"
#include "isa/sem/mma_sparse.h"
#include "isa/warp_context.h"

namespace heddle::sem {

/// N of a shape: those of floating point are all multiples of 8, those of bits fewer.
constexpr u32 columns_of(isa::WgmmaShape shape) {
  constexpr u32 kShapesOfColumns = 4, kAll = 32, kSmall = 4;
  const u32 index = static_cast<u32>(shape) - 1;
  if (index < kAll * kShapesOfColumns) return (index / kShapesOfColumns + 1) * kTileColumns;
  const u32 of_bits = index - kAll * kShapesOfColumns;
  return of_bits < kSmall ? (of_bits + 1) * kTileColumns : 48 + (of_bits - kSmall) * 16;
}

/// The operands of a form, in its order.
template <bool kARegisters, bool kSparse>
class WgmmaOperands {
 public:
  explicit WgmmaOperands(WarpOperands operands) : all_(operands) {}

  Registers<const u32> a() const { return registers<u32>(0); }
  u64 a_descriptor() const { return registers<u64>(0)[0][0]; }
  u64 b_descriptor() const { return registers<u64>(1)[0][0]; }
  SparseA sparsity(isa::Type type) const {
    if constexpr (!kSparse)
      return {};
    else
      return sparsity_of(type, registers<u32>(2), registers<u32>(3));
  }
  bool accumulates() const { return (registers<u32>(kNext)[0][0] & 1) != 0; }
  /// Whether the products are negated: -1 for one of A and B.
  bool negates() const { return number(kNext + 1) != number(kNext + 2); }
  Major major_of_a() const { return !kARegisters && number(kNext + 3) ? Major::mn : Major::k; }
  Major major_of_b() const { return number(kNext + (kARegisters ? 3 : 4)) ? Major::mn : Major::k; }
  Registers<u32> d() const { return static_cast<Registers<u32>>(all_.operands[all_.count - 1]); }

 private:
  static constexpr u32 kNext = kSparse ? 4 : 2;
  template <class T>
  Registers<const T> registers(u32 index) const {
    return static_cast<Registers<const T>>(all_.operands[index]);
  }
  u32 number(u32 index) const { return registers<u32>(index)[0][0]; }

  WarpOperands all_;
};

/// A matrix in shared memory.
class SharedMatrix {
 public:
  SharedMatrix(isa::WarpContext& context, u64 descriptor, Major major)
      : context_(context),
        layout_(matrix_layout(wgmma_descriptor(descriptor), major)),
        major_(major) {}

  /// See load_vectors(); MN-major matrices have elements of 16 bits.
  template <class Put>
  void load(u32 first, u32 count, u32 words, Put put) const {
    load_vectors(
        {major_, first, count, words, 2},
        [&](u32 row, u32 chunk, u8(&bytes)[kMatrixChunk]) {
          const u32 address = chunk_address(layout_, row, chunk);
          if (address <= context_.shared_bytes && context_.shared_bytes - address >= kMatrixChunk)
            std::memcpy(bytes, context_.shared + address, kMatrixChunk);
          else
            std::memset(bytes, 0, kMatrixChunk),
                context_.fail({.kind = isa::WarpFault::Kind::shared_address, .value = address});
        },
        put);
  }

 private:
  isa::WarpContext& context_;
  MatrixLayout layout_;
  Major major_;
};

/// Sixteen rows of A in shared memory.
inline void load_rows(const SharedMatrix& matrix, u32 first_row, u32 words, const SparseA& sparsity,
                      RowsOfA& to) {
  alignas(64) u32 rows[kMostWords][kVectorLanes] = {};
  to.sparse = sparsity.metadata != nullptr;
  matrix.load(first_row, kVectorLanes, to.sparse ? words / 2 : words,
              [&](u32 row, u32 group, const u32(&four)[kGroup]) {
                for (u32 i = 0; i < kGroup; ++i) rows[group * kGroup + i][row] = four[i];
              });
  std::memcpy(to.words, rows, sizeof rows);
  if (to.sparse) expand_a(sparsity, words, to);
}

/// Eight columns of B in shared memory, as registers of a fragment.
struct SharedColumns {
  alignas(64) u32 words[kMostWords / kGroup][kWarpSize];
  const u32* registers[kMostWords / kGroup];

  void load(const SharedMatrix& matrix, u32 first_column, u32 count) {
    matrix.load(first_column, kTileColumns, count,
                [&](u32 column, u32 group, const u32(&four)[kGroup]) {
                  std::memcpy(words[group] + column * kGroup, four, sizeof four);
                });
    for (u32 group = 0; group < kMostWords / kGroup; ++group) registers[group] = words[group];
  }
};

/// Sixteen rows of A, of `words` words each: those of the warp.
template <bool kARegisters, bool kSparse>
inline void load_rows(const WgmmaOperands<kARegisters, kSparse>& operands,
                      isa::WarpContext& context, const SparseA& sparsity, u32 words, Major major,
                      RowsOfA& to) {
  constexpr u32 kWarpsOfGroup = 4;
  if constexpr (kARegisters) {
    Tile tile{};
    tile.a = operands.a(), tile.words = words, tile.tall = true;
    load_rows(tile, sparsity, to);
  } else {
    const SharedMatrix a(context, operands.a_descriptor(), major);
    load_rows(a, context.warp % kWarpsOfGroup * kVectorLanes, words, sparsity, to);
  }
}

/// Calls f(tile) for each tile of eight columns, up to the first access that is not legal. `words`:
/// of a column; a tile has `each` registers of D.
template <bool kARegisters, bool kSparse, class F>
inline void for_each_tile(const WgmmaOperands<kARegisters, kSparse>& operands,
                          isa::WarpContext& context, WarpLanes who, u32 columns, u32 words,
                          u32 each, Major major_of_b, F f) {
  const SharedMatrix b(context, operands.b_descriptor(), major_of_b);
  const Registers<u32> d = operands.d();
  for (u32 column = 0; column < columns && !context.failed(); column += kTileColumns) {
    SharedColumns of_b;
    of_b.load(b, column, words);
    if (context.failed()) return;
    const Registers<u32> registers = d + column / kTileColumns * each;
    f(Tile{nullptr, of_b.registers, registers, registers, words, true, who.active});
  }
}

template <bool kARegisters, bool kSparse>
inline void wgmma_float(const SumRule& usual, u32 columns, isa::Type a_type, isa::Type b_type,
                        isa::Type d_type, bool transposes, isa::WarpContext& context, WarpLanes who,
                        WarpOperands all) {
  const WgmmaOperands<kARegisters, kSparse> operands(all);
  const SumRule rule = rule_of(usual, kSparse);
  const u32 k = (kSparse ? 64 : 32) / (format_of(a_type).container / 8);
  const MatrixProduct what = product_of(rule, {a_type, b_type, d_type, d_type}, k);
  const bool accumulates = operands.accumulates();
  RowsOfA a;
  DecodedA decoded_a;
  load_rows(operands, context, operands.sparsity(a_type), what.words,
            transposes ? operands.major_of_a() : Major::k, a);
  if (operands.negates()) negate(sign_bits(what.a), what.words, a);
  const Rows rows = decode_a(what.a, rule.ieee, a, what.words, decoded_a);
  for_each_tile(operands, context, who, columns, what.words, what.result.half ? 2 : 4,
                transposes ? operands.major_of_b() : Major::k, [&](const Tile& tile) {
                  DecodedB decoded_b;
                  decode_b(what.b, rule.ieee, tile.b, what.words, decoded_b);
                  multiply_tile(
                      what, rows, decoded_b, tile, accumulates,
                      [&](const MatrixProduct& product, const Rows& of_a, const Columns& of_b,
                          ColumnSums& sums) { multiply_columns(rule, product, of_a, of_b, sums); });
                });
}

template <bool kARegisters, bool kSparse>
inline void wgmma_f16(isa::WgmmaShape shape, isa::Type d_type, isa::WarpContext& context,
                      WarpLanes who, WarpOperands operands) {
  wgmma_float<kARegisters, kSparse>(context.core.wgmma_f16, columns_of(shape), isa::Type::f16,
                                    isa::Type::f16, d_type, true, context, who, operands);
}
/// bf16 and tf32; only matrices of 16-bit elements may be transposed.
template <isa::Type kType, bool kARegisters, bool kSparse>
inline void wgmma_f32(isa::WgmmaShape shape, isa::WarpContext& context, WarpLanes who,
                      WarpOperands operands) {
  constexpr bool kWide = kType == isa::Type::tf32;
  const SumRule& rule = kWide ? context.core.wgmma_tf32 : context.core.wgmma_f16;
  wgmma_float<kARegisters, kSparse>(rule, columns_of(shape), kType, kType, isa::Type::f32, !kWide,
                                    context, who, operands);
}
template <bool kARegisters, bool kSparse>
inline void wgmma_narrow(isa::WgmmaShape shape, isa::Type d_type, isa::Type a_type,
                         isa::Type b_type, isa::WarpContext& context, WarpLanes who,
                         WarpOperands operands) {
  wgmma_float<kARegisters, kSparse>(context.core.wgmma_narrow, columns_of(shape), a_type, b_type,
                                    d_type, false, context, who, operands);
}

template <bool kARegisters, bool kSparse>
inline void wgmma_integer(isa::WgmmaShape shape, isa::Type a_type, isa::Type b_type, Flag satfinite,
                          isa::WarpContext& context, WarpLanes who, WarpOperands all) {
  const WgmmaOperands<kARegisters, kSparse> operands(all);
  const bool accumulates = operands.accumulates();
  const u32 words = kSparse ? 16 : 8;
  RowsOfA a;
  IntegerRows rows;
  load_rows(operands, context, operands.sparsity(a_type), words, Major::k, a);
  decode_rows(a_type, a, words, rows);
  for_each_tile(operands, context, who, columns_of(shape), words, 4, Major::k,
                [&](const Tile& tile) {
                  IntegerColumns columns;
                  decode_columns(b_type, tile.b, words, columns);
                  multiply_tile(a_type, rows, columns, tile, accumulates, satfinite == Flag::on);
                });
}

template <bool kARegisters>
inline void wgmma_bits(isa::WgmmaShape shape, isa::WarpContext& context, WarpLanes who,
                       WarpOperands all) {
  const WgmmaOperands<kARegisters, false> operands(all);
  const bool accumulates = operands.accumulates();
  constexpr u32 kWords = 8;
  RowsOfA a;
  load_rows(operands, context, {}, kWords, Major::k, a);
  for_each_tile(
      operands, context, who, columns_of(shape), kWords, 4, Major::k,
      [&](const Tile& tile) { multiply_bits(isa::Boolop::and_, a.words, tile, accumulates); });
}

}  // namespace heddle::sem
