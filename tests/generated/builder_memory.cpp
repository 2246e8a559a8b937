// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics: the forms are those of the tables, the addresses are where a thread
// may go.
#include <algorithm>

#include "builder.h"

namespace heddle::generated {
namespace {

using isa::Form;
using isa::OperandKind;
using isa::OperandSpec;
using isa::Type;

constexpr std::string_view kPolicy = "%policy";

bool has_slot(const Form& form, std::string_view name) {
  return std::ranges::any_of(form.slots, [&](const isa::Slot& slot) { return slot.name == name; });
}

/// In which words a form may name the space; "" is a generic address.
bool names_space(std::string_view word, std::string_view space) {
  return word.empty() || word == space || (space == "shared" && word == "shared::cta");
}

/// What a generic access to that space may say beside type and vector: hints are for global memory,
/// orders for memory that threads share (9.7.9.8, 9.7.9.11).
bool suits(std::string_view slot, std::string_view word, std::string_view space) {
  if (slot == "ss") return names_space(word, space);
  if (space == "global" || word.empty()) return true;
  if (slot == "order") return space == "shared" || word == "weak";
  return !slot.ends_with("cache") && !word.starts_with("L1::") && !word.starts_with("L2::");
}

/// Bytes that the data of an instruction take.
u32 bytes_of(const Instance& instance) {
  for (const OperandSpec& spec : instance.form->operands) {
    if (spec.kind != OperandKind::value || spec.name == "policy") continue;
    const u32 length = isa::vector_length(*instance.form, spec, instance.slots());
    return length * isa::type_info(instance.type_of(spec)).bits / 8;
  }
  return 0;
}

/// Not one of the asynchronous and bulk instructions of that opcode.
bool is_access(const Form& form) {
  static constexpr std::string_view kAccesses[] = {"ld", "st", "atom", "red"};
  return std::ranges::find(kAccesses, form.sem) != std::end(kAccesses);
}

/// False for accesses that are for global memory alone.
bool is_everywhere(const Form& form) {
  if (has_slot(form, "mmio") || has_slot(form, "nc") || form.opcode == "ldu") return false;
  for (const isa::Slot& slot : form.slots) {
    if (slot.name == "ss") return slot.choices.size() > 1;
  }
  return true;
}

}  // namespace

/// "+16", or a register with base + what the data say; for `size` bytes of `bytes`, both powers of
/// two.
std::string Builder::offset(u32 bytes, u32 size, std::string& text) {
  if (one_in(2)) return fmt::format("+{}", size * below(bytes / size));
  const std::string index = scope_.temporary("b32"), wide = scope_.temporary("u64");
  text += fmt::format("and.b32 {0}, {1}, {2};\nmul.wide.u32 {3}, {0}, {4};\n", index,
                      any(Type::b32), bytes / size - 1, wide, size);
  return wide;
}

Builder::Made Builder::access(std::string_view opcode, std::string_view space,
                              const std::string& base, u32 bytes, bool constant) {
  const auto forms = isa::forms_of(opcode);
  const Form& form = forms[below(static_cast<u32>(forms.size()))];
  if (!is_access(form) || (has_slot(form, "nc") && !constant)) return std::nullopt;
  if (space != "global" && !is_everywhere(form)) return std::nullopt;
  const auto instance = choose(
      form, scope_.catalogue().place(), scope_.random(),
      [&](std::string_view slot, std::string_view word) { return suits(slot, word, space); });
  if (!instance) return std::nullopt;
  const u32 size = bytes_of(*instance);
  if (size == 0 || size > bytes || (size > 16 && space != "global")) return std::nullopt;
  if (opcode == "atom" && size < 2) return std::nullopt;

  std::string text, address = base;
  if (instance->word("ss").empty() && !has_slot(form, "nc")) {
    address = scope_.temporary("u64");
    text += fmt::format("cvta.{}.u64 {}, {};\n", space, address, base);
  }
  std::string at;
  // ldu promises one address for the warp.
  if (form.opcode == "ldu") {
    at = fmt::format("[{}+{}]", address, size * below(bytes / size));
  } else {
    const std::string more = offset(bytes, size, text);
    at = fmt::format("[{}{}]", address, more);
    if (more[0] == '%') {
      text += fmt::format("add.u64 {0}, {0}, {1};\n", more, address);
      at = fmt::format("[{}]", more);
    }
  }
  const std::string guard = one_in(5) ? scope_.guard() : "";
  const auto made =
      scope_.instruction(*instance, {{"a", at}, {"policy", std::string(kPolicy)}}, guard);
  if (!made) return std::nullopt;
  return Node(text + *made);
}

/// The thread's part of the output.
Builder::Made Builder::slice(const Context&) {
  if (!is_kernel_) return std::nullopt;
  return access(one_in(2) ? "ld" : "st", "global", "%out", kScratchBytes);
}

/// Its slot in shared memory.
Builder::Made Builder::slot(const Context& context) {
  if (!is_kernel_ || context.reading) return std::nullopt;
  return access(one_in(3) ? "ld" : "st", "shared", "%slot", kSlotBytes);
}

/// The slot of any thread, while nobody writes.
Builder::Made Builder::other_slot(const Context& context) {
  if (!is_kernel_ || !context.reading) return std::nullopt;
  const std::string who = scope_.temporary("u32"), address = scope_.temporary("u64"),
                    base = scope_.temporary("u64");
  std::string text;
  if (one_in(2)) {
    text = fmt::format("rem.u32 {}, {}, {};\n", who, any(Type::u32), shared_.threads);
  } else {
    text = fmt::format("add.u32 {0}, %thread, {1};\nrem.u32 {0}, {0}, {2};\n", who,
                       1 + below(shared_.threads), shared_.threads);
  }
  text += fmt::format("mov.u64 {1}, slots;\nmad.wide.u32 {2}, {0}, {3}, {1};\n", who, base, address,
                      kSlotBytes);
  Made made = access("ld", "shared", address, kSlotBytes);
  if (made) made->text[0] = text + made->text[0];
  return made;
}

Builder::Made Builder::local(const Context&) {
  const std::string base = scope_.temporary("u64");
  Made made = access(one_in(2) ? "ld" : "st", "local", base, kLocalBytes);
  if (made) made->text[0] = fmt::format("mov.u64 {}, array;\n", base) + made->text[0];
  return made;
}

Builder::Made Builder::input(const Context&) {
  return access(one_in(8) ? "ldu" : "ld", "global", "%in", kInputBytes, true);
}

Builder::Made Builder::constant(const Context&) {
  const std::string base = scope_.temporary("u64");
  Made made = access("ld", "const", base, kConstantBytes);
  if (made) made->text[0] = fmt::format("mov.u64 {}, constants;\n", base) + made->text[0];
  return made;
}

/// red, or atom whose result is dropped, on a cell that all threads change in the same way.
Builder::Made Builder::cell(const Context& context) {
  const bool is_global = context.sums_are_read || one_in(2);
  const std::string_view space = is_global ? "global" : "shared";
  const std::vector<Cell>& cells = is_global ? shared_.global_cells : shared_.shared_cells;
  const u32 index = below(static_cast<u32>(cells.size()));
  const Cell& cell = cells[index];
  const auto forms = isa::forms_of(one_in(2) ? "red" : "atom");
  const Form& form = forms[below(static_cast<u32>(forms.size()))];
  if (!is_access(form)) return std::nullopt;
  const bool many_ctas = is_global && !shared_.one_cta;
  const auto allow = [&](std::string_view slot, std::string_view word) {
    if (slot == "atomop") return word == cell.operation;
    if (slot == "T") return word == cell.type;
    if (slot == "vec") return word.empty();
    if (slot == "scope" && many_ctas) return word != "cta" && word != "cluster";
    return suits(slot, word, space);
  };
  const auto instance = choose(form, scope_.catalogue().place(), scope_.random(), allow);
  if (!instance || !instance->word("vec").empty()) return std::nullopt;
  std::string text, address = is_global ? "%cells" : "sums";
  if (instance->word("ss").empty()) {
    const std::string base = scope_.temporary("u64");
    if (!is_global) text += fmt::format("mov.u64 {}, sums;\n", base);
    text += fmt::format("cvta.{}.u64 {}, {};\n", space, base, is_global ? "%cells" : base);
    address = base;
  }
  const u32 bits = isa::type_info(isa::find_type(cell.type)).bits;
  const std::string dropped = one_in(2) ? "_" : scope_.temporary(fmt::format("b{}", bits));
  const std::string value =
      !cell.bound.empty() ? std::string(cell.bound) : any(isa::find_type(fmt::format("b{}", bits)));
  // The value may be a number, too; but a float's register is none of the types of cells.
  const std::string number = cell.bound.empty() && one_in(4) ? fmt::format("{}", below(100)) : "";
  const std::string plain = scope_.temporary(fmt::format("b{}", bits));
  if (number.empty()) text += fmt::format("mov.b{} {}, {};\n", bits, plain, value);
  const std::string guard = one_in(5) ? scope_.guard() : "";
  const auto made = scope_.instruction(*instance,
                                       {{"a", fmt::format("[{}+{}]", address, 8 * index)},
                                        {"b", number.empty() ? plain : number},
                                        {"d", dropped},
                                        {"policy", std::string(kPolicy)}},
                                       guard);
  if (!made) return std::nullopt;
  changes_sums_ |= !is_global;
  return Node(text + *made);
}

/// Atomics of every kind where only this thread goes: what they return is known.
Builder::Made Builder::own_atomic(const Context& context) {
  if (!is_kernel_) return std::nullopt;
  if (context.reading || one_in(2)) return access("atom", "global", "%out", kScratchBytes);
  return access("atom", "shared", "%slot", kSlotBytes);
}

Builder::Made Builder::fence(const Context&) {
  const auto forms = isa::forms_of(one_in(4) ? "membar" : "fence");
  const Form& form = forms[below(static_cast<u32>(forms.size()))];
  if (!form.operands.empty()) return std::nullopt;
  const auto instance = choose(form, scope_.catalogue().place(), scope_.random());
  if (!instance) return std::nullopt;
  return Node(*scope_.instruction(*instance));
}

}  // namespace heddle::generated
