// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types and sizes of a tcgen05.mma (PTX ISA 9.7.16.2.1, 9.7.16.4.2).
#pragma once

#include <string_view>

#include "isa/form.h"
#include "isa/tensor_product.h"

namespace heddle::sem {

/// What an instruction descriptor says (9.7.16.4.2).
struct ProductShape {
  isa::Type a, b, d;
  u32 m, n, k;  ///< of all CTAs; k with the zeros of a sparse A
  bool negates, transposes_a, transposes_b, saturates;
  u32 selector;          ///< of sparse metadata
  u32 scale_a, scale_b;  ///< bytes: where the scale factors begin in a word
  isa::Type scale;
};

constexpr isa::Type narrow_type(u32 code) {
  constexpr isa::Type kTypes[] = {isa::Type::e4m3, isa::Type::e5m2, isa::Type::e4m3,
                                  isa::Type::e2m3, isa::Type::e3m2, isa::Type::e2m1,
                                  isa::Type::e2m1, isa::Type::e2m1};
  return kTypes[code & 7];
}
constexpr bool is_fp4(isa::Tcgen05Kind kind) {
  return kind == isa::Tcgen05Kind::kind_mxf4 || kind == isa::Tcgen05Kind::kind_mxf4nvf4;
}
constexpr bool is_scaled(isa::Tcgen05Kind kind) {
  return kind == isa::Tcgen05Kind::kind_mxf8f6f4 || is_fp4(kind);
}

constexpr ProductShape product_shape(isa::Tcgen05Kind kind, bool sparse, u32 bits) {
  const auto field = [bits](u32 at, u32 size) { return bits >> at & ((1u << size) - 1); };
  ProductShape shape{};
  const u32 code_a = field(7, 3), code_b = field(10, 3), code_d = field(4, 2);
  shape.d = code_d == 0 ? isa::Type::f16 : isa::Type::f32;
  switch (kind) {
    case isa::Tcgen05Kind::kind_f16:
      shape.a = code_a ? isa::Type::bf16 : isa::Type::f16;
      shape.b = code_b ? isa::Type::bf16 : isa::Type::f16;
      shape.k = 16;
      break;
    case isa::Tcgen05Kind::kind_tf32:
      shape.a = shape.b = isa::Type::tf32;
      shape.k = 8;
      break;
    case isa::Tcgen05Kind::kind_i8:
      shape.a = code_a ? isa::Type::s8 : isa::Type::u8;
      shape.b = code_b ? isa::Type::s8 : isa::Type::u8;
      shape.d = isa::Type::s32;
      shape.k = 32;
      break;
    default:
      shape.a = is_fp4(kind) ? isa::Type::e2m1 : narrow_type(code_a);
      shape.b = is_fp4(kind) ? isa::Type::e2m1 : narrow_type(code_b);
      shape.k = is_fp4(kind) ? 64 : 32;
  }
  if (is_scaled(kind)) {
    shape.d = isa::Type::f32;
    shape.m = field(27, 2) * 128;
    shape.scale_a = field(29, 2), shape.scale_b = field(4, 2);
    shape.scale = field(23, 1) ? isa::Type::ue8m0 : isa::Type::ue4m3;
    if (is_fp4(kind) && field(31, 1) && !sparse) shape.k = 96;
  } else {
    shape.m = field(24, 5) * 16;
    shape.selector = field(0, 2);
    shape.saturates = field(3, 1) != 0;
  }
  if (sparse) shape.k *= 2;
  shape.n = field(17, 6) * 8;
  shape.negates = kind != isa::Tcgen05Kind::kind_i8 && field(13, 1) != field(14, 1);
  shape.transposes_a = field(15, 1) != 0, shape.transposes_b = field(16, 1) != 0;
  return shape;
}

/// Sizes that are legal, in words and as a predicate.
struct LegalSizes {
  std::string_view words;
  bool (*contain)(u32);
};

/// M of all CTAs (table 39).
inline LegalSizes legal_m(const isa::TensorProduct& product) {
  if (product.ctas == 2) {
    if (is_scaled(product.kind) && product.sparse) return {"256", [](u32 m) { return m == 256; }};
    return {"128 or 256", [](u32 m) { return m == 128 || m == 256; }};
  }
  if (is_scaled(product.kind)) return {"128", [](u32 m) { return m == 128; }};
  if (product.weight_stationary)
    return {"32, 64 or 128", [](u32 m) { return m == 32 || m == 64 || m == 128; }};
  return {"64 or 128", [](u32 m) { return m == 64 || m == 128; }};
}

template <u32 kStep>
bool is_step(u32 n) {
  return n != 0 && n % kStep == 0 && n <= isa::kMostProductColumns;
}
/// N of all CTAs (tables 39 and 52).
inline LegalSizes legal_n(const isa::TensorProduct& product) {
  const ProductShape shape = product_shape(product.kind, product.sparse, product.descriptor);
  const bool integers = product.kind == isa::Tcgen05Kind::kind_i8;
  const bool transposes_bytes = shape.transposes_b && isa::type_info(shape.b).bits == 8;
  if (product.weight_stationary) {
    if (product.sparse) return {"64 or 128", [](u32 n) { return n == 64 || n == 128; }};
    return {"64, 128 or 256", [](u32 n) { return n == 64 || n == 128 || n == 256; }};
  }
  if (product.ctas == 2) {
    if (integers || transposes_bytes) return {"a multiple of 32 up to 256", is_step<32>};
    return {"a multiple of 16 up to 256", is_step<16>};
  }
  if (transposes_bytes) return {"a multiple of 16 up to 256", is_step<16>};
  if (integers)
    return {"8, 24 or a multiple of 16 up to 256",
            [](u32 n) { return n == 8 || n == 24 || is_step<16>(n); }};
  return {"a multiple of 8 up to 256", is_step<8>};
}

}  // namespace heddle::sem
