// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics, with forms of the tables and addresses that a thread may access.
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

/// Whether the word names the state space in a form; "" is a generic address.
bool names_space(std::string_view word, std::string_view space) {
  return word.empty() || word == space || (space == "shared" && word == "shared::cta");
}

/// Whether a generic access to that space may have the modifier: cache hints are for global memory,
/// memory orders for memory that threads share (9.7.9.8, 9.7.9.11).
bool suits(std::string_view slot, std::string_view word, std::string_view space) {
  if (slot == "ss") return names_space(word, space);
  if (space == "global" || word.empty()) return true;
  if (slot == "order") return space == "shared" || word == "weak";
  return !slot.ends_with("cache") && !word.starts_with("L1::") && !word.starts_with("L2::");
}

/// The size in bytes of an instruction's data.
u32 bytes_of(const Instance& instance) {
  for (const OperandSpec& spec : instance.form->operands) {
    if (spec.kind != OperandKind::value || spec.name == "policy") continue;
    const u32 length = isa::vector_length(*instance.form, spec, instance.slots());
    return length * isa::type_info(instance.type_of(spec)).bits / 8;
  }
  return 0;
}

/// Whether the form is a plain access, not an asynchronous or bulk instruction of the same opcode.
bool is_access(const Form& form) {
  static constexpr std::string_view kAccesses[] = {"ld", "st", "atom", "red"};
  return std::ranges::find(kAccesses, form.sem) != std::end(kAccesses);
}

/// False for accesses that are for global memory only.
bool is_everywhere(const Form& form) {
  if (has_slot(form, "mmio") || has_slot(form, "nc") || form.opcode == "ldu") return false;
  for (const isa::Slot& slot : form.slots) {
    if (slot.name == "ss") return slot.choices.size() > 1;
  }
  return true;
}

}  // namespace

Builder::Made Builder::access(std::string_view opcode, const Region& region, std::string before) {
  const auto forms = isa::forms_of(opcode);
  const Form& form = forms[below(static_cast<u32>(forms.size()))];
  const std::string_view space = region.space;
  if (!is_access(form) || (has_slot(form, "nc") && !region.constant)) return std::nullopt;
  if (space != "global" && !is_everywhere(form)) return std::nullopt;
  const auto instance = choose(
      form, scope_.catalogue().place(), scope_.random(),
      [&](std::string_view slot, std::string_view word) { return suits(slot, word, space); });
  if (!instance) return std::nullopt;
  const u32 size = bytes_of(*instance);
  if (size == 0 || size > region.bytes || (size > 16 && space != "global")) return std::nullopt;

  std::string text = std::move(before), address = region.base;
  if (instance->word("ss").empty() && !has_slot(form, "nc")) {
    if (space == "param" && !is_kernel_) return std::nullopt;  // cvta: kernels only (9.7.9.20)
    address = scope_.temporary("u64");
    text += fmt::format("cvta.{}.u64 {}, {};\n", space, address, region.base);
  }
  std::string at = fmt::format("[{}+{}]", address, size * below(region.bytes / size));
  // ldu requires a uniform address, and addresses in .param cannot be computed.
  const bool by_data = form.opcode != "ldu" && space != "param" && region.indexed &&
                       region.bytes > size && one_in(2);
  if (by_data) {
    const std::string index = scope_.temporary("b32"), sum = scope_.temporary("u64");
    text += fmt::format("and.b32 {0}, {1}, {2};\nmad.wide.u32 {3}, {0}, {4}, {5};\n", index,
                        any(Type::b32), region.bytes / size - 1, sum, size, address);
    at = fmt::format("[{}]", sum);
  }
  const std::string guard = one_in(5) ? scope_.guard() : "";
  const auto made =
      scope_.instruction(*instance, {{"a", at}, {"policy", std::string(kPolicy)}}, guard);
  if (!made) return std::nullopt;
  return Node(text + *made);
}

/// A parameter of the function or kernel.
Builder::Made Builder::parameter(const Context&) {
  if (is_kernel_) return access("ld", {"param", "pair", kPairBytes});
  static constexpr std::string_view kNames[] = {"x", "y", "z"};
  const u32 which = below(3);
  return access("ld", {"param", std::string(kNames[which]), which == 1 ? 8u : 4u});
}

/// The thread's part of the output.
Builder::Made Builder::slice(const Context&) {
  if (!is_kernel_) return std::nullopt;
  return access(one_in(2) ? "ld" : "st", {"global", "%out", kScratchBytes});
}

/// The thread's place in a row with a place for every thread of the grid.
Builder::Made Builder::column(const Context&) {
  if (!is_kernel_) return std::nullopt;
  const std::string base = scope_.temporary("u64");
  return access(one_in(3) ? "ld" : "st", {"global", base, kColumnBytes},
                fmt::format("add.u64 {}, %column, {};\n", base,
                            below(kColumns) * kColumnBytes * shared_.threads * shared_.ctas));
}

/// The thread's whole place there, so that the warp's accesses are contiguous.
Builder::Made Builder::whole_column() {
  const u32 row = below(kColumns) * kColumnBytes * shared_.threads * shared_.ctas;
  return Node(one_in(2)
                  ? fmt::format("ld.global.b64 {}, [%column+{}];\n", scope_.target(Type::b64), row)
                  : fmt::format("st.global.b64 [%column+{}], {};\n", row, any(Type::b64)));
}

/// The thread's slot in shared memory, or its word.
Builder::Made Builder::slot(const Context& context) {
  if (!is_kernel_ || context.reading) return std::nullopt;
  const std::string_view opcode = one_in(3) ? "ld" : "st";
  if (one_in(2)) return access(opcode, {"shared", "%word", kWordBytes});
  return access(opcode, {"shared", "%slot", kSlotBytes});
}

/// The slot, or the word, of the thread with that number.
Builder::Made Builder::slot_of(const std::string& who, std::string before) {
  const std::string address = scope_.temporary("u64"), base = scope_.temporary("u64");
  const bool word = one_in(2);
  const u32 bytes = word ? kWordBytes : kSlotBytes;
  before += fmt::format("mov.u64 {}, {};\nmad.wide.u32 {}, {}, {}, {};\n", base,
                        word ? "words" : "slots", address, who, bytes, base);
  return access("ld", {"shared", address, bytes}, std::move(before));
}

/// The slot of any thread, while no thread writes.
Builder::Made Builder::other_slot(const Context& context) {
  if (!is_kernel_ || !context.reading) return std::nullopt;
  const std::string who = scope_.temporary("u32");
  const u32 threads = shared_.threads;
  std::string text;
  if (one_in(2)) {
    text = fmt::format("rem.u32 {}, {}, {};\n", who, any(Type::u32), threads);
  } else if (one_in(2)) {
    const std::string number = this->number(text);
    text += fmt::format("rem.u32 {}, {}, {};\n", who, number, threads);
  } else {
    text = fmt::format("add.u32 {0}, %thread, {1};\nrem.u32 {0}, {0}, {2};\n", who,
                       1 + below(threads), threads);
  }
  return slot_of(who, std::move(text));
}

Builder::Made Builder::local(const Context&) {
  const std::string base = scope_.temporary("u64");
  const bool indexed = one_in(2);
  return access(one_in(2) ? "ld" : "st",
                {"local", base, indexed ? kLocalBytes : kFrameBytes, false, indexed},
                fmt::format("mov.u64 {}, {};\n", base, indexed ? "array" : "frame"));
}

/// Memory from alloca, of a uniform size or not, which is freed again (9.7.17).
Builder::Made Builder::taken(const Context& context) {
  const Place& place = scope_.catalogue().place();
  if (place.version < isa::PtxVersion{7, 3} || place.target.sm < 52 || context.depth >= kDepth)
    return std::nullopt;
  const std::string top = scope_.temporary("u64"), base = scope_.temporary("u64"),
                    size = scope_.temporary("u64");
  constexpr u32 kLeast = 16;
  std::string text = fmt::format("stacksave.u64 {};\n", top);
  if (one_in(2)) {
    text += fmt::format("mov.u64 {}, {};\n", size, kLeast + below(32));
  } else {
    text += fmt::format("cvt.u64.u32 {0}, {1};\nand.b64 {0}, {0}, 31;\nadd.u64 {0}, {0}, {2};\n",
                        size, any(Type::u32), kLeast);
  }
  text += fmt::format("alloca.u64 {}, {}{};\n", base, size,
                      one_in(2) ? fmt::format(", {}", 1u << below(6)) : "");
  for (u32 at = 0; at < kLeast; at += 8)
    text += fmt::format("st.local.b64 [{}+{}], {};\n", base, at, any(Type::b64));
  Context inner = context;
  ++inner.depth;
  inner.loop = nullptr;  // no jump may skip the stackrestore
  Node node;
  node.text.push_back(std::move(text));
  node.blocks.push_back(block(inner, 3));
  std::string end;
  if (one_in(3)) {
    const std::string generic = scope_.temporary("u64");
    end = fmt::format("cvta.local.u64 {0}, {1};\nld.b64 {2}, [{0}+{3}];\n", generic, base,
                      scope_.target(Type::b64), 8 * below(2));
  } else {
    end = fmt::format("ld.local.b64 {}, [{}+{}];\n", scope_.target(Type::b64), base, 8 * below(2));
  }
  node.text.push_back(end + fmt::format("stackrestore.u64 {};\n", top));
  return node;
}

/// The element of the input with that number, modulo the size of the input.
Builder::Made Builder::input_at(const std::string& number, std::string before) {
  const std::string address = scope_.temporary("u64"), index = scope_.temporary("u32");
  const u32 size = 4u << below(3);
  return access(
      "ld", {"global", address, size, true},
      std::move(before) + fmt::format("and.b32 {0}, {1}, {2};\nmad.wide.u32 {3}, {0}, {4}, %in;\n",
                                      index, number, kInputBytes / 16 - 1, address, size));
}

/// An element anywhere in the input, or at a place that depends on the thread's number.
Builder::Made Builder::input(const Context&) {
  if (!is_kernel_ || one_in(2))
    return access(one_in(8) ? "ldu" : "ld", {"global", "%in", kInputBytes, true});
  if (one_in(2)) return input_at("%thread", "");
  std::string text;
  const std::string number = this->number(text);
  return input_at(number, std::move(text));
}

Builder::Made Builder::constant(const Context&) {
  const std::string base = scope_.temporary("u64");
  return access("ld", {"const", base, kConstantBytes},
                fmt::format("mov.u64 {}, constants;\n", base));
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
  const bool many_ctas = is_global && shared_.ctas > 1;
  const auto allow = [&](std::string_view slot, std::string_view word) {
    if (slot == "atomop") return word == cell.operation;
    if (slot == "T") return word == cell.type;
    if (slot == "vec") return word.empty();
    if (slot == "scope" && many_ctas) return word != "cta" && word != "cluster";
    return suits(slot, word, space);
  };
  const auto instance = choose(form, scope_.catalogue().place(), scope_.random(), allow);
  // red.async.add has its operation in its mnemonic.
  const bool fits = instance && instance->word("atomop") == cell.operation &&
                    instance->word("T") == cell.type && instance->word("vec").empty();
  if (!fits) return std::nullopt;
  std::string text, address = is_global ? "%cells" : "sums";
  if (instance->word("ss").empty()) {
    const std::string base = scope_.temporary("u64");
    if (!is_global) text += fmt::format("mov.u64 {}, sums;\n", base);
    text += fmt::format("cvta.{}.u64 {}, {};\n", space, base, is_global ? "%cells" : base);
    address = base;
  }
  const u32 first = is_global ? kLockBytes : 0;
  const u32 bits = isa::type_info(isa::find_type(cell.type)).bits;
  const std::string dropped = one_in(2) ? "_" : scope_.temporary(fmt::format("b{}", bits));
  const std::string value =
      !cell.bound.empty() ? std::string(cell.bound) : any(isa::find_type(fmt::format("b{}", bits)));
  // The value may be a constant, too; but the types of cells exclude registers of floats.
  const std::string number = cell.bound.empty() && one_in(4) ? fmt::format("{}", below(100)) : "";
  const std::string plain = scope_.temporary(fmt::format("b{}", bits));
  if (number.empty()) text += fmt::format("mov.b{} {}, {};\n", bits, plain, value);
  const std::string guard = one_in(5) ? scope_.guard() : "";
  const auto made = scope_.instruction(*instance,
                                       {{"a", fmt::format("[{}+{}]", address, first + 8 * index)},
                                        {"b", number.empty() ? plain : number},
                                        {"d", dropped},
                                        {"policy", std::string(kPolicy)}},
                                       guard);
  if (!made) return std::nullopt;
  changes_sums_ |= !is_global;
  return Node(text + *made);
}

/// Atomics of every kind on memory of this thread, whose results are deterministic.
Builder::Made Builder::own_atomic(const Context& context) {
  if (!is_kernel_) return std::nullopt;
  if (context.reading || one_in(2)) return access("atom", {"global", "%out", kScratchBytes});
  return access("atom", {"shared", "%slot", kSlotBytes});
}

/// A sum that a lock protects: one thread at a time, also among threads of a warp (3.2).
Builder::Made Builder::locked(const Context& context) {
  if (context.times > 2) return std::nullopt;
  const bool is_global = context.sums_are_read || one_in(2);
  changes_sums_ |= !is_global;
  const std::string base = scope_.temporary("u64"), old = scope_.temporary("b32"),
                    taken = scope_.temporary("pred"), sum = scope_.temporary("u64"),
                    added = scope_.temporary("b64"), again = scope_.label();
  return Node(fmt::format(
      "mov.b64 {0}, {1};\nmov.u64 {2}, {3};\n{4}:\n"
      "atom.acquire.{5}.cas.b32 {6}, [{2}], 0, 1;\nsetp.ne.u32 {7}, {6}, 0;\n@{7} bra {4};\n"
      "ld.{8}.u64 {9}, [{2}+8];\nadd.u64 {9}, {9}, {0};\nst.{8}.u64 [{2}+8], {9};\n"
      "atom.release.{5}.exch.b32 {6}, [{2}], 0;\n",
      added, any(Type::b64), base, is_global ? "%cells" : "lock", again,
      is_global ? "gpu.global" : "cta.shared", old, taken, is_global ? "global" : "shared", sum));
}

/// An asynchronous copy from the input to the thread's slot.
Builder::Made Builder::async_copy(const Context& context) {
  if (!is_kernel_ || context.reading || scope_.catalogue().place().target.sm < 80)
    return std::nullopt;
  const auto forms = isa::forms_of("cp");
  const Form& form = forms[below(static_cast<u32>(forms.size()))];
  if (form.sem != "cp_async") return std::nullopt;
  const auto instance = choose(form, scope_.catalogue().place(), scope_.random(),
                               [&](std::string_view slot, std::string_view word) {
                                 return slot != "ss" || names_space(word, "shared");
                               });
  if (!instance) return std::nullopt;
  const bool is_cg = form.syntax.starts_with("cp.async.cg");
  const u32 size = is_cg ? 16 : 4u << below(3);
  const auto made = scope_.instruction(
      *instance, {{"dst", fmt::format("[%slot+{}]", size * below(kSlotBytes / size))},
                  {"src", fmt::format("[%in+{}]", size * below(kInputBytes / size))},
                  {"size", std::to_string(size)},
                  {"src_size", std::to_string(below(size + 1))},
                  {"policy", std::string(kPolicy)}});
  if (!made) return std::nullopt;
  return Node(*made + (one_in(2) ? "cp.async.wait_all;\n"
                                 : "cp.async.commit_group;\ncp.async.wait_group 0;\n"));
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
