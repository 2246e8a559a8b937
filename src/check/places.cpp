// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that name a place: addresses in memory (PTX ISA 6.4.1), labels, functions and the lists
// of a call (6.4.4, 9.7.12).
#include <algorithm>

#include "check/body_checker.h"

namespace heddle::check {

using diag::Kind;
using isa::Type;
using isa::TypeClass;
using syntax::Expr;
using syntax::ExprId;
using syntax::ExprKind;

namespace {

/// From this target on the driver places all memory except .local, of which each function has its
/// own.
constexpr u16 kFirstAbi = 20;

/// Whether a register of this type can hold an address (6.4.1); a register that is narrower than
/// the address is extended with zeros (9.7.9.8).
bool holds_address(const isa::TypeInfo& type) {
  const bool integer = type.cls == TypeClass::bits || type.cls == TypeClass::signed_ ||
                       type.cls == TypeClass::unsigned_;
  return integer && type.bits <= 64;
}

/// Whether addresses of the state space have the module's address size. The other state spaces are
/// windows with 32-bit addresses.
bool is_full_width(ir::Space space) {
  return space == ir::Space::generic || space == ir::Space::global;
}

/// Whether an address is a plain number in a register, in no state space of 5.1: tensor memory.
bool is_plain_address(const isa::OperandSpec& spec) {
  return spec.kind == isa::OperandKind::address && isa::type_info(spec.type).cls == TypeClass::bits;
}

/// Whether a register of type `reg` holds an address in tensor memory.
bool is_tensor_address(const isa::OperandSpec& spec, Type reg) {
  return spec.exact ? reg == spec.type : isa::type_info(reg).bits == isa::type_info(spec.type).bits;
}

}  // namespace

// --- addresses (6.4.1) ---

ir::Space space_of_form(const isa::Candidate& candidate, const isa::OperandSpec* spec) {
  if (spec && spec->space_slot < 0 && !spec->space.empty()) {
    return space_of(spec->space).value_or(ir::Space::generic);
  }
  const auto slots = candidate.form->slots;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name != "ss" || !candidate.values[i]) continue;
    for (const isa::Choice& choice : slots[i].choices) {
      if (choice.value == candidate.values[i])
        return space_of(isa::word_text(choice.word)).value_or(ir::Space::generic);
    }
  }
  return ir::Space::generic;
}

std::optional<ir::Space> BodyChecker::space_of_symbol(const ir::Operand& operand) const {
  switch (operand.kind) {
    case ir::OperandKind::variable:
      return module_.module_->variables[operand.id].space;
    case ir::OperandKind::local:
      return f_.locals[operand.id].space;
    case ir::OperandKind::parameter:
      return ir::Space::param;
    default:
      return std::nullopt;
  }
}

/// The type of a variable or parameter.
Type BodyChecker::type_of_symbol(const Symbol& symbol) const {
  switch (symbol.kind) {
    case SymbolKind::variable:
      return module_.module_->variables[symbol.id].type;
    case SymbolKind::parameter:
      return f_.signature.params[symbol.id].type;
    case SymbolKind::local:
      return f_.locals[symbol.id].type;
    default:
      return Type::none;
  }
}

/// Whether the symbol is one of this function's parameters or results, not a variable that it
/// passes to a call.
bool BodyChecker::is_formal(const std::vector<ir::Parameter>& formals,
                            const ir::Operand& operand) const {
  return operand.kind == ir::OperandKind::local &&
         std::ranges::any_of(formals, [&](const ir::Parameter& formal) {
           return !formal.in_register && formal.local.value == operand.id;
         });
}

void BodyChecker::locate(const Symbol& symbol, ir::Operand& out) const {
  if (symbol.kind == SymbolKind::parameter) {
    out.kind = ir::OperandKind::parameter;
    out.value += f_.signature.params[symbol.id].offset;
  } else {
    out.kind =
        symbol.kind == SymbolKind::local ? ir::OperandKind::local : ir::OperandKind::variable;
  }
}

/// Whether the type has 32 bits in a module with 64-bit addresses (11.1.3). The vendor's assembler
/// would switch the whole module to 32-bit addresses, which no current target supports.
bool BodyChecker::is_narrow(Type type) const {
  return module_.module_->address_size == 64 && isa::type_info(type).bits == 32;
}

bool BodyChecker::address_base(const Context& context, Span span, NameId name, ir::Operand& out) {
  const Symbol symbol = look_up(name, span, context.report);
  const isa::TypeInfo& plain = isa::type_info(context.type);
  if (is_plain_address(context.spec) && symbol.kind != SymbolKind::none &&
      symbol.kind != SymbolKind::error &&
      (symbol.kind != SymbolKind::reg ||
       !is_tensor_address(context.spec, f_.registers[symbol.id].type))) {
    context.report.add(Kind::tensor_address, span, context.spec.name, plain.name)
        .label(symbol.declared, "declared here");
    return false;
  }
  switch (symbol.kind) {
    case SymbolKind::none:
    case SymbolKind::error:
      return false;
    case SymbolKind::reg: {
      const isa::TypeInfo& type = isa::type_info(f_.registers[symbol.id].type);
      const bool free = context.spec.free && type.bits >= 16 && type.bits <= 64;
      if (symbol.length > 1 || (!holds_address(type) && !free)) {
        context.report.add(Kind::address_register, span, text(name), type.name)
            .label(symbol.declared, "declared here");
        return false;
      }
      if (type.bits < context.spec.least_bits && context.space == ir::Space::generic) {
        context.report.add(Kind::address_register, span, text(name), type.name)
            .label(symbol.declared, "declared here")
            .help(fmt::format("of {} bits at least", context.spec.least_bits));
        return false;
      }
      if (context.spec.full_width && is_narrow(f_.registers[symbol.id].type) &&
          is_full_width(context.space)) {
        context.report.add(Kind::narrow_address, span, fmt::format("'{}'", text(name)))
            .label(symbol.declared, fmt::format("declared here as .{}", type.name));
        return false;
      }
      out.kind = ir::OperandKind::reg;
      break;
    }
    case SymbolKind::variable:
    case SymbolKind::local:
    case SymbolKind::parameter:
      locate(symbol, out);
      break;
    default:
      context.report.add(Kind::not_an_address, span, text(name))
          .label(symbol.declared, "declared here");
      return false;
  }
  out.id = symbol.id;
  if (isa::type_info(type_of_symbol(symbol)).cls == TypeClass::opaque) {
    context.report.add(Kind::not_an_address, span, text(name))
        .label(symbol.declared, "declared here")
        .help("textures, samplers and surfaces have instructions of their own");
    return false;
  }
  const std::string_view opcode = context.candidate.form->opcode;
  const bool is_input =
      out.kind == ir::OperandKind::parameter || is_formal(f_.signature.params, out);
  if (opcode == "st" && is_input) {
    context.report.add(Kind::parameter_written, span, text(name))
        .label(symbol.declared, "declared here");
    return false;
  }
  if (opcode == "ld" && is_formal(f_.signature.returns, out)) {
    context.report.add(Kind::result_read, span, text(name)).label(symbol.declared, "declared here");
    return false;
  }
  const auto space = space_of_symbol(out);
  const ir::Space wanted = context.space;
  if (space && *space != wanted) {
    const std::string_view must = context.spec.symbol_space;
    // .local memory is private to a thread, and has no atomic operations (9.7.13.5).
    const bool alone = *space == ir::Space::local && (opcode == "atom" || opcode == "red");
    const bool generic = wanted == ir::Space::generic && *space != ir::Space::param &&
                         *space != ir::Space::constant && !alone &&
                         (must.empty() || space_of(must) == space);
    if (!generic) {
      auto& diagnostic =
          context.report
              .add(Kind::wrong_space, span, text(name), name_of(*space), opcode, name_of(wanted))
              .label(symbol.declared, "declared here");
      const bool readable_only = *space == ir::Space::param || *space == ir::Space::constant;
      if (opcode == "ld" || (opcode == "st" && !readable_only))
        diagnostic.help(fmt::format("write {}{}", opcode, name_of(*space)));
      return false;
    }
  }
  return true;
}

bool BodyChecker::address(const Context& context, ExprId id, ir::Operand& out) {
  const Expr& written = tree_[id];
  out.is_address = true;
  ExprId inner = id;
  if (written.kind == ExprKind::address) {
    if (!written.list.count) {
      context.report.add(Kind::not_an_address, written.span, "[]");
      return false;
    }
    if (written.field && text(written.field) != context.spec.suffix) {
      context.report.add(Kind::address_suffix, written.span, text(written.field));
      return false;
    }
    inner = tree_.expr_lists[written.list.first];
  } else if (written.kind !=
             ExprKind::index) {  // `ld.global.u32 d, a[3]` needs no brackets (6.4.2)
    context.report.add(Kind::expected_address, written.span, context.spec.name);
    return false;
  }
  const Expr& expr = tree_[inner];
  if (isa::type_info(context.type).cls == TypeClass::opaque) {
    if (expr.kind == ExprKind::name) return object(context, inner, out);
    if (expr.kind != ExprKind::error)
      context.report.add(Kind::bad_object, expr.span, isa::type_info(context.type).name);
    return false;
  }
  if (is_constant(tree_, inner) && written.list.count == 1) {
    const auto constant = evaluate(tree_, inner, context.report);
    if (!constant) return false;
    if (is_plain_address(context.spec)) {
      context.report.add(Kind::tensor_address, expr.span, context.spec.name,
                         isa::type_info(context.type).name);
      return false;
    }
    if (!constant->is_integer()) {
      context.report.add(Kind::constant_type, expr.span, "an integer");
      return false;
    }
    const ir::Space space = context.space;
    if (space != ir::Space::local && module_.first_target().sm >= kFirstAbi) {
      context.report.add(Kind::absolute_address, expr.span,
                         space == ir::Space::generic
                             ? "a generic address"
                             : fmt::format("an address in {}", name_of(space)));
      return false;
    }
    out.kind = ir::OperandKind::immediate;
    out.value = constant->bits;
    return true;
  }
  switch (expr.kind) {
    case ExprKind::error:
      return false;
    case ExprKind::name:
      return address_base(context, expr.span, expr.name_id, out);
    case ExprKind::index: {
      const Expr& base = tree_[expr.child.a];
      if (base.kind != ExprKind::name) break;
      if (written.kind == ExprKind::address) {
        context.report.add(Kind::bad_address, expr.span)
            .help("an element of an array stands without the outer brackets");
        return false;
      }
      if (!address_base(context, base.span, base.name_id, out)) return false;
      if (out.kind == ir::OperandKind::reg) break;
      return index(context, expr.child.a, expr.child.b, out);
    }
    case ExprKind::binary: {
      if (const char* help = misplaced_offset(expr)) {
        context.report.add(Kind::bad_address, expr.span).help(help);
        return false;
      }
      const ExprId base = base_of_sum(inner);
      if (written.list.count > 1) break;  // `[map, {x, y}]`: no offset
      if (!base || tree_[base].kind != ExprKind::name) break;
      const auto offset = offset_of(inner, context.report);
      if (!offset) return false;
      out.value += *offset;
      return address_base(context, tree_[base].span, tree_[base].name_id, out);
    }
    default:
      break;
  }
  context.report.add(Kind::bad_address, expr.span).help("compute it in a register first");
  return false;
}

// --- control flow ---

bool BodyChecker::name_operand(const Context& context, ExprId id, SymbolKind wanted,
                               ir::Operand& out) {
  const Expr& expr = tree_[id];
  const Kind kind = wanted == SymbolKind::label      ? Kind::not_a_label
                    : wanted == SymbolKind::function ? Kind::not_a_function
                    : wanted == SymbolKind::prototype || context.candidate.form->opcode == "call"
                        ? Kind::not_a_prototype
                        : Kind::not_targets;
  if (expr.kind != ExprKind::name) {
    context.report.add(kind, expr.span, module_.source_.text(expr.span));
    return false;
  }
  const Symbol symbol = look_up(expr.name_id, expr.span, context.report);
  if (symbol.kind == SymbolKind::none || symbol.kind == SymbolKind::error) return false;
  out.id = symbol.id;
  if (wanted == SymbolKind::function && context.spec.register_only) {  // indirect
    if (symbol.kind == SymbolKind::reg) {
      if (holds_address(isa::type_info(f_.registers[symbol.id].type))) {
        out.kind = ir::OperandKind::reg;
        return true;
      }
    }
  } else if (wanted == SymbolKind::targets &&
             symbol.kind == SymbolKind::variable) {  // a jump table
    ir::TargetList list;
    for (const ir::Relocation& relocation : module_.module_->variables[symbol.id].relocations) {
      if (relocation.is_function) list.functions.emplace_back(relocation.symbol);
    }
    out.kind = ir::OperandKind::targets;
    out.id = static_cast<u32>(f_.target_lists.size());
    f_.target_lists.push_back(std::move(list));
    return true;
  } else if (symbol.kind == wanted) {
    switch (wanted) {
      case SymbolKind::label:
        out.kind = ir::OperandKind::label;
        break;
      case SymbolKind::function:
        out.kind = ir::OperandKind::function;
        break;
      case SymbolKind::targets:
        out.kind = ir::OperandKind::targets;
        break;
      default:
        out.kind = ir::OperandKind::prototype;
        break;
    }
    return true;
  }
  context.report.add(kind, expr.span, text(expr.name_id)).label(symbol.declared, "declared here");
  return false;
}

/// ( a, b, c ) of a call: registers, .param variables of the caller, constants; `_` for an unused
/// result.
bool BodyChecker::call_list(const Context& context, ExprId id, ir::Operand& out) {
  const Expr& expr = tree_[id];
  if (expr.kind != ExprKind::list) {
    context.report.add(Kind::expected_list, expr.span);
    return false;
  }
  std::vector<ir::Operand> elements;
  for (u32 i = 0; i < expr.list.count; ++i) {
    const ExprId child = tree_.expr_lists[expr.list.first + i];
    const Expr& one = tree_[child];
    ir::Operand element;
    element.type = Type::b32;
    if (one.kind == ExprKind::error) return false;
    if (one.kind == ExprKind::sink && context.spec.written) {
      elements.push_back(element);
      continue;
    }
    if (is_constant(tree_, child) && !context.spec.written) {
      const auto constant = evaluate(tree_, child, context.report);
      if (!constant) return false;
      element.kind = ir::OperandKind::immediate;
      element.type = constant->is_integer() ? Type::b64 : Type::f64;
      element.value = constant->is_integer() ? constant->bits : *convert(*constant, Type::f64);
      elements.push_back(element);
      continue;
    }
    if (one.kind != ExprKind::name) {
      context.report.add(Kind::bad_argument, one.span);
      return false;
    }
    const Symbol symbol = look_up(one.name_id, one.span, context.report);
    if (symbol.kind == SymbolKind::none || symbol.kind == SymbolKind::error) return false;
    element.id = symbol.id;
    if (symbol.kind == SymbolKind::reg) {
      element.kind = ir::OperandKind::reg;
      element.type = f_.registers[symbol.id].type;
      for (u32 part = 1; part < symbol.length; ++part) {
        elements.push_back(element);
        element.id = symbol.id + part;
      }
    } else if (symbol.kind == SymbolKind::local && f_.locals[symbol.id].space == ir::Space::param) {
      element.kind = ir::OperandKind::local;
      element.type = f_.locals[symbol.id].type;
    } else {
      context.report.add(Kind::bad_argument, one.span).label(symbol.declared, "declared here");
      return false;
    }
    elements.push_back(element);
  }
  out.kind = ir::OperandKind::vector;
  out.id = add_operands(elements);
  out.value = elements.size();
  return true;
}

}  // namespace heddle::check
