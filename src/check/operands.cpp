// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that are values (PTX ISA 6, 9.4): registers of a fitting type, immediates, symbols,
// vectors.
#include <fmt/ranges.h>

#include <algorithm>

#include "check/body_checker.h"
#include "isa/groups.h"
#include "syntax/words.h"

namespace heddle::check {

using diag::Kind;
using isa::Type;
using isa::TypeClass;
using syntax::Expr;
using syntax::ExprId;
using syntax::ExprKind;
using syntax::Op;

namespace {

/// Whether a constant in the range of an operand is one of its allowed values.
bool is_choice(const isa::OperandSpec& spec, s64 value) {
  if ((value - spec.imm_min) % spec.imm_step != 0) return false;
  return spec.imm_values.empty() ||
         std::ranges::find(spec.imm_values, value) != spec.imm_values.end();
}

/// The bit-size type of `bits` bits.
Type bits_type(u16 bits) {
  return bits == 8 ? Type::b8 : bits == 16 ? Type::b16 : bits == 32 ? Type::b32 : Type::b64;
}

/// Whether the type is an integer or bit-size type.
bool is_whole(const isa::TypeInfo& type) {
  return type.bits >= 8 && type.bits <= 64 &&
         (type.cls == TypeClass::bits || type.cls == TypeClass::signed_ ||
          type.cls == TypeClass::unsigned_);
}

/// The type with which cvt names a register of type `type`: of the same size, signed if `operation`
/// is.
std::string converted(const isa::TypeInfo& type, const isa::TypeInfo& operation) {
  return fmt::format("{}{}", operation.cls == TypeClass::signed_ ? 's' : 'u', type.bits);
}

}  // namespace

Symbol BodyChecker::look_up(NameId name, Span span, diag::Report& report) {
  Scopes& scopes = module_.scopes_;
  const Symbol symbol = scopes[name];
  const bool known = symbol.kind != SymbolKind::none;
  if (known && !scopes.may_be_hidden(name)) return symbol;
  const auto member = scopes.member(name);
  if (member && (!known || scopes.families[member->family].depth > scopes.depth(name))) {
    RegisterFamily& family = scopes.families[member->family];
    u32& made = family.made(member->number);
    if (!made) made = module_.make_registers(f_, family.type, family.vector, text(name)).value + 1;
    const Symbol reg{SymbolKind::reg, family.vector, made - 1, family.declared};
    scopes.declare(name, reg);
    return reg;
  }
  if (known) return symbol;
  undeclared(name, span, report);
  return {};
}

/// Whether a register of type `reg` is allowed for an operand of type `context.type` (9.4, tables
/// 27 and 28).
bool BodyChecker::fits(const Context& context, Type reg) const {
  const Type type = context.type;
  const isa::TypeInfo& want = isa::type_info(type);
  const isa::TypeInfo& have = isa::type_info(reg);
  if (have.cls == TypeClass::pred && context.spec.raw && want.bits == 32)
    return want.cls == TypeClass::bits || (want.cls == TypeClass::float_ && context.spec.free);
  if (want.cls == TypeClass::pred || have.cls == TypeClass::pred) return false;
  const bool same_size = have.bits == want.bits;
  const bool enough = same_size || (context.spec.wide && have.bits > want.bits && !is_exact_);
  const bool is_free = context.spec.free || (context.spec.loose && context.is_element);
  const bool have_integer = have.cls == TypeClass::signed_ || have.cls == TypeClass::unsigned_;
  switch (want.cls) {
    case TypeClass::bits:
      return enough && (context.spec.wide || same_size);
    case TypeClass::signed_:
    case TypeClass::unsigned_:
      return enough && (have_integer || have.cls == TypeClass::bits);
    case TypeClass::float_:
      return enough && (have.cls == TypeClass::bits || (is_free && same_size && have_integer));
    // Alternate and packed formats use bit-size registers of their size; a pair of integers may
    // also use a register for a pair of halves.
    case TypeClass::packed:
      return enough && (have.cls == TypeClass::bits ||
                        ((is_free || context.spec.as_bits) && type != Type::f16x2) ||
                        (reg == Type::f16x2 && (type == Type::u16x2 || type == Type::s16x2)));
    // The address of the object (5.3).
    case TypeClass::opaque:
      return same_size && (have_integer || have.cls == TypeClass::bits);
    default:
      return false;
  }
}

/// The base of `base + constant - constant ...`, where the first constant is added (6.4.1).
ExprId BodyChecker::base_of_sum(ExprId id) const {
  bool added = false;  // the constant next to the base
  while (tree_[id].kind == ExprKind::binary) {
    const Expr& expr = tree_[id];
    const Op op = static_cast<Op>(expr.op);
    if ((op != Op::add && op != Op::sub) || !is_constant(tree_, expr.child.b)) return {};
    added = op == Op::add;
    id = expr.child.a;
  }
  return added ? id : ExprId();
}

/// The sum of the constants after the base.
std::optional<u64> BodyChecker::offset_of(ExprId sum, diag::Report& report) const {
  u64 offset = 0;
  for (; tree_[sum].kind == ExprKind::binary; sum = tree_[sum].child.a) {
    const Expr& expr = tree_[sum];
    const auto constant = evaluate(tree_, expr.child.b, report);
    if (!constant) return std::nullopt;
    if (!constant->is_integer()) {
      report.add(Kind::constant_type, tree_[expr.child.b].span, "an integer");
      return std::nullopt;
    }
    offset += static_cast<Op>(expr.op) == Op::sub ? 0 - constant->bits : constant->bits;
  }
  return offset;
}

/// `ld.u32 d [a]`: a register has no elements, so a comma is missing.
bool BodyChecker::is_element_of_register(ExprId id) const {
  const Expr& expr = tree_[id];
  return expr.kind == ExprKind::index && tree_[expr.child.a].kind == ExprKind::name &&
         module_.scopes_[tree_[expr.child.a].name_id].kind == SymbolKind::reg;
}

bool BodyChecker::operand(const Context& context, ExprId id, ir::Operand& out) {
  const Expr& expr = tree_[id];
  if (expr.kind == ExprKind::error) return false;
  if (context.spec.generic_address && is_narrow(context.type)) {
    context.report.add(Kind::narrow_address, expr.span,
                       fmt::format("'{}'", module_.source_.text(expr.span)));
    return false;
  }
  if (is_element_of_register(id)) {
    const u32 end = tree_[expr.child.a].span.end;
    context.report.add(Kind::expected, Span{end, end}, "','", "'['");
    return false;
  }
  switch (context.spec.kind) {
    case isa::OperandKind::value:
      return context.is_vector ? vector(context, id, out) : value(context, id, out);
    case isa::OperandKind::imm:
      return immediate(context, id, out);
    case isa::OperandKind::address:
      return address(context, id, out);
    case isa::OperandKind::label:
      return name_operand(context, id, SymbolKind::label, out);
    case isa::OperandKind::function:
      return name_operand(context, id, SymbolKind::function, out);
    case isa::OperandKind::targets:
      return name_operand(context, id, SymbolKind::targets, out);
    case isa::OperandKind::proto:
      return name_operand(context, id, SymbolKind::prototype, out);
    case isa::OperandKind::list:
      return call_list(context, id, out);
    case isa::OperandKind::sink:
      if (tree_[id].kind == ExprKind::sink) return true;
      context.report.add(Kind::only_sink, tree_[id].span);
      return false;
    case isa::OperandKind::lanes:  // not written on its own: decoration()
      break;
  }
  return false;
}

/// Removes the `-` and `.b0` of `-a.b0`, if the form has a slot for them, and the selector of
/// `a.b3210`, if the operand `next` is a selector.
bool BodyChecker::decoration(const Context& context, const isa::OperandSpec* next, ExprId& id) {
  const isa::Form& form = *context.candidate.form;
  const Span span = tree_[id].span;
  const auto refuse = [&](std::string_view wanted) {
    context.report.add(Kind::decoration, span, context.spec.name, wanted);
    return false;
  };
  if (const s8 slot = context.spec.minus_slot; slot >= 0) {
    const Expr& expr = tree_[id];
    const bool minus = expr.kind == ExprKind::unary && static_cast<Op>(expr.op) == Op::minus;
    if (minus && !is_constant(tree_, id)) {
      at_operands_[slot] = 1;
      id = expr.child.a;
    } else if (form.slots[slot].required) {
      return refuse("a minus");
    }
  }
  const bool selected = tree_[id].kind == ExprKind::component;
  const std::string_view word = selected ? text(tree_[id].field) : "";
  if (const s8 slot = context.spec.suffix_slot; slot >= 0) {
    std::string known;
    for (const isa::Choice& choice : form.slots[slot].choices) {
      const std::string_view text = isa::word_text(choice.word);
      if (text == word) at_operands_[slot] = choice.value;
      known += fmt::format("{}.{}", known.empty() ? "" : " ", text);
    }
    if (!at_operands_[slot] && (selected || form.slots[slot].required)) return refuse(known);
    if (selected) id = tree_[id].child.a;
  }
  if (next && next->kind == isa::OperandKind::lanes) {
    const auto digit = [&](char c) { return c - '0' >= next->imm_min && c - '0' <= next->imm_max; };
    const std::size_t digits = next->suffix.size() - 1;
    if (selected && !(word.size() == digits + 1 && word[0] == next->suffix[0] &&
                      std::ranges::all_of(word.substr(1), digit))) {
      return refuse(fmt::format(".{} and {} digits from {} to {}", next->suffix[0], digits,
                                next->imm_min, next->imm_max));
    }
    if (selected) id = tree_[id].child.a;
    lanes_ = {};
    lanes_.kind = ir::OperandKind::immediate;
    lanes_.type = Type::u32;
    for (const char c : (selected ? word : next->suffix).substr(1))
      lanes_.value = lanes_.value << 4 | static_cast<u64>(c - '0');
  }
  return true;
}

bool BodyChecker::value(const Context& context, ExprId id, ir::Operand& out) {
  const Expr& expr = tree_[id];
  switch (expr.kind) {
    case ExprKind::sink:
      if (context.spec.sink ||
          (!context.spec.register_only &&
           (context.spec.pair_second || (context.spec.written && context.spec.optional))))
        return true;
      context.report.add(Kind::sink_not_allowed, expr.span);
      return false;
    case ExprKind::unary:
      if (static_cast<Op>(expr.op) == Op::logical_not && !is_constant(tree_, id)) {
        if (!context.spec.negatable) {
          context.report.add(Kind::not_negatable, expr.span);
          return false;
        }
        if (!value(context, expr.child.a, out)) return false;
        out.negated = !out.negated;
        return true;
      }
      return immediate(context, id, out);
    case ExprKind::component: {
      const Expr& base = tree_[expr.child.a];
      const std::string_view field = text(expr.field);
      if (base.kind == ExprKind::name) {
        const std::string whole = fmt::format("{}.{}", text(base.name_id), field);
        if (isa::find_special_register(whole)) return special(context, expr.span, whole, out);
        if (module_.scopes_[base.name_id].kind == SymbolKind::none &&
            isa::find_special_register(text(base.name_id))) {
          context.report.add(Kind::no_component, expr.span, text(base.name_id), field);
          return false;
        }
        const Symbol symbol = look_up(base.name_id, base.span, context.report);
        if (symbol.kind == SymbolKind::error || symbol.kind == SymbolKind::none) return false;
        const std::size_t xyzw = std::string_view("xyzw").find(field),
                          rgba = std::string_view("rgba").find(field);
        const std::size_t index = field.size() == 1 ? std::min(xyzw, rgba) : std::string_view::npos;
        if (symbol.kind == SymbolKind::reg && index < symbol.length && symbol.length > 1) {
          return register_operand(context, expr.span, base.name_id, ir::RegId(symbol.id + index),
                                  out);
        }
        context.report.add(Kind::no_component, expr.span, text(base.name_id), field)
            .label(symbol.declared, "declared here");
        return false;
      }
      context.report.add(Kind::not_a_value, expr.span);
      return false;
    }
    case ExprKind::name: {
      if (expr.name_id == syntax::id_of(syntax::Word::warp_sz)) return immediate(context, id, out);
      if (module_.scopes_[expr.name_id].kind == SymbolKind::none &&
          module_.is_special(expr.name_id)) {
        return special(context, expr.span, text(expr.name_id), out);
      }
      const Symbol symbol = look_up(expr.name_id, expr.span, context.report);
      switch (symbol.kind) {
        case SymbolKind::none:
        case SymbolKind::error:
          return false;
        case SymbolKind::reg:
          if (symbol.length > 1) {
            context.report.add(Kind::vector_register, expr.span, text(expr.name_id))
                .label(symbol.declared, "declared here");
            return false;
          }
          return register_operand(context, expr.span, expr.name_id, ir::RegId(symbol.id), out);
        default:
          return this->symbol(context, id, out);
      }
    }
    case ExprKind::binary:
    case ExprKind::index:
    case ExprKind::generic: {
      if (is_constant(tree_, id)) return immediate(context, id, out);
      const ExprId base = base_of_sum(id);
      if (base && tree_[base].kind == ExprKind::name) {
        const Symbol symbol = look_up(tree_[base].name_id, tree_[base].span, context.report);
        if (symbol.kind == SymbolKind::reg) return register_sum(context, id, base, out);
      }
      return symbol(context, id, out);
    }
    case ExprKind::vector: {
      // If the operand may be a vector, a single register may be in braces, too.
      if (expr.list.count == 1 && context.spec.vector_slot >= 0)
        return value(context, tree_.expr_lists[expr.list.first], out);
      // The vendor's assembler accepts a pair for an operand of these types, and uses its first
      // element.
      const bool brain = (context.type == Type::bf16 || context.type == Type::bf16x2) &&
                         context.candidate.form->sem_kind != isa::SemKind::memory;
      const bool raw = context.spec.raw && !context.spec.written && !context.spec.register_only;
      if ((brain || raw) && !context.is_element && expr.list.count == 2) {
        ir::Operand second;
        if (!value(context, tree_.expr_lists[expr.list.first + 1], second) ||
            !value(context, tree_.expr_lists[expr.list.first], out))
          return false;
        context.report.add(Kind::unused_element, expr.span, context.spec.name,
                           isa::type_info(context.type).name);
        return true;
      }
      context.report.add(Kind::vector_not_allowed, expr.span, context.spec.name);
      return false;
    }
    case ExprKind::address:
      context.report.add(Kind::address_not_allowed, expr.span, context.spec.name)
          .help(context.candidate.form->opcode == "mov" ? "ld reads memory, mov does not"
                : context.spec.written                  ? "st writes memory"
                                                        : "load it into a register with ld first");
      return false;
    case ExprKind::list:
      context.report.add(Kind::not_a_value, expr.span).help("write it without the parentheses");
      return false;
    default:
      return immediate(context, id, out);
  }
}

bool BodyChecker::register_operand(const Context& context, Span span, NameId name, ir::RegId reg,
                                   ir::Operand& out) {
  const Type type = f_.registers[reg.value].type;
  if (type != context.type && !fits(context, type)) {
    if (context.report.is_trial()) return false;
    const isa::TypeInfo& want = isa::type_info(context.type);
    const isa::TypeInfo& have = isa::type_info(type);
    const Symbol& symbol = module_.scopes_[name];
    auto& diagnostic = context.report.add(Kind::operand_type, span, context.spec.name, have.name,
                                          context.candidate.form->opcode, want.name);
    if (symbol.kind != SymbolKind::none)
      diagnostic.label(symbol.declared, fmt::format("declared here as .{}", have.name));
    if (want.cls == TypeClass::packed)
      diagnostic.help(fmt::format("a .{} operand is a .b{} register", want.name, want.bits));
    if (is_whole(want) && is_whole(have) && want.bits != have.bits && !context.spec.written)
      diagnostic.help(fmt::format("convert it with cvt.{}.{} first", converted(want, want),
                                  converted(have, want)));
    return false;
  }
  out.kind = ir::OperandKind::reg;
  out.id = reg.value;
  return true;
}

bool BodyChecker::special(const Context& context, Span span, std::string_view name,
                          ir::Operand& out) {
  const auto found = isa::find_special_register(name);
  const isa::SpecialRegisterInfo& info = isa::special_register_info(found->which);
  if (context.spec.written) {
    context.report.add(Kind::special_written, span, name);
    return false;
  }
  const std::string_view opcode = context.candidate.form->opcode;
  if (!context.spec.special_allowed) {
    context.report.add(Kind::special_operand, span, name, opcode).help("read it with mov first");
    return false;
  }
  if (const auto why = isa::refuse(info.gates, module_.module_->version, module_.first_target())) {
    context.report.add(Kind::special_gate, span, name).help(*why);
    return false;
  }
  if (found->component < 0 && info.vector_length > 1) {
    context.report.add(Kind::special_needs_component, span, name);
    return false;
  }
  const isa::TypeInfo& want = isa::type_info(context.type);
  const isa::TypeInfo& have = isa::type_info(info.type);
  const bool legacy = std::find_if(info.legacy.begin(), info.legacy.end(), [&](Type type) {
                        return isa::type_info(type).bits == want.bits;
                      }) != info.legacy.end();
  const bool kinds = (want.cls == TypeClass::pred) == (have.cls == TypeClass::pred) &&
                     want.cls != TypeClass::float_;
  const bool narrower = context.spec.wide && have.bits > want.bits;
  if (!kinds || (want.bits != have.bits && !legacy && !narrower)) {
    context.report.add(Kind::operand_type, span, context.spec.name, have.name, opcode, want.name);
    return false;
  }
  out.kind = ir::OperandKind::special;
  out.id = static_cast<u32>(found->which);
  out.component = found->component < 0 ? 0 : static_cast<u8>(found->component);
  return true;
}

bool BodyChecker::immediate(const Context& context, ExprId id, ir::Operand& out) {
  const Expr& expr = tree_[id];
  if (context.spec.written) {
    context.report.add(Kind::constant_written, expr.span, context.spec.name);
    return false;
  }
  const isa::TypeInfo& info = isa::type_info(context.type);
  const bool is_pattern =
      context.spec.as_bits && info.cls == TypeClass::packed && context.type != Type::f16x2;
  if (context.spec.register_only || info.cls == TypeClass::opaque ||
      (context.spec.as_bits && !is_pattern)) {
    context.report.add(Kind::constant_not_allowed, expr.span, context.spec.name,
                       context.candidate.form->opcode);
    return false;
  }
  const auto constant = evaluate(tree_, id, context.report);
  if (!constant) return false;
  const bool alone = context.length == 1;
  if (context.spec.raw && alone && constant->is_integer()) {  // an integer has 64 bits (4.5.1)
    context.report.add(Kind::constant_not_allowed, expr.span, context.spec.name,
                       context.candidate.form->opcode);
    return false;
  }
  if (!in_range(context, expr.span, *constant)) return false;
  Type type = context.type;
  if (context.spec.kind == isa::OperandKind::imm && type == Type::none) type = Type::u32;
  if (is_pattern) type = bits_type(info.bits);
  if (context.spec.raw && !alone && isa::type_info(type).cls == TypeClass::packed) type = Type::b32;
  const auto bits = convert(*constant, type);
  if (!bits) {
    auto& diagnostic = context.report.add(Kind::constant_type, expr.span,
                                          fmt::format(".{}", isa::type_info(type).name));
    const std::string_view written = module_.source_.text(expr.span);
    if (written.find_first_not_of("0123456789") == written.npos)
      diagnostic.help(fmt::format("write {}.0", written));
    if (type == Type::f32 && written.starts_with("0x") && written.size() == 10)
      diagnostic.help(fmt::format("the number with these bits is 0f{}", written.substr(2)));
    return false;
  }
  out.kind = ir::OperandKind::immediate;
  out.type = is_pattern ? context.type : type;
  out.value = *bits;
  return true;
}

/// Whether the constant is in the range that the form gives for the operand.
bool BodyChecker::in_range(const Context& context, Span span, const Constant& constant) {
  const isa::OperandSpec& spec = context.spec;
  const bool ranged = spec.imm_min <= spec.imm_max;
  const bool is_real = ranged && isa::type_info(context.type).cls == TypeClass::float_;
  if (spec.kind != isa::OperandKind::imm && !ranged) return true;
  if (!is_real && !constant.is_integer()) {
    context.report.add(Kind::constant_type, span, "an integer");
    return false;
  }
  if (is_real) {
    if (constant.is_integer()) return true;  // convert() reports the mistake
    const double value = real_value(constant);
    if ((spec.imm_above ? value > static_cast<double>(spec.imm_min)
                        : value >= static_cast<double>(spec.imm_min)) &&
        value <= static_cast<double>(spec.imm_max))
      return true;
    context.report.add(Kind::constant_range, span, value,
                       fmt::format("{}{}", spec.imm_above ? "above " : "", spec.imm_min),
                       spec.imm_max);
    return false;
  }
  if (!ranged) return true;
  // 4.5.1 truncates every constant to the size of the operand; the vendor's assembler does so for
  // some operands.
  const s64 value = spec.cut ? static_cast<u32>(constant.bits) : constant.as_signed();
  if (spec.imm_min == spec.imm_max && value != spec.imm_min) {
    context.report.add(Kind::constant_choice, span, module_.source_.text(span), spec.name)
        .help(fmt::format("it is {} here", spec.imm_min));
    return false;
  }
  if (value < spec.imm_min || value > spec.imm_max || (constant.is_unsigned() && value < 0)) {
    context.report.add(Kind::constant_range, span, module_.source_.text(span), spec.imm_min,
                       spec.imm_max);
    return false;
  }
  if (!is_choice(spec, value)) {
    auto& diagnostic = context.report.add(Kind::constant_choice, span, value, spec.name);
    if (spec.imm_step > 1)
      diagnostic.help(fmt::format("a multiple of {}", spec.imm_step));
    else
      diagnostic.help(fmt::format("one of {}", fmt::join(spec.imm_values, ", ")));
    return false;
  }
  return true;
}

/// A texture, sampler or surface by name, a variable or a kernel's parameter (5.3), or by a
/// register with its address.
bool BodyChecker::object(const Context& context, ExprId id, ir::Operand& out) {
  const Expr& expr = tree_[id];
  const Symbol symbol = look_up(expr.name_id, expr.span, context.report);
  Type type = Type::none;
  switch (symbol.kind) {
    case SymbolKind::none:
    case SymbolKind::error:
      return false;
    case SymbolKind::variable:
      out.kind = ir::OperandKind::variable;
      type = module_.module_->variables[symbol.id].type;
      break;
    case SymbolKind::parameter:
      out.kind = ir::OperandKind::parameter;
      out.value = f_.signature.params[symbol.id].offset;
      type = f_.signature.params[symbol.id].type;
      // The parameter holds the address of the object.
      computed_.push_back({static_cast<u32>(bound_.size() - 1), out, {}, 0, 0, type});
      break;
    case SymbolKind::reg:
      return value(context, id, out);
    case SymbolKind::local:
      type = f_.locals[symbol.id].type;
      break;
    default:
      context.report.add(Kind::not_an_address, expr.span, text(expr.name_id))
          .label(symbol.declared, "declared here");
      return false;
  }
  if (type != context.type) {
    context.report
        .add(Kind::operand_type, expr.span, context.spec.name, isa::type_info(type).name,
             context.candidate.form->opcode, isa::type_info(context.type).name)
        .label(symbol.declared, "declared here");
    return false;
  }
  out.id = symbol.id;
  return true;
}

/// The help for `name - 4` and `4 + name`, which are not PTX.
const char* BodyChecker::misplaced_offset(const Expr& expr) const {
  const Op op = static_cast<Op>(expr.op);
  const auto is_name = [&](ExprId id) { return tree_[id].kind == ExprKind::name; };
  if (op == Op::sub && is_name(expr.child.a) && is_constant(tree_, expr.child.b))
    return "an offset is added: write +-4";
  if (op == Op::add && is_constant(tree_, expr.child.a) && is_name(expr.child.b))
    return "the offset stands behind the +";
  return nullptr;
}

/// The address of a variable, function or label as a value: `mov.u64 d, x + 4`. The vendor's
/// assembler accepts a function, or the sum of a variable and a constant, in other instructions
/// than mov, too.
bool BodyChecker::symbol(const Context& context, ExprId id, ir::Operand& out) {
  const Expr& expr = tree_[id];
  if (isa::type_info(context.type).cls == TypeClass::opaque && expr.kind == ExprKind::name)
    return object(context, id, out);
  if (context.spec.symbol_allowed) return named_address(context, id, out);
  const bool is_function =
      expr.kind == ExprKind::name && module_.scopes_[expr.name_id].kind == SymbolKind::function;
  const bool is_sum = base_of_sum(id) && tree_[base_of_sum(id)].kind == ExprKind::name;
  if (!is_sum && expr.kind == ExprKind::binary) {
    const char* help = misplaced_offset(expr);
    context.report.add(Kind::not_a_value, expr.span)
        .help(help ? help : "arithmetic with a register takes an instruction");
    return false;
  }
  const bool is_wide = isa::type_info(context.type).bits >= 32;
  if (!takes_computed(context) || !is_wide || !(is_function || is_sum)) {
    const bool named = expr.kind == ExprKind::name;
    auto& diagnostic = context.report.add(Kind::symbol_not_allowed, expr.span, context.spec.name,
                                          context.candidate.form->opcode);
    if (named) diagnostic.label(module_.scopes_[expr.name_id].declared, "declared here");
    diagnostic.help("take its address with mov first");
    return false;
  }
  if (!named_address(context, id, out)) return false;
  computed_.push_back({static_cast<u32>(bound_.size() - 1), out, {}, 0, 0, context.type});
  context.report.add(Kind::computed_operand, expr.span, "mov");
  return true;
}

bool BodyChecker::named_address(const Context& context, ExprId id, ir::Operand& out) {
  const Expr& expr = tree_[id];
  if (expr.kind == ExprKind::name) {
    const Symbol symbol = look_up(expr.name_id, expr.span, context.report);
    switch (symbol.kind) {
      case SymbolKind::variable:
      case SymbolKind::local:
      case SymbolKind::parameter:
        locate(symbol, out);
        break;
      case SymbolKind::function:
        out.kind = ir::OperandKind::function;
        break;
      case SymbolKind::none:
      case SymbolKind::error:
        return false;
      case SymbolKind::reg:
        context.report.add(Kind::not_a_value, expr.span)
            .label(symbol.declared, "declared here")
            .help("arithmetic with a register takes an instruction");
        return false;
      default:
        context.report.add(Kind::not_a_value, expr.span).label(symbol.declared, "declared here");
        return false;
    }
    out.id = symbol.id;
    const std::string_view opcode = context.candidate.form->opcode;
    const auto space = space_of_symbol(out);
    const ir::Space wanted = context.spec.symbol_allowed
                                 ? space_of_form(context.candidate, nullptr)
                                 : ir::Space::generic;  // the space of the instruction's address
    if (out.kind == ir::OperandKind::function && wanted != ir::Space::generic) {
      context.report
          .add(Kind::wrong_space, expr.span, text(expr.name_id), "no state space", opcode,
               name_of(wanted))
          .label(symbol.declared, "declared here");
      return false;
    }
    // A .param variable that a call passes has no address; a parameter or result of the function
    // itself has one.
    if (out.kind == ir::OperandKind::local && space == ir::Space::param &&
        !is_formal(f_.signature.params, out) && !is_formal(f_.signature.returns, out)) {
      context.report.add(Kind::not_an_address, expr.span, text(expr.name_id))
          .label(symbol.declared, "declared here");
      return false;
    }
    if (out.kind == ir::OperandKind::local && space == wanted && wanted == ir::Space::param) {
      context.report.add(Kind::function_parameter, expr.span, opcode, text(expr.name_id))
          .label(symbol.declared, "declared here")
          .help("`mov` takes its address, in .local");
    }
    if (space == ir::Space::global && is_narrow(context.type)) {
      context.report
          .add(Kind::narrow_address, expr.span, fmt::format("operand '{}'", context.spec.name))
          .label(symbol.declared, "declared here");
      return false;
    }
    if (space && wanted != ir::Space::generic && *space != wanted) {
      auto& diagnostic = context.report
                             .add(Kind::wrong_space, expr.span, text(expr.name_id), name_of(*space),
                                  opcode, name_of(wanted))
                             .label(symbol.declared, "declared here");
      if (opcode == "cvta") diagnostic.help(fmt::format("write cvta{}", name_of(*space)));
      return false;
    }
    return true;
  }
  if (expr.kind == ExprKind::generic) return named_address(context, expr.child.a, out);
  if (expr.kind == ExprKind::index) {  // a[3]: the address of an element
    return named_address(context, expr.child.a, out) &&
           index(context, expr.child.a, expr.child.b, out);
  }
  if (expr.kind == ExprKind::binary) {
    if (const char* help = misplaced_offset(expr)) {
      context.report.add(Kind::not_a_value, expr.span).help(help);
      return false;
    }
    if (is_constant(tree_, expr.child.a)) {
      context.report.add(Kind::not_a_value, tree_[expr.child.b].span);
      return false;
    }
    if (const ExprId base = base_of_sum(id)) {
      if (!named_address(context, base, out)) return false;
      const auto offset = offset_of(id, context.report);
      if (!offset) return false;
      if (out.kind == ir::OperandKind::function) {
        context.report.add(Kind::not_a_value, expr.span);
        return false;
      }
      out.value += *offset;
      return true;
    }
  }
  context.report.add(Kind::not_a_value, expr.span);
  return false;
}

bool BodyChecker::vector(const Context& whole, ExprId id, ir::Operand& out) {
  const Expr& expr = tree_[id];
  Context context{whole};
  context.is_element = true;
  Context first{context};
  if (context.spec.indexed) first.type = Type::u32;
  std::vector<ir::Operand> elements;
  std::size_t length = 1;  // number of elements that a name stands for
  if (expr.kind == ExprKind::name) {
    const std::string_view name = text(expr.name_id);
    const auto special_register =
        name.starts_with('%') && module_.scopes_[expr.name_id].kind == SymbolKind::none
            ? isa::find_special_register(name)
            : std::nullopt;
    if (special_register && !context.spec.written) {  // mov.v4.u32 d, %tid
      const isa::SpecialRegisterInfo& info = isa::special_register_info(special_register->which);
      for (u8 i = 0; i < context.length; ++i) {
        if (info.vector_length < context.length) break;
        ir::Operand element;
        element.type = context.type;
        if (!special(context, expr.span, fmt::format("{}.{}", name, "xyzw"[i]), element))
          return false;
        elements.push_back(element);
      }
    } else {
      const Symbol symbol = look_up(expr.name_id, expr.span, context.report);
      if (symbol.kind == SymbolKind::none || symbol.kind == SymbolKind::error) return false;
      if (symbol.kind == SymbolKind::reg) length = symbol.length;
      const bool one_for_all = context.spec.spread && length == 1;
      if (symbol.kind == SymbolKind::reg &&
          (one_for_all || (length == context.length && (length > 1 || context.spec.bare)))) {
        for (u32 i = 0; i < context.length; ++i) {
          ir::Operand element;
          element.type = context.type;
          if (!register_operand(i ? context : first, expr.span, expr.name_id,
                                ir::RegId(symbol.id + (one_for_all ? 0 : i)), element))
            return false;
          elements.push_back(element);
        }
      }
    }
  } else if (expr.kind == ExprKind::vector && expr.list.count == context.length) {
    isa::OperandSpec last = context.spec;
    if (last.imm_last >= 0) {
      last.imm_min = 0;
      last.imm_max = last.imm_last;
      last.imm_values = {};
    }
    const Context of_last{context.candidate, last,          context.type,   context.length,
                          context.is_vector, context.space, context.report, true};
    const bool packed = isa::type_info(context.type).cls == TypeClass::packed;
    for (u32 i = 0; i < expr.list.count; ++i) {
      const ExprId child = tree_.expr_lists[expr.list.first + i];
      ir::Operand element;
      element.type = context.type;
      if (tree_[child].kind == ExprKind::sink && context.spec.whole && packed) {
        context.report.add(Kind::sink_not_allowed, tree_[child].span);
        return false;
      }
      if (tree_[child].kind == ExprKind::sink && context.spec.written && !context.spec.also_read &&
          !context.spec.register_only) {
        elements.push_back(element);
        continue;
      }
      const bool is_last = i + 1 == expr.list.count;
      if (!value(is_last && last.imm_last >= 0 ? of_last : i ? context : first, child, element))
        return false;
      elements.push_back(element);
    }
  } else if (context.spec.spread && !context.spec.bracketed && is_constant(tree_, id)) {
    ir::Operand element;
    if (!value(context, id, element)) return false;
    elements.assign(context.length, element);
  }
  // The vendor's assembler makes nothing of an offset (9.7.10.3) that is a single value.
  if (context.spec.spread && !context.spec.bracketed && !elements.empty() &&
      expr.kind != ExprKind::vector) {
    ir::Operand none;
    none.kind = ir::OperandKind::immediate;
    none.type = context.type;
    elements.assign(context.length, none);
    context.report.add(Kind::ignored_offset, expr.span)
        .help(fmt::format("write {} values in braces", context.length));
  }
  if (elements.size() != context.length) {
    const std::size_t written = expr.kind == ExprKind::vector ? expr.list.count : length;
    context.report.add(Kind::vector_length, expr.span, context.spec.name, context.length,
                       written == 1 ? "a single value" : fmt::format("{}", written));
    return false;
  }
  // Registers of a vector may be wider than the elements in memory, but have one size. A vector
  // cannot mix integer and floating-point registers; registers of a bit type go with both.
  u16 bits = 0;
  bool after_float = false, after_integer = false;
  for (const ir::Operand& element : elements) {
    if (element.kind != ir::OperandKind::reg) continue;
    const isa::TypeInfo& mine = isa::type_info(f_.registers[element.id].type);
    if (bits && mine.bits != bits) {
      context.report.add(Kind::vector_elements, expr.span);
      ++furthest_;  // this form is the right one
      return false;
    }
    const bool is_float = mine.cls == isa::TypeClass::float_;
    const bool is_integer =
        mine.cls == isa::TypeClass::signed_ || mine.cls == isa::TypeClass::unsigned_;
    if ((is_float && after_integer) || (is_integer && after_float)) {
      context.report.add(Kind::vector_mix, expr.span);
      ++furthest_;
      return false;
    }
    bits = mine.bits;
    after_float = is_float;
    after_integer = is_integer;
  }
  if (!bits && context.spec.written) {
    context.report.add(Kind::only_sinks, expr.span);
    return false;
  }
  out.kind = ir::OperandKind::vector;
  out.id = add_operands(elements);
  out.value = elements.size();
  return true;
}

}  // namespace heddle::check
