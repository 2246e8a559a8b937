// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/print.h"

#include <fmt/format.h>

#include <iterator>

#include "isa/spell.h"

namespace heddle::ir {
namespace {

std::string_view name_of(Space space) {
  switch (space) {
    case Space::generic:
      return "generic";
    case Space::reg:
      return "reg";
    case Space::constant:
      return "const";
    case Space::global:
      return "global";
    case Space::local:
      return "local";
    case Space::param:
      return "param";
    case Space::shared:
      return "shared";
  }
  return "?";
}

std::string_view name_of(Linkage linkage) {
  switch (linkage) {
    case Linkage::internal:
      return "";
    case Linkage::external:
      return ".extern ";
    case Linkage::visible:
      return ".visible ";
    case Linkage::weak:
      return ".weak ";
    case Linkage::common:
      return ".common ";
  }
  return "?";
}

class Printer {
 public:
  Printer(const Module& module, const Function& function) : module_(module), f_(function) {}

  std::string operand(const Operand& operand) const {
    std::string text = base(operand);
    const bool symbolic = operand.kind == OperandKind::variable ||
                          operand.kind == OperandKind::local ||
                          operand.kind == OperandKind::parameter ||
                          (operand.is_address && operand.kind == OperandKind::reg);
    if (symbolic && operand.value && operand.kind != OperandKind::parameter) {
      text += fmt::format("{:+d}", static_cast<s64>(operand.value));
    }
    if (operand.negated) text.insert(0, "!");
    return operand.is_address ? "[" + text + "]" : text;
  }

 private:
  std::string base(const Operand& operand) const {
    switch (operand.kind) {
      case OperandKind::none:
        return "_";
      case OperandKind::reg:
        return f_.registers[operand.id].name;
      case OperandKind::immediate:
        return fmt::format("{:#x}", operand.value);
      case OperandKind::special: {
        const auto& info =
            isa::special_register_info(static_cast<isa::SpecialRegister>(operand.id));
        std::string text(info.name);
        if (info.vector_length > 1) text += fmt::format(".{}", "xyzw"[operand.component & 3]);
        return text;
      }
      case OperandKind::variable:
        return module_.variables[operand.id].name;
      case OperandKind::local:
        return f_.locals[operand.id].name;
      case OperandKind::parameter:
        return fmt::format("param+{}", operand.value);
      case OperandKind::label:
        return fmt::format("@{}", operand.id);
      case OperandKind::function:
        return module_.functions[operand.id].name;
      case OperandKind::vector: {
        std::string text;
        for (u64 i = 0; i < operand.value; ++i) {
          text += (i ? ", " : "") + this->operand(f_.operands[operand.id + i]);
        }
        return "{" + text + "}";
      }
      case OperandKind::targets:
        return fmt::format("targets {}", operand.id);
      case OperandKind::prototype:
        return fmt::format("prototype {}", operand.id);
    }
    return "?";
  }

  const Module& module_;
  const Function& f_;
};

}  // namespace

std::string mnemonic(const Inst& inst) { return isa::spell_mnemonic(inst.get_form(), inst.slots); }

std::string print(const Module& module, const Function& function, const Inst& inst) {
  const Printer printer(module, function);
  std::string text;
  if (inst.guard.predicate) {
    text += fmt::format("@{}{} ", inst.guard.negated ? "!" : "",
                        function.registers[inst.guard.predicate.value].name);
  }
  text += mnemonic(inst);
  const isa::Form& form = inst.get_form();
  for (u32 i = 0; i < inst.operands.count; ++i) {
    const isa::OperandSpec spec = i < form.operands.size() ? form.operands[i] : isa::OperandSpec{};
    text += i ? ", " : " ";
    if (spec.minus_slot >= 0 && inst.slots[spec.minus_slot]) text += '-';
    text += printer.operand(function.operands[inst.operands.first + i]);
    if (spec.suffix_slot < 0) continue;
    for (const isa::Choice& choice : form.slots[spec.suffix_slot].choices) {
      if (choice.value == inst.slots[spec.suffix_slot])
        text += fmt::format(".{}", isa::word_text(choice.word));
    }
  }
  return text;
}

std::string print(const Module& module) {
  std::string text = fmt::format("module {} version {} address_size {}\n", module.name,
                                 isa::to_string(module.version), module.address_size);
  const auto out = std::back_inserter(text);
  for (const Variable& variable : module.variables) {
    fmt::format_to(out, "{}.{} .align {} {} size {} init {} bytes, {} relocations\n",
                   name_of(variable.linkage), name_of(variable.space), variable.align,
                   variable.name, variable.size, variable.init.size(), variable.relocations.size());
  }
  for (const Function& function : module.functions) {
    fmt::format_to(out, "{}{} {} params {} returns {}{}\n", name_of(function.linkage),
                   function.is_entry ? ".entry" : ".func", function.name,
                   function.signature.params.size(), function.signature.returns.size(),
                   function.has_body ? "" : " (declared)");
    std::size_t label = 0;
    for (u32 i = 0; i < function.insts.size(); ++i) {
      for (; label < function.labels.size() && function.labels[label].second <= i; ++label) {
        fmt::format_to(out, "{}:\n", function.labels[label].first);
      }
      fmt::format_to(out, "  {:4} {}\n", i, print(module, function, function.insts[i]));
    }
  }
  return text;
}

}  // namespace heddle::ir
