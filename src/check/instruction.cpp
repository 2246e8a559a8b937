// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One instruction: its mnemonic is resolved once per module, the operands choose among the
// candidate forms, and the gates of the chosen form must be open.
#include <algorithm>
#include <numeric>

#include "check/advice.h"
#include "check/body_checker.h"
#include "ir/operands.h"
#include "isa/mnemonic.h"
#include "isa/sem/tensor_box.h"
#include "isa/spell.h"

namespace heddle::check {

using diag::Kind;
using syntax::Expr;
using syntax::ExprId;
using syntax::ExprKind;

const Mnemonic& ModuleChecker::mnemonic(NameId name) {
  std::unique_ptr<Mnemonic>& slot = mnemonics_[name.value];
  if (slot) return *slot;
  slot = std::make_unique<Mnemonic>();
  isa::MnemonicParts parts = isa::take_apart(tree_.names[name]);
  slot->opcode = parts.opcode;
  slot->words = std::move(parts.words);
  slot->word_at = std::move(parts.word_at);
  slot->bank = parts.bank;
  slot->match = isa::match(slot->opcode, slot->words);
  slot->paired = find_paired(slot->opcode, slot->words);
  for (const isa::Candidate& candidate : slot->match.candidates)
    slot->plans.push_back(plan(candidate));
  return *slot;
}

bool ModuleChecker::is_special(NameId name) {
  Special& known = special_[name.value];
  if (known == Special::unknown) {
    const bool yes = text(name).starts_with('%') && isa::find_special_register(text(name));
    known = yes ? Special::yes : Special::no;
  }
  return known == Special::yes;
}

Plan ModuleChecker::plan(const isa::Candidate& candidate) const {
  const isa::Form& form = *candidate.form;
  const auto values = candidate.slot_values();
  Plan plan;
  plan.refused = refused(candidate);
  plan.has_operand_gates = std::ranges::any_of(
      form.gates, [](const isa::ConditionalGate& gate) { return gate.operand >= 0; });
  const isa::OperandSpec* first_address = nullptr;
  for (const isa::OperandSpec& spec : form.operands) {
    const bool last = &spec == &form.operands.back();
    const bool has_lanes = !last && (&spec + 1)->kind == isa::OperandKind::lanes;
    plan.operands.push_back({
        .spec = &spec,
        .type = isa::operand_type(spec, values),
        .length = isa::vector_length(form, spec, values),
        .is_vector = isa::is_vector(form, spec, values),
        .is_present = isa::is_present(spec, values),
        .is_decorated = spec.minus_slot >= 0 || spec.suffix_slot >= 0 || has_lanes,
        .space = space_of_form(candidate, &spec),
    });
    if (spec.kind == isa::OperandKind::address && !first_address) first_address = &spec;
    if (plan.operands.back().is_present && !spec.optional && !spec.pair_second && !spec.bracketed &&
        spec.kind != isa::OperandKind::lanes)
      plan.needed.push_back(&spec);
  }
  plan.space = space_of_form(candidate, first_address);
  return plan;
}

std::optional<std::string> ModuleChecker::refused(const isa::Candidate& candidate) const {
  isa::Target target = first_target();
  // With map_f64_to_f32, targets without f64 accept instructions of f64, which become instructions
  // of f32 (11.1.2).
  if (module_->map_f64_to_f32 && target.sm < 13 &&
      isa::spell_mnemonic(*candidate.form, candidate.slot_values()).find(".f64") !=
          std::string::npos) {
    target.sm = 13;
  }
  for (const isa::ConditionalGate& gate : candidate.form->gates) {
    if (gate.operand >= 0 || !isa::all_hold(gate.when, candidate.slot_values())) continue;
    if (auto why = isa::refuse(gate.gate, module_->version, target)) return why;
  }
  return std::nullopt;
}

/// Warns about rules of the manual that the vendor's assembler does not enforce.
void BodyChecker::advise(const syntax::Instruction& written, const isa::Candidate& candidate) {
  const isa::Form& form = *candidate.form;
  for (const isa::Rule& rule : form.advice) {
    if (!isa::all_hold(rule.when, candidate.slot_values())) continue;
    if (isa::all_hold(rule.then, candidate.slot_values())) continue;
    module_.report_.add(Kind::instruction_advice, written.mnemonic_span, form.opcode, rule.message);
  }
  for (const isa::ConditionalGate& gate : form.advised_gates) {
    if (!isa::all_hold(gate.when, candidate.slot_values())) continue;
    if (const auto why = isa::refuse(gate.gate, module_.module_->version, module_.first_target()))
      module_.report_.add(Kind::gate_advice, written.mnemonic_span, text(written.mnemonic))
          .help(*why);
  }
}

/// Warns about a read at a constant offset outside of the kernel's parameters, which traps when it
/// runs.
void BodyChecker::advise_of_parameters(const syntax::Instruction& written, const isa::Form& form) {
  if (form.effects().access != isa::Access::load || written.operands.count < 2) return;
  const ir::Operand& to = bound_[0];
  const auto from = std::ranges::find_if(bound_, [](const ir::Operand& one) {
    return one.is_address && one.kind == ir::OperandKind::parameter;
  });
  if (from == bound_.end()) return;
  const auto parts = ir::elements_of(f_, to);
  const u64 bytes = parts.size() * isa::type_info(parts[0].type).bits / 8;
  if (from->value < f_.param_bytes && bytes <= f_.param_bytes - from->value) return;
  const Span span = tree_[tree_.expr_lists[written.operands.first + 1]].span;
  module_.report_.add(Kind::beyond_parameters, span, f_.param_bytes, bytes,
                      static_cast<s64>(from->value));
}

/// Warns about a box of a tensor copy at a place in a variable whose alignment does not promise the
/// multiple that the box needs.
void BodyChecker::advise_of_alignment(const syntax::Instruction& written, const isa::Form& form) {
  if (!form.effects().box) return;
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    const ir::Operand& one = bound_[i];
    const std::string_view name = form.operands[i].name;
    if ((name != "dst" && name != "src") || one.kind != ir::OperandKind::variable) continue;
    const ir::Variable& variable = module_.module_->variables[one.id];
    const u64 known = std::gcd(u64{variable.align}, one.value);
    if (known % sem::kTensorBoxAlignment == 0) continue;
    const std::string place = one.value
                                  ? fmt::format("{}+{}", variable.name, static_cast<s64>(one.value))
                                  : variable.name;
    module_.report_.add(Kind::box_alignment, written.mnemonic_span, place, known,
                        sem::kTensorBoxAlignment);
  }
}

void BodyChecker::instruction(const syntax::Instruction& written, Span span) {
  const Mnemonic& mnemonic = module_.mnemonic(written.mnemonic);
  ir::Guard guard;
  diag::Report& report = module_.report_;
  if (written.guard.predicate) {
    const std::string_view name = text(written.guard.predicate);
    const u32 end = written.guard.span.end;
    const Span at{end - static_cast<u32>(name.size()), end};  // without the @ and !
    const Symbol symbol = look_up(written.guard.predicate, at, report);
    if (symbol.kind == SymbolKind::reg && f_.registers[symbol.id].type == isa::Type::pred) {
      guard = {ir::RegId(symbol.id), written.guard.negated};
    } else if (symbol.kind != SymbolKind::none && symbol.kind != SymbolKind::error) {
      auto& diagnostic = report.add(Kind::guard_not_predicate, at, name);
      if (symbol.kind == SymbolKind::reg) {
        const std::string_view type = isa::type_info(f_.registers[symbol.id].type).name;
        diagnostic.label(symbol.declared, fmt::format("declared here as .{}", type))
            .help("make a predicate of it with setp");
      } else {
        diagnostic.label(symbol.declared, "declared here");
      }
    }
  }
  if (mnemonic.match.mismatch) {
    report_mismatch(written, mnemonic);
    return;
  }
  const std::vector<isa::Candidate>& candidates = mnemonic.match.candidates;
  // Usually there is one form. Otherwise the first form whose operands match and whose gates are
  // open; else the first whose operands match; else the form with the longest match reports the
  // mistake.
  std::size_t chosen = candidates.size();
  if (candidates.size() == 1) {
    if (!bind(written, candidates[0], mnemonic.plans[0], report)) return;
    chosen = 0;
  } else {
    std::size_t nearest = 0;
    u32 best = 0;
    bool again = false;  // the chosen form has messages, or others were tried after it
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Plan& plan = mnemonic.plans[i];
      trial_.restart();
      if (bind(written, candidates[i], plan, trial_)) {
        if (chosen == candidates.size() || !plan.refused) {
          chosen = i;
          again = plan.refused || !trial_.diagnostics().empty();
        }
        if (!plan.refused) break;
      } else {
        // An undeclared name is an error in every form; other forms cannot succeed.
        const auto& said = trial_.diagnostics();
        const bool is_unknown = !said.empty() && said.back().kind == Kind::undeclared;
        const u32 reached = 2 * furthest_ + is_unknown;
        if (reached > best) {
          best = reached;
          nearest = i;
        }
      }
    }
    if (chosen == candidates.size()) {
      bind(written, candidates[nearest], mnemonic.plans[nearest], report);
      return;
    }
    if (again) bind(written, candidates[chosen], mnemonic.plans[chosen], report);
  }
  const isa::Candidate& candidate = candidates[chosen];
  const isa::Form& form = *candidate.form;
  const Plan& plan = mnemonic.plans[chosen];
  std::optional<std::string> refused;
  if (plan.refused || plan.has_operand_gates)
    refused = plan.refused ? plan.refused : refused_operand(candidate);
  if (refused) {
    auto& diagnostic =
        report.add(Kind::instruction_gate, written.mnemonic_span, text(written.mnemonic))
            .help(*refused);
    // Where the modifiers also have a form that is available, for other operands, more of them do
    // not help.
    std::string words;
    if (std::ranges::all_of(mnemonic.plans, [](const Plan& one) { return !!one.refused; })) {
      words = opening_words(mnemonic.opcode, mnemonic.words,
                            [&](const isa::Candidate& one) { return !module_.refused(one); });
    }
    if (!words.empty()) diagnostic.help(fmt::format("with {} it is available", words));
    return;
  }
  advise(written, candidate);
  advise_of_parameters(written, form);
  advise_of_alignment(written, form);
  ir::SourcePoint at = module_.point(span);
  at.loc_file = loc_.loc_file;
  at.loc_line = loc_.loc_line;
  const ir::Space space = space_of_access(plan);
  compute_operands(at);
  ir::Inst& inst = f_.insts.emplace_back();
  inst.form = form.id;
  inst.guard = guard;
  inst.at = at;
  auto slots = candidate.values;  // a copy without aliases
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] |= at_operands_[i];  // one of them is 0
  inst.slots = slots;
  if (form.carry != isa::CarryUse::none) {
    if (!carry_) carry_ = module_.make_registers(f_, isa::Type::pred, 1, "CC.CF");
    ir::Operand carry;
    carry.kind = ir::OperandKind::reg;
    carry.type = isa::Type::pred;
    carry.id = carry_.value;
    bound_.push_back(carry);
  }
  inst.space = static_cast<u8>(space);
  inst.operands = {add_operands(bound_), static_cast<u32>(bound_.size())};
  if (mnemonic.paired != kUnpaired) paired_uses().add(mnemonic.paired, written.mnemonic_span);
  if (form.opcode == "call") check_call(written);
}

PairedUses& BodyChecker::paired_uses() {
  std::vector<PairedUses>& all = module_.paired_uses_;
  if (all.size() <= id_.value) all.resize(id_.value + 1);
  return all[id_.value];
}

/// The version and target that a written optional operand requires; none: they are met.
std::optional<std::string> BodyChecker::refused_operand(const isa::Candidate& candidate) const {
  for (const isa::ConditionalGate& gate : candidate.form->gates) {
    if (gate.operand < 0 ||
        bound_[static_cast<std::size_t>(gate.operand)].kind == ir::OperandKind::none)
      continue;
    if (!isa::all_hold(gate.when, candidate.slot_values())) continue;
    if (auto why = isa::refuse(gate.gate, module_.module_->version, module_.first_target()))
      return why;
  }
  return std::nullopt;
}

u32 BodyChecker::add_operands(const std::vector<ir::Operand>& operands) {
  const u32 first = static_cast<u32>(f_.operands.size());
  for (const ir::Operand& operand : operands) f_.operands.push_back(operand);
  return first;
}

/// Matches the written operands with the operands of the form; fills `bound_`, with one entry for
/// each operand of the form.
bool BodyChecker::bind(const syntax::Instruction& written, const isa::Candidate& candidate,
                       const Plan& plan, diag::Report& report) {
  const isa::Form& form = *candidate.form;
  bound_.clear();
  computed_.clear();
  at_operands_ = {};
  furthest_ = 0;
  const std::size_t vectors_before = f_.operands.size();
  const ExprId* operands = tree_.expr_lists.data() + written.operands.first;
  u32 next = 0;                        // written operand
  const Expr* address_list = nullptr;  // the last [ ... ]
  u32 inside = 0;                      // next element of it
  ExprId pair_second;
  const auto the_form = [&] {
    if (report.is_trial()) return std::string();
    return fmt::format("the form is {}", isa::spell(form, candidate.slot_values()));
  };
  const auto fail = [&] {
    f_.operands.resize(vectors_before);
    return false;
  };
  if (written.operands.count < plan.needed.size() && !report.is_trial() &&
      too_few(written, candidate, plan, report))
    return fail();
  for (const Expected& expected : plan.operands) {
    const isa::OperandSpec& spec = *expected.spec;
    if (spec.kind == isa::OperandKind::lanes) {
      bound_.push_back(lanes_);
      continue;
    }
    ir::Operand& out = bound_.emplace_back();
    out.type = expected.type;
    if (!expected.is_present || &spec == left_out_) continue;
    const Context context{candidate,          spec,           expected.type, expected.length,
                          expected.is_vector, expected.space, report};
    ExprId id;
    if (spec.pair_second) {
      id = pair_second;
      pair_second = {};
      if (!id) {
        if (!spec.optional) {
          report
              .add(Kind::missing_pair,
                   next ? tree_[operands[next - 1]].span : written.mnemonic_span, spec.name)
              .help(the_form());
          return fail();
        }
        continue;
      }
    } else if (spec.bracketed) {
      if (address_list && inside < address_list->list.count)
        id = tree_.expr_lists[address_list->list.first + inside++];
    } else if (next < written.operands.count) {
      id = operands[next++];
    }
    if (!id) {
      if (spec.optional) continue;
      const Span at = next ? tree_[operands[next - 1]].span : written.mnemonic_span;
      report.add(Kind::missing_operand, Span{at.end - 1, at.end}, spec.name).help(the_form());
      return fail();
    }
    if (tree_[id].kind == ExprKind::pair && !spec.pair_second) {
      pair_second = tree_[id].child.b;
      id = tree_[id].child.a;
    }
    if (spec.kind == isa::OperandKind::address && tree_[id].kind == ExprKind::address) {
      address_list = &tree_[id];
      inside = 1;
    }
    const bool last = &expected == &plan.operands.back();
    if (expected.is_decorated && !decoration(context, last ? nullptr : &spec + 1, id))
      return fail();
    if (!operand(context, id, out)) return fail();
    ++furthest_;
  }
  if (pair_second) {
    report.add(Kind::extra_pair, tree_[pair_second].span).help(the_form());
    return fail();
  }
  if (next < written.operands.count) {
    report.add(Kind::extra_operand, tree_[operands[next]].span, form.opcode).help(the_form());
    return fail();
  }
  if (address_list && inside < address_list->list.count) {
    report
        .add(Kind::extra_operand, tree_[tree_.expr_lists[address_list->list.first + inside]].span,
             form.opcode)
        .help(the_form());
    return fail();
  }
  furthest_ += 1000;
  return true;
}

}  // namespace heddle::check
