// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instance.h"

#include <fmt/format.h>

#include <set>

#include "table.h"

namespace heddle::golden {
namespace {

constexpr std::string_view kAll = " (all)";  // suffix of the names of sweeps
constexpr u32 kRawResults = 256;             // for most instances

/// The pieces of a line, before alternatives are chosen.
struct Line {
  std::string_view name, inputs, outputs, sweep, code;
  bool operands = false;  ///< `code` is operands of the instruction `name`
};

std::optional<Line> cut(std::string_view text) {
  Line line;
  const auto open = text.find(" (");
  const auto arrow = text.find(") -> ");
  if (open == std::string_view::npos || arrow == std::string_view::npos || arrow < open) return {};
  line.name = trimmed(text.substr(0, open));
  line.inputs = text.substr(open + 2, arrow - open - 2);
  std::string_view rest = text.substr(arrow + 5);
  const auto equals = rest.find(" = "), colon = rest.find(" : ");
  const auto end = std::min(equals, colon);
  if (end == std::string_view::npos) return {};
  line.operands = equals < colon;
  line.code = trimmed(rest.substr(end + 3));
  std::string_view results = trimmed(rest.substr(0, end));
  if (const auto all = results.find(" all"); all != std::string_view::npos) {
    line.sweep = trimmed(results.substr(all));
    results = results.substr(0, all);
  }
  line.outputs = results;
  return line;
}

std::optional<std::vector<Kind>> kinds_in(std::string_view text) {
  std::vector<Kind> kinds;
  for (const std::string_view name : split(text, ',')) {
    const auto kind = kind_named(trimmed(name));
    if (!kind) return {};
    kinds.push_back(*kind);
  }
  return kinds;
}

bool read_sweep(std::string_view text, Instance& instance) {
  constexpr std::string_view kFine = " fine";
  instance.fine = text.ends_with(kFine);
  if (instance.fine) text.remove_suffix(kFine.size());
  const auto wants = [&](Sweep sweep, u32 inputs, u32 bytes) {
    instance.sweep = sweep;
    if (instance.inputs.size() != inputs) return false;
    for (const Kind kind : instance.inputs) {
      if (kind == Kind::kPred || bytes_of(kind) != bytes) return false;
    }
    return true;
  };
  if (text.empty()) return !instance.fine;
  if (text == "all32") return wants(Sweep::kWords, 1, 4);
  if (text == "all16") return wants(Sweep::kHalves, 1, 2);
  if (text == "all16x2") return wants(Sweep::kPairs, 2, 2) && !instance.fine;
  return false;
}

// ------------------------------------------------------------------------------------- kernels

std::string_view register_type(Kind kind) {
  if (kind == Kind::kPred) return ".pred";
  return bytes_of(kind) == 2 ? ".b16" : bytes_of(kind) == 4 ? ".b32" : ".b64";
}

u32 raw_bytes_of(Kind kind) { return kind == Kind::kPred ? 1 : bytes_of(kind); }

/// Loads the inputs of the vector `index`, or computes them from it.
std::string load_inputs(const Instance& instance) {
  switch (instance.sweep) {
    case Sweep::kWords:
      return "mov.b32 a, index;\n";
    case Sweep::kPairs:
      return "mov.b32 {a, b}, index;\n";
    case Sweep::kHalves:
      return "cvt.u16.u32 a, index;\n";
    case Sweep::kVectors:
      break;
  }
  std::string text;
  for (std::size_t i = 0; i < instance.inputs.size(); ++i) {
    const Kind kind = instance.inputs[i];
    const char name = "abcd"[i];
    text += fmt::format("mad.wide.u32 offset, index, {}, in{};\n", bytes_of(kind), i);
    if (kind == Kind::kPred) {
      text += fmt::format("ld.global.b32 word, [offset];\nsetp.ne.u32 {}, word, 0;\n", name);
    } else {
      text += fmt::format("ld.global{} {}, [offset];\n", register_type(kind), name);
    }
  }
  return text;
}

/// Adds the results to the sum, and stores them if they are among the first.
std::string use_outputs(const Instance& instance, u32 raw_results) {
  // For the second and third result.
  constexpr const char* kFactors[] = {"", "0xc2b2ae3d27d4eb4f", "0x165667b19e3779f9"};
  std::string text =
      "sub.u32 raw_index, index, raw_first;\nsetp.lt.u32 in_raw, raw_index, raw_limit;\n";
  u64 begin = 0;
  for (std::size_t i = 0; i < instance.outputs.size(); ++i) {
    const Kind kind = instance.outputs[i];
    const char name = "xyz"[i];
    const u32 bytes = raw_bytes_of(kind);
    const std::string_view wide = i ? "other" : "result";
    text += kind == Kind::kPred ? fmt::format("selp.u64 {}, 1, 0, {};\n", wide, name)
            : bytes == 8        ? fmt::format("mov.b64 {}, {};\n", wide, name)
                                : fmt::format("cvt.u64.u{} {}, {};\n", bytes * 8, wide, name);
    text += fmt::format(
        "mad.wide.u32 offset, raw_index, {}, raw;\n@in_raw st.global.u{} [offset+{}], {};\n", bytes,
        bytes * 8, begin, wide);
    if (i)
      text += fmt::format("mul.lo.u64 other, other, {};\nadd.u64 result, result, other;\n",
                          kFactors[i]);
    begin += u64{bytes} * raw_results;
  }
  return text;
}

/// Each of the 1,024 threads takes one in 1,024 of the block's 65,536 vectors.
std::string kernel(const Instance& instance, const std::string& entry, u32 raw_results) {
  const bool shared = instance.code.find("$shared") != std::string::npos;
  std::string text = fmt::format(".visible .entry {}({})\n.maxntid 1024\n{{\n// {}\n{}", entry,
                                 kParameters, instance.name, prologue());
  for (std::size_t i = 0; i < instance.inputs.size(); ++i)
    text += fmt::format(".reg {} {};\n", register_type(instance.inputs[i]), "abcd"[i]);
  for (std::size_t i = 0; i < instance.outputs.size(); ++i)
    text += fmt::format(".reg {} {};\n", register_type(instance.outputs[i]), "xyz"[i]);
  text +=
      ".reg .b64 result, other, place;\n.reg .b32 index, base, last, word, raw_index, "
      "raw_first;\n.reg .pred more;\n";
  if (shared) {
    text +=
        ".shared .align 16 .b8 memory[8192];\n.reg .b32 own;\nmov.u32 own, %tid.x;\n"
        "shl.b32 own, own, 3;\nmov.u32 word, memory;\nadd.u32 own, own, word;\n";
  }
  text +=
      "mov.u32 word, %ctaid.x;\nmov.u32 index, %tid.x;\nmad.lo.u32 word, word, 1024, index;\n"
      "mad.wide.u32 scratch, word, 8, scratch;\n"
      "shl.b32 raw_first, first_block, 16;\nshl.b32 base, block, 16;\nadd.u32 index, index, "
      "base;\nor.b32 last, base, 65535;\nLOOP:\n";
  text += load_inputs(instance);
  std::string code = replaced(instance.code, "$global", "scratch");
  code = replaced(std::move(code), "$shared", "own");
  for (const char name : {'a', 'b', 'c', 'd', 'x', 'y', 'z'})
    code = replaced(std::move(code), std::string("$") + name, std::string(1, name));
  text += fmt::format("{{ {} }}\n", code);
  text += use_outputs(instance, raw_results);
  text += "and.b32 word, index, 65535;\ncvt.u64.u32 place, word;\n" + add_mixed("result", "place");
  // The greatest index is 2^32 - 1.
  text +=
      "sub.u32 word, last, index;\nsetp.ge.u32 more, word, 1024;\nadd.u32 index, index, 1024;\n"
      "@more bra LOOP;\n";
  return text + epilogue() + "}\n";
}

std::string describe(const Instance& instance, u32 index) {
  std::string text;
  for (const u64 input : inputs_at(instance, index))
    text += fmt::format("{}{:#x}", text.empty() ? "" : ", ", input);
  return text;
}

}  // namespace

std::vector<u64> inputs_at(const Instance& instance, u32 index) {
  switch (instance.sweep) {
    case Sweep::kWords:
      return {index};
    case Sweep::kPairs:
      return {index & 0xffff, index >> 16};
    case Sweep::kHalves:
      return {index & 0xffff};
    case Sweep::kVectors:
      break;
  }
  std::vector<u64> values;
  for (u32 slot = 0; slot < instance.inputs.size(); ++slot)
    values.push_back(value(instance.inputs[slot], slot, index));
  return values;
}

Result<std::vector<Instance>> read_instances(std::string_view text) {
  std::vector<Instance> instances;
  std::set<std::string> names;
  const std::string why = read_lines(text, [&](std::string_view one) -> std::string {
    const auto line = cut(one);
    if (!line) return "not of the form NAME (KINDS) -> KINDS [SWEEP] = OPERANDS";
    const auto choices = choices_of(line->name);
    if (!choices) return "a { without }";
    for (const Choice& choice : *choices) {
      Instance instance;
      instance.name = choice.text;
      const auto inputs = kinds_in(choice.in(line->inputs));
      const auto outputs = kinds_in(choice.in(line->outputs));
      if (!inputs || !outputs) return "a kind of operand that does not exist";
      if (inputs->size() > 4 || outputs->size() > 3)
        return "more than four inputs or three results";
      instance.inputs = *inputs;
      instance.outputs = *outputs;
      if (!read_sweep(line->sweep, instance))
        return "a sweep is all32, all16 or all16x2, and its inputs are of that size";
      instance.code = choice.in(line->code);
      instance.code = line->operands ? fmt::format("{} {};", choice.text, instance.code)
                                     : replaced(std::move(instance.code), "$op", choice.text);
      if (instance.sweep != Sweep::kVectors) instance.name += kAll;
      if (!names.insert(instance.name).second)
        return fmt::format("{} is there twice", instance.name);
      instances.push_back(std::move(instance));
    }
    return {};
  });
  if (!why.empty()) return Error{why};
  return instances;
}

std::vector<Instance> on_vectors(const std::vector<Instance>& instances) {
  std::set<std::string_view> names;
  for (const Instance& instance : instances) names.insert(instance.name);
  std::vector<Instance> result;
  for (Instance instance : instances) {
    if (instance.sweep != Sweep::kVectors) {
      instance.name.resize(instance.name.size() - kAll.size());
      if (names.contains(instance.name)) continue;
      instance.sweep = Sweep::kVectors;
      instance.fine = false;
    }
    result.push_back(std::move(instance));
  }
  return result;
}

Subject make_subject(const Instance& instance, const std::string& entry) {
  Subject subject;
  subject.name = instance.name;
  std::string kinds;
  for (const Kind kind : instance.inputs) kinds += fmt::format("{},", name_of(kind));
  subject.identity =
      identity_of(fmt::format("{}|{}|{}", kinds, static_cast<int>(instance.sweep), instance.code));
  const bool words = instance.sweep == Sweep::kWords || instance.sweep == Sweep::kPairs;
  subject.log_group_blocks = words && !instance.fine ? 8 : 0;
  subject.groups = instance.sweep == Sweep::kVectors  ? kVectorBlocks
                   : instance.sweep == Sweep::kHalves ? 1
                                                      : kBlock >> subject.log_group_blocks;
  subject.swept = words;
  subject.scratch = instance.code.find("$global") != std::string::npos;
  subject.raw_limit = instance.sweep == Sweep::kHalves && instance.fine ? kBlock : kRawResults;
  subject.raw_results = subject.raw_limit;
  for (const Kind kind : instance.outputs) subject.raw_columns.push_back(raw_bytes_of(kind));
  if (instance.sweep == Sweep::kVectors) {
    for (u32 slot = 0; slot < instance.inputs.size(); ++slot) {
      const Kind kind = instance.inputs[slot];
      subject.inputs.push_back(
          {fmt::format("{} {}", name_of(kind), slot), bytes_of(kind), kBlock,
           [=](u64 index) { return value(kind, slot, static_cast<u32>(index)); }});
    }
  }
  if (instance.name.starts_with("mov."))
    subject.expected = [=](u32 index) { return inputs_at(instance, index)[0]; };
  subject.describe = [=](u32 result) { return describe(instance, result); };
  subject.entry = entry;
  subject.kernel = kernel(instance, entry, subject.raw_results);
  return subject;
}

}  // namespace heddle::golden
