// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations against values computed by hand (PTX ISA 9.7.13.5).
#include "isa/sem/atom.h"

#include <gtest/gtest.h>

#include "isa/types.h"

namespace heddle::sem {
namespace {

using isa::Type;

template <Atomop kOp, class T>
constexpr u64 atom_apply_as(u64 old, u64 b, u64 c, bool ftz) {
  using Word = AtomWord<sizeof(T)>;
  const auto as_value = [](u64 bits) { return std::bit_cast<T>(static_cast<Word>(bits)); };
  if constexpr (kHasAtomForm<kOp, T>) {
    return std::bit_cast<Word>(atom_apply<kOp>(as_value(old), as_value(b), as_value(c), ftz));
  } else {
    return old;
  }
}

template <Atomop kOp>
constexpr u64 atom_apply(Type type, u64 old, u64 b, u64 c, bool ftz) {
  switch (type) {
    case Type::b16:
      return atom_apply_as<kOp, u16>(old, b, c, ftz);
    case Type::b32:
    case Type::u32:
      return atom_apply_as<kOp, u32>(old, b, c, ftz);
    case Type::b64:
    case Type::u64:
      return atom_apply_as<kOp, u64>(old, b, c, ftz);
    case Type::s32:
      return atom_apply_as<kOp, s32>(old, b, c, ftz);
    case Type::s64:
      return atom_apply_as<kOp, s64>(old, b, c, ftz);
    case Type::f32:
      return atom_apply_as<kOp, f32>(old, b, c, ftz);
    case Type::f64:
      return atom_apply_as<kOp, f64>(old, b, c, ftz);
    case Type::f16:
      return atom_apply_as<kOp, f16>(old, b, c, ftz);
    case Type::f16x2:
      return atom_apply_as<kOp, f16x2>(old, b, c, ftz);
    case Type::bf16:
      return atom_apply_as<kOp, bf16>(old, b, c, ftz);
    case Type::bf16x2:
      return atom_apply_as<kOp, bf16x2>(old, b, c, ftz);
    default:
      return old;
  }
}

/// On the bits of a memory word, for an operation and a type known at run time only. An operation
/// that has no form on the type leaves the old value.
constexpr u64 atom_apply(Atomop op, Type type, u64 old, u64 b, u64 c, bool ftz) {
  switch (op) {
    case Atomop::and_:
      return atom_apply<Atomop::and_>(type, old, b, c, ftz);
    case Atomop::or_:
      return atom_apply<Atomop::or_>(type, old, b, c, ftz);
    case Atomop::xor_:
      return atom_apply<Atomop::xor_>(type, old, b, c, ftz);
    case Atomop::cas:
      return atom_apply<Atomop::cas>(type, old, b, c, ftz);
    case Atomop::exch:
      return atom_apply<Atomop::exch>(type, old, b, c, ftz);
    case Atomop::add:
      return atom_apply<Atomop::add>(type, old, b, c, ftz);
    case Atomop::inc:
      return atom_apply<Atomop::inc>(type, old, b, c, ftz);
    case Atomop::dec:
      return atom_apply<Atomop::dec>(type, old, b, c, ftz);
    case Atomop::min:
      return atom_apply<Atomop::min>(type, old, b, c, ftz);
    case Atomop::max:
      return atom_apply<Atomop::max>(type, old, b, c, ftz);
    default:
      return old;
  }
}

struct AtomCase {
  Atomop op;
  Type type;
  u64 old, b, c, expected;
  bool ftz = false;
};

constexpr AtomCase kCases[] = {
    {Atomop::add, Type::u32, 0xffffffff, 2, 0, 1},
    {Atomop::add, Type::s32, 0x7fffffff, 1, 0, 0x80000000},
    {Atomop::add, Type::u64, ~u64{0}, 1, 0, 0},
    {Atomop::and_, Type::b32, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {Atomop::or_, Type::b64, 0xff00000000000000, 1, 0, 0xff00000000000001},
    {Atomop::xor_, Type::b32, 0xffffffff, 0x0000ffff, 0, 0xffff0000},
    {Atomop::exch, Type::b32, 1, 2, 0, 2},
    {Atomop::exch, Type::b64, 1, 0x8000000000000000, 0, 0x8000000000000000},
    {Atomop::cas, Type::b16, 0x8001, 0x8001, 7, 7},
    {Atomop::cas, Type::b32, 5, 5, 9, 9},
    {Atomop::cas, Type::b32, 5, 6, 9, 5},
    {Atomop::cas, Type::b64, 0x100000005, 5, 9, 0x100000005},
    // inc wraps to 0 at the limit and above it; dec wraps to the limit from 0 and from above it.
    {Atomop::inc, Type::u32, 4, 5, 0, 5},
    {Atomop::inc, Type::u32, 5, 5, 0, 0},
    {Atomop::inc, Type::u32, 6, 5, 0, 0},
    {Atomop::inc, Type::u32, 0xfffffffe, 0xffffffff, 0, 0xffffffff},
    {Atomop::dec, Type::u32, 5, 5, 0, 4},
    {Atomop::dec, Type::u32, 0, 5, 0, 5},
    {Atomop::dec, Type::u32, 6, 5, 0, 5},
    {Atomop::min, Type::s32, 0xffffffff, 1, 0, 0xffffffff},
    {Atomop::min, Type::u32, 0xffffffff, 1, 0, 1},
    {Atomop::max, Type::s64, 0x8000000000000000, 0, 0, 0},
    {Atomop::max, Type::u64, 0x8000000000000000, 0, 0, 0x8000000000000000},
    // f32: 0x00400000 is subnormal. In global memory it is flushed, in shared memory it counts.
    {Atomop::add, Type::f32, 0x3f800000, 0x40000000, 0, 0x40400000},
    {Atomop::add, Type::f32, 0x00400000, 0x00400000, 0, 0x00800000, false},
    {Atomop::add, Type::f32, 0x00400000, 0x00400000, 0, 0, true},
    {Atomop::add, Type::f32, 0x80400000, 0x80000000, 0, 0x80000000, true},
    {Atomop::add, Type::f32, 0x00c00000, 0x80800000, 0, 0x00400000, false},
    {Atomop::add, Type::f32, 0x00c00000, 0x80800000, 0, 0, true},
    {Atomop::add, Type::f32, 0x7f800000, 0xff800000, 0, 0x7fffffff},
    {Atomop::add, Type::f64, 0x3ff0000000000000, 0x3ff0000000000000, 0, 0x4000000000000000},
    {Atomop::add, Type::f64, 1, 1, 0, 2, true},  // f64 is never flushed
    {Atomop::add, Type::f16, 0x3c00, 0x3c00, 0, 0x4000},
    {Atomop::add, Type::f16, 1, 1, 0, 2, true},  // nor is f16
    {Atomop::add, Type::f16, 0x7bff, 0x7bff, 0, 0x7c00},
    {Atomop::add, Type::f16x2, 0x3c000001, 0x3c000001, 0, 0x40000002},
    {Atomop::add, Type::bf16, 0x3f80, 0x3f80, 0, 0x4000},
    {Atomop::add, Type::bf16x2, 0x3f800000, 0x3f80bf80, 0, 0x4000bf80},
    // f16: 1 < 2, -0 < +0, a NaN gives way, two NaNs give the canonical one.
    {Atomop::min, Type::f16, 0x3c00, 0x4000, 0, 0x3c00},
    {Atomop::max, Type::f16, 0xbc00, 0xc000, 0, 0xbc00},
    {Atomop::min, Type::f16, 0x0000, 0x8000, 0, 0x8000},
    {Atomop::max, Type::f16, 0x8000, 0x0000, 0, 0x0000},
    {Atomop::max, Type::f16, 0x7e01, 0xbc00, 0, 0xbc00},
    {Atomop::min, Type::f16, 0xbc00, 0x7e01, 0, 0xbc00},
    {Atomop::min, Type::bf16, 0x7fc1, 0xffc1, 0, 0x7fff},
    {Atomop::max, Type::bf16x2, 0x3f804000, 0x40003f80, 0, 0x40004000},
};

TEST(Atom, Cases) {
  for (const AtomCase& test : kCases) {
    const u64 actual = atom_apply(test.op, test.type, test.old, test.b, test.c, test.ftz);
    EXPECT_EQ(actual, test.expected)
        << "case " << &test - kCases << std::hex << ": " << actual << " for " << test.expected;
  }
}

TEST(Atom, Wide) {
  const b128 old{1, 2}, other{1, 3}, desired{7, 8};
  EXPECT_EQ(atom_apply<Atomop::exch>(old, desired), desired);
  EXPECT_EQ(atom_apply<Atomop::cas>(old, old, desired), desired);
  EXPECT_EQ(atom_apply<Atomop::cas>(old, other, desired), old);
}

}  // namespace
}  // namespace heddle::sem
