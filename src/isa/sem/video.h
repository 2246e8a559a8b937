// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Video instructions (PTX ISA 9.7.18). Parts of registers become exact signed numbers, so that
// mixed signs need no special cases; the result is truncated to 32 bits only where the manual says
// so. Where the manual leaves the result open, Heddle does the same as today's GPUs: before a
// second operation, a result that is not clamped is truncated to 32 bits and has the signedness of
// the destination.
#pragma once

#include "isa/groups.h"
#include "isa/sem/int_mul.h"
#include "isa/sem/types.h"

namespace heddle::sem {

using isa::Type;

/// A part of a register: .b0 to .b3, .h0, .h1, or the whole register.
struct Part {
  u32 first, bits;
};

/// The groups dsel, asel and bsel have the same words.
template <class Selector>
constexpr Part part_of(Selector selector) {
  const u32 word = static_cast<u32>(selector);
  if (word == 0) return {0, 32};
  return word <= 4 ? Part{8 * (word - 1), 8} : Part{16 * (word - 5), 16};
}
static_assert(part_of(Asel::b3).first == 24 && part_of(Bsel::h1).first == 16 &&
              part_of(Dsel::h0).bits == 16);

constexpr s64 extract(u32 value, Part part, bool is_signed) {
  const u32 at_top = value << (32 - part.bits - part.first);
  return is_signed ? s64{static_cast<s32>(at_top) >> (32 - part.bits)}
                   : s64{at_top >> (32 - part.bits)};
}

constexpr u32 merge(u32 value, Part part, u32 into) {
  const u32 mask = (0xffffffff >> (32 - part.bits)) << part.first;
  return (into & ~mask) | ((value << part.first) & mask);
}

/// The nearest number of `bits` bits.
template <class V>
constexpr V clamp_to(V value, u32 bits, bool is_signed) {
  const V least = is_signed ? -(V{1} << (bits - 1)) : 0;
  const V most = (V{1} << (is_signed ? bits - 1 : bits)) - 1;
  return value < least ? least : value > most ? most : value;
}

// --- the first stage: one function for scalars and elements ---

constexpr s64 video_add(s64 a, s64 b) { return a + b; }
constexpr s64 video_sub(s64 a, s64 b) { return a - b; }
constexpr s64 video_absdiff(s64 a, s64 b) { return a < b ? b - a : a - b; }
constexpr s64 video_min(s64 a, s64 b) { return a < b ? a : b; }
constexpr s64 video_max(s64 a, s64 b) { return a < b ? b : a; }
/// Rounds halves away from zero.
constexpr s64 video_average(s64 a, s64 b) { return (a + b + (a + b >= 0)) >> 1; }

/// Bits that are shifted out of the 34 bits of the intermediate result are lost before the result
/// is clamped.
constexpr s64 video_shl(Wrapmode mode, s64 a, s64 b) {
  const s64 amount = mode == Wrapmode::wrap ? b & 31 : video_min(b, 32);
  return static_cast<s64>(static_cast<u64>(a) << amount << 30) >> 30;
}
constexpr s64 video_shr(Wrapmode mode, s64 a, s64 b) {
  return a >> (mode == Wrapmode::wrap ? b & 31 : video_min(b, 32));
}

constexpr s64 video_compare(Cmp cmp, s64 a, s64 b) {
  const bool less = cmp == Cmp::lt || cmp == Cmp::le || cmp == Cmp::ne;
  const bool equal = cmp == Cmp::eq || cmp == Cmp::le || cmp == Cmp::ge;
  const bool greater = cmp == Cmp::gt || cmp == Cmp::ge || cmp == Cmp::ne;
  return a < b ? less : a == b ? equal : greater;
}

// --- the last stages of a scalar instruction ---

/// The result of an instruction without a third operand.
template <class T>
constexpr u32 video_result(s64 result, Flag sat, Part part = {0, 32}) {
  return static_cast<u32>(sat == Flag::on ? clamp_to(result, part.bits, std::is_signed_v<T>)
                                          : result);
}
template <class T>
constexpr u32 video_into(Dsel dsel, s64 result, Flag sat, u32 c) {
  const Part part = part_of(dsel);
  return merge(video_result<T>(result, sat, part), part, c);
}
template <class T>
constexpr u32 video_with(Secop secop, s64 result, Flag sat, u32 c) {
  const u32 first = video_result<T>(result, sat);
  if (secop == Secop::add) return first + c;
  return (static_cast<T>(first) < static_cast<T>(c)) == (secop == Secop::min) ? first : c;
}

// --- scalar instructions; T: the destination's type, A and B: the sources' ---

template <class Selector>
constexpr s64 video_source(Type type, Selector selector, u32 value) {
  return extract(value, part_of(selector), type == Type::s32);
}

template <auto op, class T>
constexpr u32 video(Type A, Type B, Flag sat, Asel asel, Bsel bsel, u32 a, u32 b) {
  return video_result<T>(op(video_source(A, asel, a), video_source(B, bsel, b)), sat);
}
template <auto op, class T>
constexpr u32 video_merge(Type A, Type B, Flag sat, Dsel dsel, Asel asel, Bsel bsel, u32 a, u32 b,
                          u32 c) {
  return video_into<T>(dsel, op(video_source(A, asel, a), video_source(B, bsel, b)), sat, c);
}
template <auto op, class T>
constexpr u32 video_then(Type A, Type B, Flag sat, Secop secop, Asel asel, Bsel bsel, u32 a, u32 b,
                         u32 c) {
  return video_with<T>(secop, op(video_source(A, asel, a), video_source(B, bsel, b)), sat, c);
}

template <auto op, class T>
constexpr u32 video_shift(Type A, Flag sat, Wrapmode mode, Asel asel, Bsel bsel, u32 a, u32 b) {
  return video_result<T>(op(mode, video_source(A, asel, a), video_source(Type::u32, bsel, b)), sat);
}
template <auto op, class T>
constexpr u32 video_shift_merge(Type A, Flag sat, Wrapmode mode, Dsel dsel, Asel asel, Bsel bsel,
                                u32 a, u32 b, u32 c) {
  return video_into<T>(dsel, op(mode, video_source(A, asel, a), video_source(Type::u32, bsel, b)),
                       sat, c);
}
template <auto op, class T>
constexpr u32 video_shift_then(Type A, Flag sat, Wrapmode mode, Secop secop, Asel asel, Bsel bsel,
                               u32 a, u32 b, u32 c) {
  return video_with<T>(secop, op(mode, video_source(A, asel, a), video_source(Type::u32, bsel, b)),
                       sat, c);
}

constexpr u32 vset(Type A, Type B, Cmp cmp, Asel asel, Bsel bsel, u32 a, u32 b) {
  return static_cast<u32>(video_compare(cmp, video_source(A, asel, a), video_source(B, bsel, b)));
}
constexpr u32 vset_merge(Type A, Type B, Cmp cmp, Dsel dsel, Asel asel, Bsel bsel, u32 a, u32 b,
                         u32 c) {
  return merge(vset(A, B, cmp, asel, bsel, a, b), part_of(dsel), c);
}
constexpr u32 vset_then(Type A, Type B, Cmp cmp, Secop secop, Asel asel, Bsel bsel, u32 a, u32 b,
                        u32 c) {
  return video_with<u32>(secop, vset(A, B, cmp, asel, bsel, a, b), Flag::off, c);
}

/// a * b + c. The negation of a number is its complement plus one, so a negated c counts as signed,
/// whatever its type.
template <bool minus_a, bool minus_b, bool minus_c, bool plus_one>
constexpr u32 vmad(Type A, Type B, Flag sat, Vmadscale scale, Asel asel, Bsel bsel, u32 a, u32 b,
                   u32 c) {
  constexpr bool minus_product = minus_a != minus_b;
  const bool is_signed = A == Type::s32 || B == Type::s32 || minus_product || minus_c;
  const s128 product = s128{video_source(A, asel, a)} * video_source(B, bsel, b);
  const s64 addend = extract(minus_c ? ~c : c, {0, 32}, is_signed);
  const s128 sum =
      (minus_product ? ~product : product) + addend + (minus_product || minus_c || plus_one);
  const s128 result = sum >> (scale == Vmadscale::shr7 ? 7 : scale == Vmadscale::shr15 ? 15 : 0);
  return static_cast<u32>(sat == Flag::on ? clamp_to(result, 32, is_signed) : result);
}

// --- SIMD instructions: elements of kBits bits ---

/// The element of the pair (a, b) that digit `index` of `lanes` names.
template <u32 kBits>
constexpr s64 video_element(Type type, u32 lanes, u32 index, u32 a, u32 b) {
  const u32 bit = (lanes >> (4 * index) & 15) * kBits;
  return extract(bit < 32 ? a : b, {bit % 32, kBits}, type == Type::s32);
}

template <u32 kBits>
using MaskOf = std::conditional_t<kBits == 16, Vmask2, Vmask4>;
static_assert(static_cast<int>(Vmask2::h10) == 0b11 && static_cast<int>(Vmask4::b20) == 0b101 &&
              static_cast<int>(Vmask4::b3210) == 0b1111);

/// The elements' results replace the elements of c that the mask names, or are added to c.
template <u32 kBits, bool adds, class Compute>
constexpr u32 video_elements(MaskOf<kBits> mask, u32 c, Compute compute) {
  const u32 wanted = mask == MaskOf<kBits>::none ? 15 : static_cast<u32>(mask);
  u32 result = c;
  for (u32 i = 0; i < 32 / kBits; ++i) {
    if (!(wanted >> i & 1)) continue;
    const u32 element = static_cast<u32>(compute(i));
    result = adds ? result + element : merge(element, {i * kBits, kBits}, result);
  }
  return result;
}

template <u32 kBits, auto op, class T, bool adds>
constexpr u32 video_simd(Type A, Type B, Flag sat, MaskOf<kBits> mask, u32 a, u32 a_lanes, u32 b,
                         u32 b_lanes, u32 c) {
  return video_elements<kBits, adds>(mask, c, [&](u32 i) {
    const s64 result =
        op(video_element<kBits>(A, a_lanes, i, a, b), video_element<kBits>(B, b_lanes, i, a, b));
    return video_result<T>(result, sat, {0, kBits});
  });
}
template <u32 kBits, bool adds>
constexpr u32 vset_simd(Type A, Type B, Cmp cmp, MaskOf<kBits> mask, u32 a, u32 a_lanes, u32 b,
                        u32 b_lanes, u32 c) {
  return video_elements<kBits, adds>(mask, c, [&](u32 i) {
    return video_compare(cmp, video_element<kBits>(A, a_lanes, i, a, b),
                         video_element<kBits>(B, b_lanes, i, a, b));
  });
}

}  // namespace heddle::sem
