// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant expressions, with the typing rules of PTX ISA 4.5.5 and 4.5.6 (table 5): integers are
// .s64 or .u64, reals .f64.
#pragma once

#include <optional>

#include "diag/report.h"
#include "isa/types.h"
#include "syntax/tree.h"

namespace heddle::check {

struct Constant {
  enum class Kind : u8 { s64, u64, f64, f32 } kind = Kind::s64;
  u64 bits = 0;  ///< bits of the value; f32 (0f notation): 32 bits

  bool is_integer() const { return kind == Kind::s64 || kind == Kind::u64; }
  bool is_unsigned() const { return kind == Kind::u64; }
  s64 as_signed() const { return static_cast<s64>(bits); }
};

/// The value of `id`, or nothing after a report with the reason. Names other than WARP_SZ have no
/// value here.
std::optional<Constant> evaluate(const syntax::Tree& tree, syntax::ExprId id, diag::Report& report);

/// The value of a real constant.
double real_value(const Constant& value);

/// True when the expression consists of numbers and WARP_SZ only, so that evaluate() can compute
/// it.
bool is_constant(const syntax::Tree& tree, syntax::ExprId id);

/// The bits of `value` as an operand or datum of `type`; nothing when kinds do not fit (a real for
/// an integer type, an 0f constant for .b64, any other for .b32). Integers are cut to the size of
/// the type, reals rounded to nearest (4.5.1, 4.5.2).
std::optional<u64> convert(const Constant& value, isa::Type type);

}  // namespace heddle::check
