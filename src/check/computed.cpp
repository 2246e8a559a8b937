// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that are computed by additional instructions before the written one: elements of an
// array whose index is in a register (PTX ISA 6.4.2), and operands that only the vendor's assembler
// accepts: the sum of a register and a constant, and addresses in place of values.
#include <bit>

#include "base/check.h"
#include "check/body_checker.h"
#include "ir/respell.h"

namespace heddle::check {

using diag::Kind;
using isa::Type;
using isa::TypeClass;
using syntax::Expr;
using syntax::ExprId;
using syntax::ExprKind;

namespace {

bool is_integer(const isa::TypeInfo& type, u16 least_bits) {
  const bool whole = type.cls == TypeClass::bits || type.cls == TypeClass::signed_ ||
                     type.cls == TypeClass::unsigned_;
  return whole && type.bits >= least_bits && type.bits <= 64;
}

}  // namespace

/// The bytes per index of the array `id`; none after a report that it is not an array. As in the
/// vendor's assembler, an index counts components if the elements are vectors, and bytes if the
/// declaration leaves the size open.
std::optional<u64> BodyChecker::array_step(const Context& context, ExprId id) {
  const Expr& expr = tree_[id];
  const Symbol symbol = expr.kind == ExprKind::name ? module_.scopes_[expr.name_id] : Symbol{};
  const auto step = [&](const auto& one) -> std::optional<u64> {
    if (!one.is_array) return std::nullopt;
    if (one.unsized) {
      context.report.add(Kind::index_of_unsized, expr.span, text(expr.name_id))
          .label(symbol.declared, "declared here");
      return 1;
    }
    return bytes_of(one.type);
  };
  std::optional<u64> result;
  if (symbol.kind == SymbolKind::variable)
    result = step(module_.module_->variables[symbol.id]);
  else if (symbol.kind == SymbolKind::local)
    result = step(f_.locals[symbol.id]);
  else if (symbol.kind == SymbolKind::parameter)
    result = step(f_.signature.params[symbol.id]);
  if (!result) {
    context.report.add(Kind::not_an_array, expr.span, module_.source_.text(expr.span))
        .help(fmt::format("an offset in bytes is written [{}+4]", module_.source_.text(expr.span)));
  }
  return result;
}

/// Turns `out`, the address of the array, into the address of the element.
bool BodyChecker::index(const Context& context, ExprId array, ExprId index, ir::Operand& out) {
  const Expr& expr = tree_[index];
  if (expr.kind == ExprKind::error) return false;
  const auto step = array_step(context, array);
  if (!step) return false;
  if (is_constant(tree_, index)) {
    const auto constant = evaluate(tree_, index, context.report);
    if (!constant) return false;
    if (!constant->is_integer()) {
      context.report.add(Kind::constant_type, expr.span, "an integer");
      return false;
    }
    out.value += *step * constant->bits;
    return true;
  }
  const ExprId base = expr.kind == ExprKind::name ? index : base_of_sum(index);
  Symbol symbol;
  if (base && tree_[base].kind == ExprKind::name) {
    symbol = look_up(tree_[base].name_id, tree_[base].span, context.report);
    if (symbol.kind == SymbolKind::none || symbol.kind == SymbolKind::error) return false;
  }
  const bool is_register = symbol.kind == SymbolKind::reg && symbol.length == 1 &&
                           is_integer(isa::type_info(f_.registers[symbol.id].type), 8);
  const isa::TypeInfo& value = isa::type_info(context.type);
  const bool has_place =
      !context.is_element && (out.is_address || value.bits == 32 || value.bits == 64);
  const bool is_passed =
      out.kind == ir::OperandKind::local && f_.locals[out.id].space == ir::Space::param &&
      !is_formal(f_.signature.params, out) && !is_formal(f_.signature.returns, out);
  if (!is_register || !has_place || is_passed) {
    auto& diagnostic = context.report.add(Kind::array_index, expr.span);
    if (symbol.kind != SymbolKind::none) diagnostic.label(symbol.declared, "declared here");
    if (is_register && is_passed) diagnostic.note("what a call passes has no address");
    return false;
  }
  const auto offset = base == index ? std::optional<u64>(0) : offset_of(index, context.report);
  if (!offset) return false;
  const u8 bits = out.is_address ? module_.module_->address_size : static_cast<u8>(value.bits);
  computed_.push_back({static_cast<u32>(bound_.size() - 1), out, ir::RegId(symbol.id), *offset,
                       *step, bits == 64 ? Type::u64 : Type::u32});
  return true;
}

/// Whether the operand may be a computed value: a scalar of integer or bit type that is only read.
bool BodyChecker::takes_computed(const Context& context) const {
  const isa::OperandSpec& spec = context.spec;
  return spec.kind == isa::OperandKind::value && !context.is_element && !spec.written &&
         !spec.register_only && is_integer(isa::type_info(context.type), 8);
}

/// `r + 1`, which the vendor's assembler accepts as a register.
bool BodyChecker::register_sum(const Context& context, ExprId id, ExprId base, ir::Operand& out) {
  const Expr& expr = tree_[base];
  const Symbol symbol = module_.scopes_[expr.name_id];
  const bool fits =
      symbol.length == 1 && is_integer(isa::type_info(f_.registers[symbol.id].type), 16);
  if (!fits || !takes_computed(context)) {
    context.report.add(Kind::not_a_value, tree_[id].span)
        .label(symbol.declared, "declared here")
        .help("arithmetic with a register takes an instruction");
    return false;
  }
  if (!value(context, base, out)) return false;
  const auto offset = offset_of(id, context.report);
  if (!offset) return false;
  computed_.push_back(
      {static_cast<u32>(bound_.size() - 1), out, {}, *offset, 0, f_.registers[symbol.id].type});
  context.report.add(Kind::computed_operand, tree_[id].span, "add");
  return true;
}

/// The state space of an access. Without a state space the access is generic; but if it names a
/// variable of .shared or .local, it has the state space of that variable.
ir::Space BodyChecker::space_of_access(const Plan& plan) const {
  if (plan.space != ir::Space::generic) return plan.space;
  for (std::size_t i = 0; i < bound_.size() && i < plan.operands.size(); ++i) {
    if (plan.operands[i].spec->kind != isa::OperandKind::address) continue;
    const auto space = bound_[i].is_address ? space_of_symbol(bound_[i]) : std::nullopt;
    return space == ir::Space::shared || space == ir::Space::local ? *space : plan.space;
  }
  return plan.space;
}

// --- the instructions ---

void BodyChecker::compute_operands(const ir::SourcePoint& at) {
  for (const Computed& one : computed_) {
    const ir::Operand result = compute(one, at);
    ir::Operand& operand = bound_[one.operand];
    operand.kind = ir::OperandKind::reg;
    operand.id = result.id;
    operand.value = 0;
  }
}

/// A new register that an instruction without guard writes.
ir::Operand BodyChecker::emit(const ir::SourcePoint& at, std::string_view opcode,
                              std::initializer_list<std::string_view> words, Type type,
                              std::initializer_list<ir::Operand> sources) {
  ir::Operand result;
  result.kind = ir::OperandKind::reg;
  result.type = type;
  result.id = module_.make_registers(f_, type, 1, "%computed").value;
  std::vector<ir::Operand> operands = {result};
  operands.insert(operands.end(), sources.begin(), sources.end());
  ir::Inst inst;
  inst.at = at;
  inst.operands = {add_operands(operands), static_cast<u32>(operands.size())};
  HEDDLE_CHECK(ir::respell(inst, opcode, std::vector<std::string_view>(words)));
  f_.insts.push_back(inst);
  return result;
}

ir::Operand BodyChecker::compute(const Computed& what, const ir::SourcePoint& at) {
  const auto constant = [](u64 value, Type type) {
    ir::Operand operand;
    operand.kind = ir::OperandKind::immediate;
    operand.type = type;
    operand.value = value & (~u64{0} >> (64 - isa::type_info(type).bits));
    return operand;
  };
  ir::Operand base = what.base;
  base.is_address = false;
  base.type = what.type;
  if (isa::type_info(what.type).cls == TypeClass::opaque) {
    base.is_address = true;
    const ir::Operand loaded = emit(at, "ld", {"param", "u64"}, Type::u64, {base, ir::Operand()});
    f_.insts.back().space = static_cast<u8>(ir::Space::param);
    return loaded;
  }
  const u16 bits = isa::type_info(what.type).bits;
  if (base.kind == ir::OperandKind::reg) {
    const Type whole = bits == 16 ? Type::u16 : bits == 32 ? Type::u32 : Type::u64;
    base.type = whole;
    return emit(at, "add", {isa::type_info(whole).name}, whole,
                {base, constant(what.offset, whole)});
  }
  const Type whole = bits == 64 ? Type::u64 : Type::u32;
  base.type = whole;
  const ir::Operand address = emit(at, "mov", {isa::type_info(whole).name}, whole, {base});
  if (!what.index) return address;
  // The index has 32 bits, whatever the size of its register, and so has its product with the step.
  ir::Operand index;
  index.kind = ir::OperandKind::reg;
  index.id = what.index.value;
  const isa::TypeInfo& have = isa::type_info(f_.registers[index.id].type);
  const bool is_signed = have.cls == TypeClass::signed_;
  index.type = f_.registers[index.id].type;
  if (have.bits != 32) {
    const std::string source = fmt::format("{}{}", is_signed ? 's' : 'u', have.bits);
    index.type = isa::find_type(source);
    index = emit(at, "cvt", {is_signed ? "s32" : "u32", source}, Type::u32, {index});
  }
  index.type = Type::u32;
  if (what.offset)
    index = emit(at, "add", {"u32"}, Type::u32, {index, constant(what.offset, Type::u32)});
  if (what.step > 1) {
    index = emit(at, "shl", {"b32"}, Type::u32,
                 {index, constant(static_cast<u64>(std::countr_zero(what.step)), Type::u32)});
  }
  if (whole == Type::u64) {
    // ptxas adds an unsigned offset to a global address. Addresses of other spaces have 32 bits,
    // and wrap.
    const bool wraps = space_of_symbol(what.base) != ir::Space::global;
    index.type = wraps ? Type::s32 : Type::u32;
    index = wraps ? emit(at, "cvt", {"s64", "s32"}, Type::u64, {index})
                  : emit(at, "cvt", {"u64", "u32"}, Type::u64, {index});
    index.type = Type::u64;
  }
  return emit(at, "add", {isa::type_info(whole).name}, whole, {address, index});
}

}  // namespace heddle::check
