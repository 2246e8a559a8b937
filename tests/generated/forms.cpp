// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "forms.h"

#include <algorithm>

#include "isa/entry.h"

namespace heddle::generated {
namespace {

using isa::Form;
using isa::OperandKind;
using isa::SemKind;
using isa::Slot;
using isa::SlotKind;

constexpr int kTries = 40;

bool keeps_rules(const Instance& instance) {
  for (const isa::Rule& rule : instance.form->rules) {
    if (isa::all_hold(rule.when, instance.slots()) && !isa::all_hold(rule.then, instance.slots()))
      return false;
  }
  return true;
}

bool is_open(const Instance& instance, const Place& place) {
  for (const isa::ConditionalGate& gate : instance.form->gates) {
    const bool applies =
        (gate.operand < 0 || instance.optional) && isa::all_hold(gate.when, instance.slots());
    if (applies && isa::refuse(gate.gate, place.version, place.target)) return false;
  }
  return true;
}

/// Whether the instruction is of integers, has .ftz, or only moves or selects numbers.
bool flushes(const Instance& instance) {
  constexpr std::string_view kNoArithmetic[] = {"mov", "selp", "copysign"};
  const Form& form = *instance.form;
  if (std::ranges::count(kNoArithmetic, form.opcode)) return true;
  return std::ranges::all_of(form.operands, [&](const isa::OperandSpec& spec) {
    const isa::Type type = instance.type_of(spec);
    const isa::TypeClass cls = isa::type_info(type).cls;
    const bool computes = cls == isa::TypeClass::float_ || cls == isa::TypeClass::packed;
    return !computes || (type == isa::Type::f32 && instance.word("ftz") == "ftz");
  });
}

std::string_view word_of(const Slot& slot, u8 value) {
  for (const isa::Choice& choice : slot.choices)
    if (choice.value == value) return isa::word_text(choice.word);
  return {};
}

/// Optional modifiers are so rare that forms that need two absent ones are found in a few tries.
constexpr u32 kOneIn = 3;

/// Chooses an allowed value; false when there is none.
bool fill(const Slot& slot, u8& value, Random& random, const Allow& allow) {
  if (slot.kind == SlotKind::word) {
    value = slot.choices[0].value;
    return true;
  }
  if (slot.kind == SlotKind::derived) return true;
  const bool may_be_absent = !slot.required && (!allow || allow(slot.name, ""));
  if (may_be_absent && random.below(kOneIn) != 0) {
    value = 0;
    return true;
  }
  std::vector<u8> allowed;
  for (const isa::Choice& choice : slot.choices) {
    if (!allow || allow(slot.name, isa::word_text(choice.word))) allowed.push_back(choice.value);
  }
  value = allowed.empty() ? 0 : allowed[random.below(allowed.size())];
  return !allowed.empty() || may_be_absent;
}

/// Chooses an allowed row; `open` is the set of slots that it does not determine.
bool fill_row(Instance& instance, u32& open, Random& random, const Allow& allow) {
  const Form& form = *instance.form;
  const std::size_t columns = form.row_slots.size();
  const std::size_t row = random.below(form.rows.size() / columns) * columns;
  for (std::size_t i = 0; i < columns; ++i) {
    const u8 index = form.row_slots[i], value = form.rows[row + i];
    if (value == isa::kAnyValue) continue;
    const Slot& slot = form.slots[index];
    const bool counts = allow && slot.kind != SlotKind::derived;
    if (counts && !allow(slot.name, word_of(slot, value))) return false;
    instance.values[index] = value;
    open &= ~(1u << index);
  }
  return true;
}

bool try_once(Instance& instance, Random& random, const Allow& allow) {
  const Form& form = *instance.form;
  u32 open = ~0u;
  if (!form.rows.empty() && !fill_row(instance, open, random, allow)) return false;
  for (std::size_t i = 0; i < form.slots.size(); ++i) {
    if (open >> i & 1 && !fill(form.slots[i], instance.values[i], random, allow)) return false;
  }
  return keeps_rules(instance);
}

bool takes(const Form& form, OperandKind kind) {
  return std::ranges::any_of(form.operands,
                             [&](const isa::OperandSpec& spec) { return spec.kind == kind; });
}

bool has_members(const Form& form) {
  return !form.operands.empty() && form.operands.back().name == "m";
}

bool exists(const Form& form, const Place& place) {
  Random random(form.id);
  return choose(form, place, random).has_value();
}

}  // namespace

std::string_view Instance::word(std::string_view slot) const {
  for (std::size_t i = 0; i < form->slots.size(); ++i) {
    if (form->slots[i].name == slot) return word_of(form->slots[i], values[i]);
  }
  return {};
}

std::optional<Instance> choose(const Form& form, const Place& place, Random& random,
                               const Allow& allow) {
  for (int i = 0; i < kTries; ++i) {
    Instance instance{&form};
    instance.optional = random.below(2) == 0;
    if (!try_once(instance, random, allow) || !is_open(instance, place)) continue;
    if (!place.flushes || !is_plain(form) || flushes(instance)) return instance;
  }
  return std::nullopt;
}

bool is_plain(const Form& form) {
  for (const isa::OperandSpec& spec : form.operands) {
    const bool registers = spec.kind == OperandKind::value || spec.kind == OperandKind::imm ||
                           spec.kind == OperandKind::lanes;
    const bool opaque =
        spec.type != isa::Type::none && isa::type_info(spec.type).cls == isa::TypeClass::opaque;
    if (!registers || opaque) return false;
  }
  // Moves of vectors are pure, too; they change the number of registers, which `lane` does not.
  return form.sem_kind == SemKind::lane ||
         (form.opcode == "mov" && form.sem_kind == SemKind::engine);
}

std::vector<const Form*> plain_forms() {
  std::vector<const Form*> found;
  for (const Form& form : isa::forms())
    if (is_plain(form)) found.push_back(&form);
  return found;
}

Catalogue::Catalogue(const Place& place) : place_(place), exists_(isa::forms().size()) {
  for (const Form* form : plain_forms()) {
    if (!exists(*form, place)) continue;
    exists_[form->id] = true;
    if (form->carry != isa::CarryUse::none) {
      carry_[static_cast<u8>(form->carry)].push_back(form);
      continue;
    }
    if (plain_.empty() || plain_.back().name != form->opcode) plain_.push_back({form->opcode, {}});
    plain_.back().forms.push_back(form);
  }
  for (const Form& form : isa::forms()) {
    const bool runs = form.sem_kind == SemKind::warp && !takes(form, OperandKind::address);
    if (runs && has_members(form) && exists(form, place)) warp_.push_back(&form);
  }
}

constexpr isa::PtxVersion kVersion{9, 1};

std::span<const Catalogue> catalogues() {
  // Most kernels are for the first place; with the others every form has a place. None is older
  // than sm_70, which introduced independent thread scheduling.
  static const std::vector<Catalogue> all = [] {
    std::vector<Catalogue> found;
    for (const std::string_view name :
         {"sm_90", "sm_100a", "sm_120a", "sm_103a", "sm_110f", "sm_80", "sm_75"}) {
      found.emplace_back(Place{kVersion, *isa::parse_target(name)});
    }
    return found;
  }();
  return all;
}

const Catalogue& flushing_catalogue() {
  static const Catalogue catalogue({kVersion, *isa::parse_target("sm_90"), true});
  return catalogue;
}

}  // namespace heddle::generated
