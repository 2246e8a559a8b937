// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case_kernel.h"

#include <fmt/format.h>

#include <map>

namespace heddle::isa_cases {
namespace {

using isa::Type;
using isa::TypeClass;

/// Type of a register that holds the element (5.2: packed and half-precision values live in
/// bit-size registers; an 8-bit integer in a wider register if the instruction allows that, 9.4.1).
std::string register_type(const Element& element) {
  const isa::TypeInfo& info = isa::type_info(element.type);
  if (info.cls == TypeClass::packed || element.type == Type::f16) {
    return fmt::format("b{}", info.bits);
  }
  return info.bits == 8 && element.wide ? "b16" : std::string(info.name);
}

std::string memory_type(const Element& element) {
  const isa::TypeInfo& info = isa::type_info(element.type);
  if (info.bits == 8 && element.wide) return info.cls == TypeClass::signed_ ? "s8" : "u8";
  return fmt::format("b{}", info.bits);
}

/// One kernel being written.
class Writer {
 public:
  Writer(const Case& test, u32 address_bits) : test_(test), address_bits_(address_bits) {
    for (const Element* element : registers(test.outputs)) declare("d", outputs_++, *element);
    for (const Element* element : registers(test.inputs)) declare("s", inputs_++, *element);
  }

  std::string text(const std::string& name) const {
    return fmt::format(".entry {0}(.param .u{1} in, .param .u{1} out)\n{{\n{2}{3}exit;\n}}\n", name,
                       address_bits_, declarations_, body_);
  }

  void line(std::string text) { body_ += text + ";\n"; }

  /// Sets %in and %out to the thread's parts.
  void prologue(u32 input_stride, u32 output_stride) {
    declarations_ += fmt::format(".reg .b{} %in, %out, %offset;\n", address_bits_);
    declarations_ += ".reg .b32 %thread, %bit, %t;\n.reg .pred %odd;\n";
    line(fmt::format("ld.param.u{} %in, [in]", address_bits_));
    line(fmt::format("ld.param.u{} %out, [out]", address_bits_));
    line("mov.u32 %thread, %tid.x");
    advance("%in", input_stride);
    advance("%out", output_stride);
    line("and.b32 %bit, %thread, 1");
    line("setp.ne.u32 %odd, %bit, 0");
  }

  void load_inputs() { load_all("s", "%in", 0, test_.inputs); }
  void load_outputs(u32 offset) { load_all("d", "%out", offset, test_.outputs); }

  void store_outputs(u32 offset) {
    u32 index = 0;
    for (const Value& value : test_.outputs) {
      for (const Element& element : value.elements) {
        const std::string name = register_name("d", index);
        if (value.name == "cc") line(fmt::format("addc.u32 {}_w, 0, 0", name));
        if (element.type == Type::pred && value.name != "cc")
          line(fmt::format("selp.u32 {0}_w, 1, 0, {0}", name));
        const bool is_word = element.type == Type::pred;
        line(fmt::format("st.global.{} [%out+{}], {}{}", is_word ? "u32" : memory_type(element),
                         offset + kElementBytes * index, name, is_word ? "_w" : ""));
        ++index;
      }
    }
  }

  /// Sets CC.CF from a register or number that holds 0 or 1.
  void set_carry(std::string_view value) {
    line(fmt::format("add.cc.u32 %t, {}, 0xffffffff", value));
  }
  void set_carry_before() {
    if (const auto at = carry_index(test_.inputs)) {
      set_carry(register_name("s", *at) + "_w");
    } else if (const auto out = carry_index(test_.outputs)) {
      set_carry(register_name("d", *out) + "_w");
    }
  }

  /// Writes the instruction, with its sources in registers or, with `values`, as numbers.
  void instruction(std::string_view guard, const Case* values = nullptr) {
    std::vector<std::string> operands;
    u32 written = 0, read = 0, next_output = 0, next_input = 0;
    for (const isa::OperandSpec& spec : test_.form.form->operands) {
      if (!isa::is_present(spec, test_.form.slot_values())) continue;
      std::string text;
      if (spec.written) {
        if (next_output == test_.outputs.size() || test_.outputs[next_output].name == "cc") break;
        text = operand("d", written, test_.outputs[next_output++], nullptr);
      } else {
        if (next_input == test_.inputs.size() || test_.inputs[next_input].name == "cc") break;
        const Value& value = test_.inputs[next_input];
        const Value* number = values ? &values->inputs[next_input] : nullptr;
        ++next_input;
        if (spec.kind == isa::OperandKind::lanes) {
          operands.back() += lanes(spec, value);
          continue;
        }
        text = operand("s", read, value, number);
      }
      if (spec.pair_second) {
        operands.back() += "|" + text;
      } else {
        operands.push_back(text);
      }
    }
    std::string list;
    for (const std::string& operand : operands) list += (list.empty() ? "" : ", ") + operand;
    line(fmt::format("{}{} {}", guard, test_.mnemonic, list));
  }

 private:
  void advance(std::string_view base, u32 stride) {
    line(fmt::format("{} %offset, %thread, {}", address_bits_ == 64 ? "mul.wide.u32" : "mul.lo.u32",
                     stride));
    line(fmt::format("add.u{0} {1}, {1}, %offset", address_bits_, base));
  }

  static std::string register_name(std::string_view prefix, u32 index) {
    return fmt::format("%{}{}", prefix, index);
  }

  void declare(std::string_view prefix, u32 index, const Element& element) {
    declarations_ +=
        fmt::format(".reg .{} {};\n", register_type(element), register_name(prefix, index));
    if (element.type == Type::pred)
      declarations_ += fmt::format(".reg .b32 {}_w;\n", register_name(prefix, index));
  }

  void load_all(std::string_view prefix, std::string_view base, u32 offset,
                const std::vector<Value>& values) {
    u32 index = 0;
    for (const Element* element : registers(values)) {
      const std::string name = register_name(prefix, index);
      const bool is_word = element->type == Type::pred;
      line(fmt::format("ld.global.{} {}{}, [{}+{}]", is_word ? "u32" : memory_type(*element), name,
                       is_word ? "_w" : "", base, offset + kElementBytes * index));
      if (is_word) line(fmt::format("setp.ne.u32 {0}, {0}_w, 0", name));
      ++index;
    }
  }

  static std::optional<u32> carry_index(const std::vector<Value>& values) {
    if (values.empty() || values.back().name != "cc") return std::nullopt;
    return static_cast<u32>(registers(values).size() - 1);
  }

  static std::string number(const Element& element) {
    const std::string text = print(element.type, element.bits);
    if (element.type == Type::f32) return "0f" + text.substr(2);
    if (element.type == Type::f64) return "0d" + text.substr(2);
    return element.type == Type::pred ? std::string(element.bits.lo ? "1" : "0") : text;
  }

  std::string operand(std::string_view prefix, u32& index, const Value& value,
                      const Value* numbers) {
    std::string text;
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      const Element& element = value.elements[i];
      if (i) text += ", ";
      if (element.immediate || numbers) {
        text += number(numbers ? numbers->elements[i] : element);
      } else {
        text += register_name(prefix, index++);
      }
    }
    if (value.braces) text = "{" + text + "}";
    if (!value.suffix.empty()) text += "." + value.suffix;
    return value.minus ? "-" + text : text;
  }

  /// The word after an operand: ".b3210" for 0x3210; nothing for the default.
  static std::string lanes(const isa::OperandSpec& spec, const Value& value) {
    const auto digits = static_cast<int>(spec.suffix.size()) - 1;
    const std::string word =
        fmt::format("{}{:0{}x}", spec.suffix[0], value.elements[0].bits.lo, digits);
    return word == spec.suffix ? "" : "." + word;
  }

  const Case& test_;
  u32 address_bits_;
  u32 outputs_ = 0, inputs_ = 0;
  std::string declarations_, body_;
};

std::string key_of(const Case& test) {
  std::string key = fmt::format("{} {}", test.mnemonic, test.form.form->id);
  for (const Value& value : test.inputs) {
    key += value.braces ? " {" : value.minus ? " -" : " ";
    key += value.suffix;
    for (const Element& element : value.elements)
      key += element.immediate ? print(element.type, element.bits) : "r";
  }
  for (const Value& value : test.outputs) key += " " + value.suffix;
  return key;
}

const isa::OperandSpec* spec_of(const Case& test, const std::string& name) {
  for (const isa::OperandSpec& spec : test.form.form->operands) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

}  // namespace

bool is_active(Mask mask, u32 thread) {
  return mask == Mask::all || (mask == Mask::odd) == (thread % 2 == 1);
}

std::vector<const Element*> registers(const std::vector<Value>& values) {
  std::vector<const Element*> elements;
  for (const Value& value : values) {
    for (const Element& element : value.elements) {
      if (!element.immediate) elements.push_back(&element);
    }
  }
  return elements;
}

std::vector<Group> group(std::span<const Case> cases) {
  std::map<std::string, Group> groups;
  for (const Case& test : cases) {
    Group& group = groups[key_of(test)];
    group.cases.push_back(&test);
    group.inputs = static_cast<u32>(registers(test.inputs).size());
    group.outputs = static_cast<u32>(registers(test.outputs).size());
  }
  std::vector<Group> result;
  for (auto& [key, group] : groups) {
    // If there are more cases than lanes, there are several kernels.
    for (std::size_t i = 0; i < group.cases.size(); i += 32) {
      const auto first = group.cases.begin() + static_cast<std::ptrdiff_t>(i);
      const auto last =
          group.cases.begin() + static_cast<std::ptrdiff_t>(std::min(i + 32, group.cases.size()));
      result.push_back({{first, last}, group.inputs, group.outputs});
    }
  }
  return result;
}

std::string kernel(const Group& group, const std::string& name, u32 address_bits) {
  Writer writer(group.first(), address_bits);
  const u32 bytes = kElementBytes * group.outputs;
  writer.prologue(kElementBytes * group.inputs, bytes * static_cast<u32>(std::size(kMasks)));
  writer.load_inputs();
  for (const Mask mask : kMasks) {
    const u32 offset = bytes * static_cast<u32>(mask);
    writer.load_outputs(offset);
    writer.set_carry_before();
    writer.instruction(mask == Mask::all ? "" : mask == Mask::odd ? "@%odd " : "@!%odd ");
    writer.store_outputs(offset);
  }
  return writer.text(name);
}

Bits untouched(const Case& test, const Value& output, const Element& element, Bits poison) {
  if (element.type != Type::pred) return poison;
  const bool reads_carry = !test.inputs.empty() && test.inputs.back().name == "cc";
  return output.name == "cc" && reads_carry ? test.inputs.back().elements[0].bits : Bits{1, 0};
}

bool can_be_immediate(const Case& test) {
  for (const Value& value : test.inputs) {
    if (value.name == "cc") continue;
    const isa::OperandSpec* spec = spec_of(test, value.name);
    const bool decorated = value.braces || value.minus || !value.suffix.empty();
    if (!spec || spec->register_only || spec->kind != isa::OperandKind::value || decorated)
      return false;
    const Element& element = value.elements[0];
    const isa::TypeInfo& type = isa::type_info(element.type);
    const bool has_literals = type.cls == TypeClass::bits || type.cls == TypeClass::unsigned_ ||
                              type.cls == TypeClass::signed_ || element.type == Type::f32 ||
                              element.type == Type::f64;
    if (!has_literals || type.bits > 64 || type.bits < 16) return false;
    const s64 number = static_cast<s64>(element.bits.lo);
    if (spec->imm_min <= spec->imm_max && (number < spec->imm_min || number > spec->imm_max))
      return false;
  }
  return true;
}

std::string immediate_kernel(std::span<const Case* const> cases, const std::string& name,
                             u32 address_bits) {
  Writer writer(*cases[0], address_bits);
  writer.prologue(0, 0);
  const u32 bytes = kElementBytes * static_cast<u32>(registers(cases[0]->outputs).size());
  for (u32 i = 0; i < cases.size(); ++i) {
    writer.load_outputs(bytes * i);
    const std::vector<Value>& inputs = cases[i]->inputs;
    if (!inputs.empty() && inputs.back().name == "cc")
      writer.set_carry(inputs.back().elements[0].bits.lo ? "1" : "0");
    writer.instruction("", cases[i]);
    writer.store_outputs(bytes * i);
  }
  return writer.text(name);
}

}  // namespace heddle::isa_cases
