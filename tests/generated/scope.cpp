// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/spell.h"

namespace heddle::generated {
namespace {

using isa::OperandKind;
using isa::OperandSpec;
using isa::Type;
using isa::TypeClass;
using isa::TypeInfo;

struct PoolType {
  Type type;
  std::string_view prefix;
  u32 rich, poor;  ///< how many
};
constexpr PoolType kPool[] = {
    {Type::pred, "p", 6, 3}, {Type::b8, "c", 4, 0},   {Type::b16, "h", 3, 2},
    {Type::u16, "hu", 2, 1}, {Type::s16, "hs", 1, 1}, {Type::f16, "hf", 2, 0},
    {Type::b32, "w", 5, 2},  {Type::u32, "wu", 3, 2}, {Type::s32, "ws", 2, 1},
    {Type::f32, "wf", 4, 1}, {Type::b64, "d", 3, 2},  {Type::u64, "du", 2, 1},
    {Type::s64, "ds", 1, 1}, {Type::f64, "df", 3, 1}, {Type::b128, "q", 2, 0},
};

bool is_integer(TypeClass cls) {
  return cls == TypeClass::bits || cls == TypeClass::unsigned_ || cls == TypeClass::signed_;
}

/// Whether a register may be the operand (9.4, 9.4.1): formats without their own registers use bit
/// types.
bool fits(Type have, Type wanted, const OperandSpec& spec) {
  const TypeInfo &r = isa::type_info(have), &t = isa::type_info(wanted);
  if (have == Type::pred || wanted == Type::pred) return have == wanted;
  if (r.bits != t.bits) {
    return spec.wide && is_integer(t.cls) && is_integer(r.cls) && r.bits > t.bits && r.bits <= 64;
  }
  if (t.cls == TypeClass::bits) return true;
  if (t.cls == TypeClass::packed || spec.as_bits) return r.cls == TypeClass::bits;
  if (t.cls == TypeClass::float_) return r.cls == TypeClass::bits || have == wanted;
  return is_integer(r.cls);
}

/// Whether registers of these types may be elements of one vector.
bool goes_beside(Type one, Type other) {
  const TypeClass a = isa::type_info(one).cls, b = isa::type_info(other).cls;
  const bool free = a == TypeClass::bits || b == TypeClass::bits || other == Type::none;
  return free || (a == TypeClass::float_) == (b == TypeClass::float_);
}

/// Whether there are constants of the type (5.2).
bool has_constants(Type type) {
  const TypeInfo& info = isa::type_info(type);
  if (type == Type::f32 || type == Type::f64) return true;
  return is_integer(info.cls) && info.bits >= 16 && info.bits <= 64;
}

/// A random number, mostly a corner value.
u64 interesting(Random& random, u32 bits) {
  const u64 any = random.next();
  const u64 top = u64{1} << (bits - 1);
  switch (random.below(6)) {
    case 0:
      return any % 5;
    case 1:
      return u64{0} - any % 5;
    case 2:
      return top - any % 3;
    case 3:
      return u64{1} << any % bits;
    case 4:
      return any % (bits + 2);
    default:
      return any;
  }
}

u64 interesting_float(Random& random, bool wide) {
  static constexpr u32 kSingles[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                     0x3f800000, 0xbf800000, 0x40490fdb, 0x4b000001, 0x7f7fffff,
                                     0x7f800000, 0xff800000, 0x7fc00000, 0x3effffff, 0xc2c80000};
  static constexpr u64 kDoubles[] = {0,
                                     u64{1} << 63,
                                     1,
                                     0x000fffffffffffff,
                                     0x3ff0000000000000,
                                     0xbff8000000000000,
                                     0x400921fb54442d18,
                                     0x41dfffffffc00000,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000};
  if (random.below(3) == 0) return random.next();
  return wide ? kDoubles[random.below(std::size(kDoubles))]
              : kSingles[random.below(std::size(kSingles))];
}

std::string integer(u64 bits, Type type) {
  const TypeInfo& info = isa::type_info(type);
  if (info.bits < 64) bits &= (u64{1} << info.bits) - 1;
  if (info.cls != TypeClass::signed_) return fmt::format("{:#x}", bits);
  const u32 shift = 64 - info.bits;
  return fmt::format("{}", static_cast<s64>(bits << shift) >> shift);
}

std::string within(const OperandSpec& spec, Random& random) {
  if (!spec.imm_values.empty())
    return std::to_string(spec.imm_values[random.below(spec.imm_values.size())]);
  const u64 steps = static_cast<u64>((spec.imm_max - spec.imm_min) / spec.imm_step);
  const u32 least = spec.imm_above ? 1 : 0;
  const s64 step = least + random.below(steps - least + 1);
  return std::to_string(spec.imm_min + step * spec.imm_step);
}

bool has_range(const OperandSpec& spec) {
  return spec.imm_min <= spec.imm_max || !spec.imm_values.empty();
}

}  // namespace

Scope::Scope(Random& random, const Catalogue& catalogue, bool rich)
    : random_(random), catalogue_(catalogue) {
  for (const PoolType& type : kPool) {
    const u32 count = rich ? type.rich : type.poor;
    for (u32 i = 0; i < count; ++i)
      pool_.push_back({fmt::format("%{}{}", type.prefix, i), type.type});
  }
}

std::string Scope::temporary(std::string_view type) {
  temporaries_.push_back({fmt::format("%t{}", temporaries_.size()), isa::find_type(type)});
  return temporaries_.back().name;
}

std::string Scope::declarations() const {
  std::string text;
  for (const std::vector<Register>* registers : {&pool_, &temporaries_}) {
    for (const Register& one : *registers)
      text += fmt::format(".reg .{} {};\n", isa::type_info(one.type).name, one.name);
  }
  return text;
}

std::string Scope::guard() const {
  return fmt::format("@{}{} ", one_in(2) ? "!" : "", any(Type::pred));
}

std::string Scope::pick(Type type, const OperandSpec& spec, const std::vector<std::string>& taken,
                        u32 bits) const {
  std::vector<const Register*> exact, wide;
  const auto add = [&](const std::vector<Register>& registers) {
    for (const Register& one : registers) {
      if (!fits(one.type, type, spec) || std::ranges::find(taken, one.name) != taken.end())
        continue;
      const u32 size = isa::type_info(one.type).bits;
      if (bits && size != bits) continue;
      (size == isa::type_info(type).bits ? exact : wide).push_back(&one);
    }
  };
  if (!only_fixed_ || spec.written) add(pool_);
  if (!spec.written) add(fixed_);
  const auto& from = exact.empty() || (!wide.empty() && one_in(4)) ? wide : exact;
  return from.empty() ? std::string() : from[below(static_cast<u32>(from.size()))]->name;
}

std::string Scope::target(Type type) const {
  OperandSpec spec;
  spec.written = true;
  return pick(type, spec, {}, 0);
}

/// Adds a fixed register that an instruction computes from others. Empty when none was added.
std::string Scope::derive() {
  const auto opcodes = catalogue_.plain();
  const Catalogue::Opcode& opcode = opcodes[below(static_cast<u32>(opcodes.size()))];
  const isa::Form& form = *opcode.forms[below(static_cast<u32>(opcode.forms.size()))];
  const auto written =
      std::ranges::count_if(form.operands, [](const OperandSpec& one) { return one.written; });
  if (written != 1 || form.operands[0].also_read) return {};
  const auto instance = choose(form, catalogue_.place(), random_);
  if (!instance || isa::is_vector(form, form.operands[0], instance->slots())) return {};
  const TypeInfo& info = isa::type_info(instance->type_of(form.operands[0]));
  if (info.bits > 64 || form.operands[0].suffix_slot >= 0) return {};
  const bool has_registers = info.cls == TypeClass::pred || info.cls == TypeClass::float_ ||
                             (is_integer(info.cls) && info.bits >= 16);
  const std::string type = has_registers ? std::string(info.name) : fmt::format("b{}", info.bits);
  const std::string name = fmt::format("%t{}", temporaries_.size());
  only_fixed_ = true;
  auto text = instruction(*instance, {{form.operands[0].name, name}});
  only_fixed_ = false;
  if (!text) return {};
  fix(temporary(type), isa::find_type(type));
  return *text;
}

Type Scope::type_of(std::string_view name) const {
  for (const std::vector<Register>* registers : {&pool_, &fixed_}) {
    const auto at = std::ranges::find(*registers, name, &Register::name);
    if (at != registers->end()) return at->type;
  }
  return Type::none;
}

std::string Scope::constant(Type type, const OperandSpec& spec) const {
  if (type == Type::f32 && has_range(spec)) return "0f3F000000";  // 0.5
  if (type == Type::f32)
    return fmt::format("0f{:08X}", static_cast<u32>(interesting_float(random_, false)));
  if (type == Type::f64) return fmt::format("0d{:016X}", interesting_float(random_, true));
  if (has_range(spec)) return within(spec, random_);
  return integer(interesting(random_, isa::type_info(type).bits), type);
}

/// A special register that does not change from run to run.
std::string Scope::special(u32 length) const {
  static constexpr std::string_view kVectors[] = {"%tid", "%ntid", "%ctaid", "%nctaid"};
  static constexpr std::string_view kScalars[] = {"%laneid", "%lanemask_lt", "%lanemask_ge",
                                                  "%lanemask_eq"};
  if (length == 1 && one_in(3)) return std::string(kScalars[below(std::size(kScalars))]);
  const std::string_view vector = kVectors[below(std::size(kVectors))];
  return length == 1 ? fmt::format("{}.{}", vector, "xyz"[below(3)]) : std::string(vector);
}

std::string Scope::scalar(Type type, const OperandSpec& spec, bool plain,
                          std::vector<std::string>& written) const {
  if (spec.written) {
    const bool sink = plain && !spec.register_only && (spec.sink || spec.pair_second);
    if (sink && one_in(12)) return "_";
    std::string name = pick(type, spec, written, 0);
    written.push_back(name);
    return name;
  }
  const bool word = type == Type::u32 || type == Type::b32 || type == Type::s32;
  if (plain && spec.special_allowed && word && one_in(4)) return special(1);
  if (plain && !spec.register_only && has_constants(type) && one_in(5)) return constant(type, spec);
  std::string name = pick(type, spec, {}, 0);
  if (!name.empty() && spec.negatable && one_in(3)) return "!" + name;
  return name;
}

/// Elements of a vector: registers of one size, integers and floats not mixed.
std::string Scope::elements(Type type, const OperandSpec& spec, u32 length,
                            std::vector<std::string>& written) const {
  std::string text;
  u32 bits = 0;
  Type kind = Type::none;  // of the first register that is not of a bit type
  for (u32 i = 0; i < length; ++i) {
    std::vector<std::string> taken = spec.written ? written : std::vector<std::string>();
    for (const std::vector<Register>* registers : {&pool_, &fixed_}) {
      for (const Register& one : *registers)
        if (!goes_beside(one.type, kind)) taken.push_back(one.name);
    }
    const std::string name = pick(type, spec, taken, bits);
    if (name.empty()) return {};
    if (spec.written) written.push_back(name);
    const Type chosen = type_of(name);
    bits = isa::type_info(chosen).bits;
    if (isa::type_info(chosen).cls != TypeClass::bits) kind = chosen;
    text += (i ? ", " : "") + name;
  }
  return "{" + text + "}";
}

std::string Scope::operand(const Instance& instance, const OperandSpec& spec, Pins pins,
                           std::vector<std::string>& written) const {
  for (const auto& [name, text] : pins)
    if (name == spec.name) return text;
  if (spec.kind == OperandKind::imm)
    return has_range(spec) ? within(spec, random_) : std::to_string(below(256));
  if (spec.kind != OperandKind::value) return {};
  const Type type = instance.type_of(spec);
  if (type == Type::none) return {};
  const std::span<const u8> slots = instance.slots();
  const bool minus = spec.minus_slot >= 0 && slots[spec.minus_slot];
  const bool suffix = spec.suffix_slot >= 0 && slots[spec.suffix_slot];
  if (!isa::is_vector(*instance.form, spec, slots)) {
    std::string text = scalar(type, spec, !minus && !suffix, written);
    if (text.empty()) return {};
    if (suffix)
      text += fmt::format(".{}", instance.word(instance.form->slots[spec.suffix_slot].name));
    return minus ? "-" + text : text;
  }
  const u32 length = isa::vector_length(*instance.form, spec, slots);
  if (spec.special_allowed && type == Type::u32 && length == 4 && one_in(3)) return special(4);
  return elements(type, spec, length, written);
}

std::optional<std::string> Scope::instruction(const Instance& instance, Pins pins,
                                              std::string_view guard) const {
  const isa::Form& form = *instance.form;
  std::vector<std::string> written;  // a register is written once
  std::vector<std::string> operands;
  for (const OperandSpec& spec : form.operands) {
    if (!isa::is_present(spec, instance.slots()) || (spec.optional && !instance.optional)) continue;
    if (spec.kind == OperandKind::lanes) {
      if (one_in(2)) continue;
      operands.back() += fmt::format(".{}", spec.suffix[0]);
      for (std::size_t i = 1; i < spec.suffix.size(); ++i) operands.back() += within(spec, random_);
      continue;
    }
    const std::string text = operand(instance, spec, pins, written);
    if (text.empty()) return std::nullopt;
    if (spec.pair_second) {
      operands.back() += "|" + text;
    } else {
      operands.push_back(text);
    }
  }
  std::string list;
  for (const std::string& one : operands) list += (list.empty() ? " " : ", ") + one;
  return fmt::format("{}{}{};\n", guard, isa::spell_mnemonic(form, instance.slots()), list);
}

}  // namespace heddle::generated
