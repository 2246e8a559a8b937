// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-ups of directives, pragmas, targets and special registers.

#include "isa/entry.h"

#include <algorithm>

#include "isa/special_registers.h"
#include "isa/tables.h"

namespace heddle::isa {
namespace {

const Entry* find(std::span<const Entry> entries, std::string_view name) {
  auto entry = std::ranges::find(entries, name, &Entry::name);
  return entry == entries.end() ? nullptr : &*entry;
}

int find_register(std::string_view name) {
  return tables::find_in(tables::register_hash(), name,
                         [](int i) { return special_registers()[i].name; });
}

}  // namespace

const Entry* find_directive(std::string_view name) { return find(directives(), name); }
const Entry* find_pragma(std::string_view name) { return find(pragmas(), name); }
const Entry* find_target(Target target) { return find(targets(), to_string(target)); }

std::optional<std::string> refuse(std::span<const Gate> gates, PtxVersion version, Target target) {
  for (const Gate& gate : gates)
    if (auto reason = refuse(gate, version, target)) return reason;
  return std::nullopt;
}

const SpecialRegisterInfo& special_register_info(SpecialRegister which) {
  return special_registers()[static_cast<u8>(which) - 1];
}

std::optional<SpecialRegisterName> find_special_register(std::string_view name) {
  s8 component = -1;
  std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    std::string_view suffix = name.substr(dot + 1);
    std::size_t position =
        suffix.size() == 1 ? std::string_view("xyzw").find(suffix) : std::string_view::npos;
    if (position == std::string_view::npos) return std::nullopt;
    component = static_cast<s8>(position);
    name = name.substr(0, dot);
  }
  int index = find_register(name);
  if (index < 0 || (component >= 0 && component >= special_registers()[index].vector_length) ||
      (component >= 0 && special_registers()[index].vector_length == 1))
    return std::nullopt;
  return SpecialRegisterName{static_cast<SpecialRegister>(index + 1), component};
}

}  // namespace heddle::isa
