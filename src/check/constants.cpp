// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/constants.h"

#include <bit>

#include "syntax/words.h"

namespace heddle::check {
namespace {

using syntax::Expr;
using syntax::ExprId;
using syntax::ExprKind;
using syntax::Op;
using Kind = Constant::Kind;

constexpr u64 kWarpSize = 32;

Constant integer(s64 value) { return {Kind::s64, static_cast<u64>(value)}; }
Constant real(double value) { return {Kind::f64, std::bit_cast<u64>(value)}; }
double as_real(const Constant& value) { return std::bit_cast<double>(value.bits); }

class Evaluator {
 public:
  Evaluator(const syntax::Tree& tree, diag::Report& report) : tree_(tree), report_(report) {}

  std::optional<Constant> evaluate(ExprId id) {
    const Expr& expr = tree_[id];
    switch (expr.kind) {
      case ExprKind::integer:
        return Constant{expr.op ? Kind::u64 : Kind::s64, expr.value};
      case ExprKind::real:
        return Constant{Kind::f64, expr.value};
      case ExprKind::real32:
        return Constant{Kind::f32, expr.value};
      case ExprKind::name:
        if (expr.name_id == syntax::id_of(syntax::Word::warp_sz)) return integer(kWarpSize);
        report_.add(diag::Kind::not_a_constant, expr.span, tree_.names[expr.name_id]);
        return std::nullopt;
      case ExprKind::unary:
      case ExprKind::cast: {
        const auto a = evaluate(expr.child.a);
        return a ? unary(expr, *a) : std::nullopt;
      }
      case ExprKind::binary: {
        const auto a = evaluate(expr.child.a);
        const auto b = evaluate(expr.child.b);
        return a && b ? binary(expr, *a, *b) : std::nullopt;
      }
      case ExprKind::ternary:
        return ternary(expr);
      case ExprKind::error:
        return std::nullopt;
      default:
        report_.add(diag::Kind::not_constant_expression, expr.span);
        return std::nullopt;
    }
  }

 private:
  std::optional<Constant> wrong(const Expr& expr, std::string_view why) {
    report_.add(diag::Kind::constant_operand, expr.span, why);
    return std::nullopt;
  }

  std::optional<Constant> unary(const Expr& expr, const Constant& a) {
    if (a.kind == Kind::f32 && static_cast<Op>(expr.op) != Op::plus) {
      return wrong(expr, "a 0f number is exact and takes no part in expressions");
    }
    switch (static_cast<Op>(expr.op)) {
      case Op::plus:
        return a;
      case Op::minus:
        if (a.kind == Kind::f64) return real(-as_real(a));
        return Constant{a.kind, 0 - a.bits};
      case Op::logical_not:
        if (!a.is_integer()) return wrong(expr, "'!' takes an integer");
        return integer(a.bits == 0);
      case Op::complement:
        if (!a.is_integer()) return wrong(expr, "'~' takes an integer");
        return Constant{Kind::u64, ~a.bits};
      case Op::to_s64:
      case Op::to_u64:
        if (!a.is_integer()) return wrong(expr, "a cast takes an integer");
        return Constant{static_cast<Op>(expr.op) == Op::to_s64 ? Kind::s64 : Kind::u64, a.bits};
      default:
        return std::nullopt;
    }
  }

  std::optional<Constant> binary(const Expr& expr, const Constant& a, const Constant& b) {
    if (a.kind == Kind::f32 || b.kind == Kind::f32) {
      return wrong(expr, "a 0f number is exact and takes no part in expressions");
    }
    if (a.is_integer() != b.is_integer())
      return wrong(expr, "integer and floating-point constants do not mix");
    return a.is_integer() ? integers(expr, a, b) : reals(expr, as_real(a), as_real(b));
  }

  std::optional<Constant> reals(const Expr& expr, double a, double b) {
    switch (static_cast<Op>(expr.op)) {
      case Op::add:
        return real(a + b);
      case Op::sub:
        return real(a - b);
      case Op::mul:
        return real(a * b);
      case Op::div:
        return real(a / b);
      case Op::lt:
        return integer(a < b);
      case Op::gt:
        return integer(a > b);
      case Op::le:
        return integer(a <= b);
      case Op::ge:
        return integer(a >= b);
      case Op::eq:
        return integer(a == b);
      case Op::ne:
        return integer(a != b);
      default:
        return wrong(expr, "this operator takes integers");
    }
  }

  std::optional<Constant> integers(const Expr& expr, const Constant& a, const Constant& b) {
    // The usual arithmetic conversions: unsigned as soon as one is.
    const bool is_unsigned = a.is_unsigned() || b.is_unsigned();
    const Kind converted = is_unsigned ? Kind::u64 : Kind::s64;
    const u64 x = a.bits, y = b.bits;
    const s64 sx = a.as_signed(), sy = b.as_signed();
    switch (static_cast<Op>(expr.op)) {
      case Op::add:
        return Constant{converted, x + y};
      case Op::sub:
        return Constant{converted, x - y};
      case Op::mul:
        return Constant{converted, x * y};
      case Op::div:
        if (y == 0) return wrong(expr, "division by zero");
        if (is_unsigned) return Constant{converted, x / y};
        return Constant{converted, sy == -1 ? 0 - x : static_cast<u64>(sx / sy)};
      case Op::rem:
        if (y == 0) return wrong(expr, "division by zero");
        return Constant{Kind::s64, x % y};
      case Op::shl:
        return Constant{a.kind, y < 64 ? x << y : 0};
      case Op::shr:
        if (a.is_unsigned()) return Constant{a.kind, y < 64 ? x >> y : 0};
        return Constant{a.kind, static_cast<u64>(sx >> (y < 64 ? y : 63))};
      case Op::lt:
        return integer(is_unsigned ? x < y : sx < sy);
      case Op::gt:
        return integer(is_unsigned ? x > y : sx > sy);
      case Op::le:
        return integer(is_unsigned ? x <= y : sx <= sy);
      case Op::ge:
        return integer(is_unsigned ? x >= y : sx >= sy);
      case Op::eq:
        return integer(x == y);
      case Op::ne:
        return integer(x != y);
      case Op::bit_and:
        return Constant{converted, x & y};
      case Op::bit_xor:
        return Constant{converted, x ^ y};
      case Op::bit_or:
        return Constant{converted, x | y};
      case Op::logical_and:
        return integer(x && y);
      case Op::logical_or:
        return integer(x || y);
      default:
        return std::nullopt;
    }
  }

  std::optional<Constant> ternary(const Expr& expr) {
    const ExprId* parts = &tree_.expr_lists[expr.list.first];
    const auto condition = evaluate(parts[0]);
    const auto a = evaluate(parts[1]);
    const auto b = evaluate(parts[2]);
    if (!condition || !a || !b) return std::nullopt;
    if (!condition->is_integer())
      return wrong(tree_[parts[0]], "the condition of '?:' is an integer");
    if (a->is_integer() != b->is_integer() || a->kind == Kind::f32 || b->kind == Kind::f32) {
      return wrong(expr, "the alternatives of '?:' are both integers or both .f64");
    }
    Constant result = condition->bits ? *a : *b;
    if (a->is_unsigned() || b->is_unsigned()) result.kind = Kind::u64;
    return result;
  }

  const syntax::Tree& tree_;
  diag::Report& report_;
};

}  // namespace

std::optional<Constant> evaluate(const syntax::Tree& tree, ExprId id, diag::Report& report) {
  return Evaluator(tree, report).evaluate(id);
}

bool is_constant(const syntax::Tree& tree, ExprId id) {
  const Expr& expr = tree[id];
  switch (expr.kind) {
    case ExprKind::integer:
    case ExprKind::real:
    case ExprKind::real32:
      return true;
    case ExprKind::name:
      return expr.name_id == syntax::id_of(syntax::Word::warp_sz);
    case ExprKind::unary:
    case ExprKind::cast:
      return is_constant(tree, expr.child.a);
    case ExprKind::binary:
      return is_constant(tree, expr.child.a) && is_constant(tree, expr.child.b);
    case ExprKind::ternary: {
      for (u32 i = 0; i < expr.list.count; ++i) {
        if (!is_constant(tree, tree.expr_lists[expr.list.first + i])) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

double real_value(const Constant& value) {
  return value.kind == Kind::f32
             ? static_cast<double>(std::bit_cast<float>(static_cast<u32>(value.bits)))
             : as_real(value);
}

std::optional<u64> convert(const Constant& value, isa::Type type) {
  using isa::TypeClass;
  const isa::TypeInfo& info = isa::type_info(type);
  const u64 mask = info.bits >= 64 ? ~u64{0} : (u64{1} << info.bits) - 1;
  if (info.cls == TypeClass::pred) {
    if (!value.is_integer()) return std::nullopt;
    return value.bits != 0;
  }
  if (value.is_integer()) {
    if (info.cls == TypeClass::float_ || info.cls == TypeClass::packed) return std::nullopt;
    return value.bits & mask;
  }
  if (info.cls != TypeClass::float_ && info.cls != TypeClass::bits) return std::nullopt;
  const bool is_single = value.kind == Kind::f32;
  if (info.cls == TypeClass::bits && info.bits != (is_single ? 32 : 64)) return std::nullopt;
  if (is_single) {
    if (info.bits == 32) return value.bits;
    if (info.bits == 64) return std::bit_cast<u64>(real_value(value));
    return std::nullopt;
  }
  switch (info.bits) {
    case 64:
      return value.bits;
    case 32:
      return std::bit_cast<u32>(static_cast<float>(as_real(value)));
    default:
      return std::nullopt;
  }
}

}  // namespace heddle::check
