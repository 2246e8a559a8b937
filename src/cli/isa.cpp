// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle isa: the instruction forms, from the tables that the checker and the engines use.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/spelling.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "isa/form.h"

namespace heddle::cli {
namespace {

/// "ptx 8.0", "ptx 8.0, sm_90", "sm_90".
std::string text_of(const isa::GateAlternative& alternative) {
  std::string text;
  if (alternative.ptx > isa::PtxVersion{}) text = "ptx " + isa::to_string(alternative.ptx);
  if (alternative.target.sm)
    text += (text.empty() ? "" : ", ") + isa::to_string(alternative.target);
  return text;
}

std::string text_of(const isa::Gate& gate) {
  std::string text;
  for (const isa::GateAlternative& alternative : gate.since)
    text += (text.empty() ? "" : " or ") + text_of(alternative);
  const std::string until = text_of(gate.until);
  if (!until.empty()) text += (text.empty() ? "until " : ", until ") + until;
  return text;
}

std::string text_of(const isa::Form& form, const isa::Condition& condition) {
  const isa::Slot& slot = form.slots[condition.slot];
  const auto& values = condition.values;
  std::string words;
  for (const u8 value : values) {
    const auto choice = std::find_if(slot.choices.begin(), slot.choices.end(),
                                     [&](auto& c) { return c.value == value; });
    if (!words.empty()) words += "|";
    if (choice == slot.choices.end()) {
      words += "none";
    } else if (choice->word == isa::kNoWord) {
      words += fmt::format("{}={}", slot.name, value);
    } else {
      words += fmt::format(".{}", isa::word_text(choice->word));
    }
  }
  // "any word of the group" is long when it is spelled out
  const bool any = values.size() > 3 && values.size() == slot.choices.size();
  return (condition.negated ? "not " : "") + (any ? fmt::format("any .{}", slot.name) : words);
}

/// "ptx 7.0, sm_80; .bf16: ptx 7.8, sm_90; with p: ptx 7.1".
std::string gates_of(const isa::Form& form) {
  std::string text;
  for (const isa::ConditionalGate& gate : form.gates) {
    std::string when;
    for (const isa::Condition& condition : gate.when) {
      when += (when.empty() ? "" : ", ") + text_of(form, condition);
    }
    if (gate.operand >= 0) {
      const auto& operand = form.operands[static_cast<std::size_t>(gate.operand)];
      when += fmt::format("{}with {}", when.empty() ? "" : ", ", operand.name);
    }
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "; ", when, when.empty() ? "" : ": ",
                        text_of(gate.gate));
  }
  return text;
}

}  // namespace

int list_instructions(const IsaOptions& options) {
  const auto forms = options.opcode.empty() ? isa::forms() : isa::forms_of(options.opcode);
  if (forms.empty()) {
    Spelling spelling(options.opcode, true);
    for (const std::string_view opcode : isa::opcodes()) spelling.consider(opcode);
    return fail(fmt::format("there is no instruction '{}'; {}", options.opcode,
                            spelling.question_or("`heddle isa` lists all")));
  }
  if (options.markdown)
    print(
        "# The instructions that Heddle knows\n\nFrom the tables in `src/isa`: every form, "
        "its section of the PTX ISA manual, and the version and target that it needs. Both "
        "engines run all of them.\n");
  std::string_view section;
  for (const isa::Form& form : forms) {
    const std::string gates = gates_of(form);
    if (options.markdown) {
      if (form.opcode != section)
        print("\n## {}\n\n| form | manual | from |\n|---|---|---|\n", form.opcode);
      section = form.opcode;
      std::string syntax(form.syntax);
      for (std::size_t at = 0; (at = syntax.find('|', at)) != syntax.npos; at += 2)
        syntax.insert(at, "\\");
      print("| `{}` | {} | {} |\n", syntax, form.manual, gates);
    } else {
      print("{:<70} {:<14} {}\n", form.syntax, form.manual, gates);
    }
  }
  std::size_t opcodes = 1;
  for (std::size_t i = 1; i < forms.size(); ++i) opcodes += forms[i].opcode != forms[i - 1].opcode;
  print("\n{} forms of {} instructions\n", forms.size(), opcodes);
  return kOk;
}

}  // namespace heddle::cli
