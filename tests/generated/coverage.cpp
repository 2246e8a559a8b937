// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/check.h"
#include "forms.h"

namespace heddle::generated {
namespace {

using isa::Form;
using isa::Slot;
using isa::SlotKind;

bool is_chosen(const Slot& slot) {
  return slot.kind != SlotKind::word && slot.kind != SlotKind::derived;
}

}  // namespace

void Coverage::add(const Kernel& kernel) {
  check::CompileOptions options;
  options.contract = false;  // so that instructions are counted as written
  const auto compiled = check::compile({{"generated.ptx", kernel.text()}}, nullptr, options);
  if (!compiled.module) return;
  for (const ir::Function& function : compiled.module->functions) {
    for (const ir::Inst& inst : function.insts) {
      const Form& form = inst.get_form();
      forms_.insert(form.id);
      for (u8 i = 0; i < form.slots.size(); ++i) {
        if (is_chosen(form.slots[i])) choices_.emplace(form.id, i, inst.slots[i]);
      }
    }
  }
}

std::string Coverage::report() const {
  std::size_t plain = 0, unseen = 0, nowhere = 0, all = 0, seen = 0, others = 0;
  std::string missing;
  for (const Form* form : plain_forms()) {
    if (!std::ranges::any_of(catalogues(), [&](const Catalogue& one) { return one.has(*form); })) {
      ++nowhere;
      continue;
    }
    ++plain;
    if (!forms_.contains(form->id)) {
      ++unseen;
      missing += fmt::format("  {}  {}\n", form->source, form->syntax);
    }
    for (u8 i = 0; i < form->slots.size(); ++i) {
      const Slot& slot = form->slots[i];
      if (!is_chosen(slot)) continue;
      if (!slot.required) {
        ++all;
        seen += choices_.contains({form->id, i, 0});
      }
      for (const isa::Choice& choice : slot.choices) {
        ++all;
        seen += choices_.contains({form->id, i, choice.value});
      }
    }
  }
  for (const u16 id : forms_) others += !is_plain(isa::forms()[id]);
  return fmt::format(
      "{} of {} forms that compute registers from registers, {} of {} choices of their modifiers; "
      "{} other forms; {} forms are for older targets only\n{}",
      plain - unseen, plain, seen, all, others, nowhere, missing);
}

}  // namespace heddle::generated
