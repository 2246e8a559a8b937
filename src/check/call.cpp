// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the arguments and results of a call against the callee's signature (PTX ISA 7.1,
// 9.7.12.5).
#include <algorithm>

#include "check/body_checker.h"

namespace heddle::check {

using diag::Kind;
using syntax::Expr;
using syntax::ExprKind;

namespace {

/// Whether a call may pass a value of type `a` for type `b`: bit types match any type of their
/// size, integer types match each other.
bool same_kind(isa::Type a, isa::Type b) {
  const isa::TypeInfo &x = isa::type_info(a), &y = isa::type_info(b);
  const auto is_integer = [](const isa::TypeInfo& type) {
    return type.cls == isa::TypeClass::signed_ || type.cls == isa::TypeClass::unsigned_;
  };
  const bool is_pred = x.cls == isa::TypeClass::pred || y.cls == isa::TypeClass::pred;
  if (a == b || is_pred) return a == b;
  return x.cls == isa::TypeClass::bits || y.cls == isa::TypeClass::bits ||
         (is_integer(x) && is_integer(y));
}

}  // namespace

/// Checks the call that was added last.
void BodyChecker::check_call(const syntax::Instruction& written) {
  const ir::Inst inst = f_.insts.back();
  const isa::Form& form = inst.get_form();
  constexpr u32 kNone = 0xffffffff;
  u32 d = kNone, a = kNone;
  const ir::Signature* signature = nullptr;
  PairedUses& uses = paired_uses();
  const std::size_t callees = uses.callees.size();
  const Span at = written.mnemonic_span;
  Span callee;  // where it is declared
  for (u32 i = 0; i < form.operands.size(); ++i) {
    const ir::Operand& operand = f_.operands[inst.operands.first + i];
    const std::string_view name = form.operands[i].name;
    if (name == "d") d = inst.operands.first + i;
    if (name == "a") a = inst.operands.first + i;
    if (operand.kind == ir::OperandKind::function) {
      signature = &module_.module_->functions[operand.id].signature;
      if (module_.module_->functions[operand.id].is_entry) {
        module_.report_.add(Kind::call_of_kernel, at, module_.module_->functions[operand.id].name);
        return;
      }
      callee = module_.module_->functions[operand.id].span;
      uses.callees.push_back(operand.id);
    }
    if (operand.kind == ir::OperandKind::prototype) signature = &f_.prototypes[operand.id];
    if (operand.kind == ir::OperandKind::targets && operand.id < f_.target_lists.size() &&
        !f_.target_lists[operand.id].functions.empty()) {
      signature =
          &module_.module_->functions[f_.target_lists[operand.id].functions[0].value].signature;
    }
  }
  uses.calls_unknown |= uses.callees.size() == callees;
  if (!signature) return;
  // Results stand before the callee, arguments after it.
  const Expr *results = nullptr, *arguments = nullptr;
  for (u32 i = 0; i < written.operands.count; ++i) {
    const Expr& one = tree_[tree_.expr_lists[written.operands.first + i]];
    if (one.kind == ExprKind::list) (i == 0 ? results : arguments) = &one;
  }
  pass(signature->returns, d, "result", results, at, callee);
  pass(signature->params, a, "argument", arguments, at, callee);
}

/// The number of operands for one written argument: a vector register is one operand per component.
u32 BodyChecker::length_of_actual(const Expr& actual) const {
  if (actual.kind != ExprKind::name) return 1;
  const Symbol& symbol = module_.scopes_[actual.name_id];
  return symbol.kind == SymbolKind::reg ? symbol.length : 1;
}

/// Whether vectors are passed for vectors of the same length (`_` takes any); reports a mismatch.
bool BodyChecker::same_shape(const std::vector<ir::Parameter>& formals, std::string_view what,
                             const Expr& list) {
  std::size_t formal = 0;
  for (u32 i = 0; i < list.list.count && formal < formals.size(); ++i) {
    const Expr& one = tree_[tree_.expr_lists[list.list.first + i]];
    const u32 given = length_of_actual(one), wanted = std::max<u32>(formals[formal].vector, 1);
    if (given != wanted && one.kind != ExprKind::sink) {
      const auto shape = [](u32 length) {
        return length == 1 ? std::string("a single value")
                           : fmt::format("a vector of {} elements", length);
      };
      module_.report_.add(Kind::call_shape, one.span, what, i, shape(given), shape(wanted));
      return false;
    }
    formal += wanted;
  }
  return true;
}

/// Adds operands that a list may leave out: `_` takes all components of a vector, and the last
/// parameter may be missing if its size is open (11.2.2).
void BodyChecker::complete(const std::vector<ir::Parameter>& formals, u32 actuals,
                           const Expr& list) {
  const ir::Operand before = f_.operands[actuals];
  std::vector<ir::Operand> elements;
  u32 next = 0;
  for (u32 i = 0; i < list.list.count; ++i) {
    const Expr& one = tree_[tree_.expr_lists[list.list.first + i]];
    const std::size_t formal = elements.size();
    for (u32 k = 0; k < length_of_actual(one); ++k)
      elements.push_back(f_.operands[before.id + next++]);
    if (one.kind != ExprKind::sink || formal >= formals.size()) continue;
    for (u8 k = 1; k < formals[formal].vector; ++k) elements.push_back(elements.back());
  }
  if (!formals.empty() && formals.back().unsized && elements.size() + 1 == formals.size())
    elements.emplace_back();
  const u32 first = add_operands(elements);
  f_.operands[actuals].id = first;
  f_.operands[actuals].value = elements.size();
}

/// `actuals`: the operand with the list, or beyond all operands where the form has none.
void BodyChecker::pass(const std::vector<ir::Parameter>& formals, u32 actuals,
                       std::string_view what, const Expr* list, Span call, Span callee) {
  const auto say = [&](diag::Diagnostic& diagnostic) {
    if (callee != Span{}) diagnostic.label(callee, "declared here");
  };
  const auto passed = [&] {
    const bool is_list =
        actuals < f_.operands.size() && f_.operands[actuals].kind == ir::OperandKind::vector;
    return is_list ? f_.operands[actuals].value : 0;
  };
  if (list && !same_shape(formals, what, *list)) return;
  const u64 written = passed();
  if (list && written < formals.size()) complete(formals, actuals, *list);
  const u64 given = passed();
  if (given != formals.size()) {
    say(module_.report_.add(Kind::call_count, list ? list->span : call, formals.size(), what,
                            written));
    return;
  }
  for (u64 i = 0; i < given && !module_.gives_up(call); ++i) {
    ir::Operand& actual = f_.operands[f_.operands[actuals].id + i];
    const ir::Parameter& formal = formals[i];
    // A vector register is several arguments; then the whole call is the span of the message.
    const bool one_each = list && list->list.count == given;
    const Span span = one_each ? tree_[tree_.expr_lists[list->list.first + i]].span : call;
    const bool in_vector = formal.vector != 1;  // components of a vector are passed as bits
    isa::Type type = formal.type;
    u64 size = formal.size;
    u32 align = formal.align;
    bool is_array = formal.is_array;
    switch (actual.kind) {
      case ir::OperandKind::reg:
        type = f_.registers[actual.id].type;
        size = align = bytes_of(type);
        is_array = false;
        if (formal.in_register) align = formal.align;
        break;
      case ir::OperandKind::local: {
        const ir::Variable& variable = f_.locals[actual.id];
        if (is_formal(f_.signature.params, actual) || is_formal(f_.signature.returns, actual)) {
          module_.report_.add(Kind::bad_argument, span).label(variable.span, "declared here");
          continue;
        }
        type = variable.type;
        size = variable.size;
        align = variable.align;
        is_array = variable.is_array;
        break;
      }
      case ir::OperandKind::immediate: {
        const bool is_real = actual.type == isa::Type::f64;
        const Constant value{is_real ? Constant::Kind::f64 : Constant::Kind::s64, actual.value};
        if (const auto bits = convert(value, formal.type))
          actual.value = *bits;
        else
          type = is_real ? isa::Type::f64 : isa::Type::s64;
        if (formal.is_array) is_array = false;
        actual.type = formal.type;
        break;
      }
      case ir::OperandKind::none:
        actual.type = formal.type;
        break;
      default:
        break;
    }
    if (size != formal.size && formal.size != 0) {
      say(module_.report_.add(Kind::call_size, span, what, i, size, formal.size));
    } else if (is_array != formal.is_array || (!in_vector && !same_kind(type, formal.type))) {
      const auto spelled = [](isa::Type t, bool array) {
        return fmt::format("{}{}", isa::type_info(t).name, array ? "[]" : "");
      };
      say(module_.report_.add(Kind::call_type, span, what, i, spelled(type, is_array),
                              spelled(formal.type, formal.is_array)));
    } else if (align != formal.align) {
      say(module_.report_.add(Kind::call_alignment, span, what, i, align, formal.align));
    }
  }
}

}  // namespace heddle::check
