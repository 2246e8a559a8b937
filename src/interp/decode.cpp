// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the checked module to Ops: registers become places in the frame, immediates places in the
// constant block, addresses a base and an offset. Where an operand is wider than its instruction
// (PTX ISA 9.4.1), a width change goes before or after. A scalar .param variable that is only
// loaded, stored and passed whole becomes a register (7.1).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "base/check.h"
#include "interp/program.h"
#include "interp/specials.h"
#include "interp/warp_ops.h"
#include "ir/print.h"
#include "isa/groups.h"

namespace heddle::interp {
namespace {

using ir::Operand;
using ir::OperandKind;
using isa::SemId;
using isa::SemKind;
using isa::Type;

u32 bytes_of(Type type) { return std::max(1, isa::type_info(type).bits / 8); }
bool is_predicate(Type type) { return type == Type::pred; }
bool is_signed(Type type) { return isa::type_info(type).cls == isa::TypeClass::signed_; }
u32 width_index(u32 bytes) { return static_cast<u32>(std::countr_zero(bytes)); }

/// Columns of Level::atom.
int atom_type_index(Type type) {
  switch (type) {
    case Type::b16:
      return 0;
    case Type::b32:
    case Type::u32:
      return 1;
    case Type::s32:
      return 2;
    case Type::b64:
    case Type::u64:
      return 3;
    case Type::s64:
      return 4;
    case Type::f32:
      return 5;
    case Type::f64:
      return 6;
    case Type::f16:
      return 7;
    case Type::f16x2:
      return 8;
    case Type::bf16:
      return 9;
    case Type::bf16x2:
      return 10;
    default:
      return -1;
  }
}

/// What all functions of one program share.
struct Builder {
  Interpreted& program;
  const Level& level;
  const machine::Loaded& loaded;
  machine::SharedLayout shared;
  std::map<std::pair<u64, u32>, u32> constant_places;  // (value, bytes) -> offset
  std::map<std::pair<u32, u32>, u32> special_places;   // (register, component) -> offset

  /// A place whose 32 lanes hold `value`; bytes 0: a predicate.
  Place constant(u64 value, u32 bytes) {
    const auto [it, fresh] = constant_places.try_emplace({value, bytes}, 0);
    if (fresh) {
      std::vector<u8>& block = program.constants;
      block.resize((block.size() + 63) / 64 * 64);
      it->second = static_cast<u32>(block.size());
      if (bytes == 0) {
        const u32 bits = value ? kAllLanes : 0;
        block.resize(block.size() + 4);
        std::memcpy(block.data() + it->second, &bits, 4);
      } else {
        block.resize(block.size() + bytes * kLanes);
        for (u32 lane = 0; lane < kLanes; ++lane) {
          std::memcpy(block.data() + it->second + lane * bytes, &value, std::min<u32>(bytes, 8));
        }
      }
    }
    return place(Block::constants, it->second);
  }

  Place special(u32 reg, u32 component, u32 bytes) {
    const auto [it, fresh] = special_places.try_emplace({reg, component}, 0);
    if (fresh) {
      it->second = program.special_bytes;
      program.special_bytes += (std::max(bytes, 1u) * kLanes + 63) / 64 * 64;
      program.specials.push_back(
          {static_cast<isa::SpecialRegister>(reg), static_cast<u8>(component), it->second, bytes});
    }
    return place(Block::specials, it->second);
  }

  const Place* keep(std::vector<Place> list) {
    program.lists.push_back(std::move(list));
    return program.lists.back().data();
  }
};

/// Decodes one function.
class Decoder {
 public:
  Decoder(Builder& builder, Code& code)
      : builder_(builder), level_(builder.level), code_(code), f_(*code.function) {}

  /// Frame layout and formals; needed before any caller is decoded.
  void lay_out();
  /// Instructions. Returns what keeps the function from running, or an empty string.
  std::string decode();

 private:
  // --- frame ---
  u32 take(u32 bytes, u32 align) {
    const u32 at = (code_.register_bytes + align - 1) / align * align;
    code_.register_bytes = at + bytes;
    return at;
  }
  Place take_register(Type type) {
    return place(Block::frame, is_predicate(type) ? take(4, 4) : take(bytes_of(type) * kLanes, 64));
  }
  Place scratch(u32 bytes) {
    return place(Block::frame, bytes ? take(bytes * kLanes, 64) : take(4, 4));
  }
  void find_promotable();
  Slot slot_of(const ir::Parameter& parameter) const;

  // --- emission ---
  Op& emit(Handler run) {
    Op op;
    op.run = run;
    op.inst = inst_index_;
    code_.ops.push_back(op);
    return code_.ops.back();
  }
  Op& emit_guarded(Handler run) {
    Op& op = emit(run);
    const ir::Guard& guard = inst_->guard;
    if (guard.predicate) {
      op.guard = registers_[guard.predicate.value];
      op.guard_flip = guard.negated ? kAllLanes : 0;
    }
    return op;
  }
  Op& emit_control(Control control) {
    Op& op = emit_guarded(nullptr);
    op.control = control;
    return op;
  }
  void resize(Place from, u32 from_bytes, Place to, u32 to_bytes, bool sign, bool guarded) {
    const Handler run = level_.resize[width_index(from_bytes)][width_index(to_bytes)][sign];
    Op& op = guarded ? emit_guarded(run) : emit(run);
    op.src[0] = from;
    op.dst[0] = to;
  }

  Place source(const Operand& operand);
  struct Target {
    Place place;
    Place wide = 0;  // when wide_bytes: the register that gets the extended value afterwards
    u32 bytes = 0, wide_bytes = 0;
    bool sign = false;
    bool unwanted = false;  // a sink
  };
  Target target(const Operand& operand);
  void finish(const Target& target) {
    if (target.wide_bytes)
      resize(target.place, target.bytes, target.wide, target.wide_bytes, target.sign, true);
  }
  std::span<const Operand> elements(const Operand& operand) const {
    if (operand.kind == OperandKind::vector)
      return std::span(f_.operands).subspan(operand.id, operand.value);
    return {&operand, 1};
  }
  u64 symbol_value(const Operand& operand) const;
  void address(const Operand& operand, Op& op, const std::pair<AddressBase, Place>& base) const;
  std::pair<AddressBase, Place> address_base(const Operand& operand);

  // --- instructions ---
  std::string instruction();
  void lane_instruction(const isa::Form& form);
  void load();
  void store();
  std::string atomic(bool returns);
  void pack();
  void unpack();
  void move_vector();
  void cvta();
  void isspacep();
  std::string call();
  void barrier(Control control);
  void warp_instruction(const isa::Form& form);
  void move(Place from, Place to, Type type) {
    Op& op = emit_guarded(is_predicate(type) ? level_.predicate_move
                                             : level_.move[width_index(bytes_of(type))]);
    op.src[0] = from;
    op.dst[0] = to;
  }

  const Operand& operand(u32 index) const { return f_.operands[inst_->operands.first + index]; }
  /// The operand that the form calls `name`, or one of kind none.
  const Operand& operand(std::string_view name) const {
    const auto specs = inst_->get_form().operands;
    for (u32 i = 0; i < specs.size() && i < inst_->operands.count; ++i) {
      if (specs[i].name == name) return operand(i);
    }
    static const Operand kNone;
    return kNone;
  }
  u8 slot(std::string_view name) const {
    const auto slots = inst_->get_form().slots;
    for (u32 i = 0; i < slots.size(); ++i) {
      if (slots[i].name == name) return inst_->slots[i];
    }
    return 0;
  }
  ir::Space space() const { return static_cast<ir::Space>(inst_->space); }
  bool promoted(const Operand& operand) const {
    return operand.kind == OperandKind::local && promoted_[operand.id] != kNotPromoted;
  }

  static constexpr Place kNotPromoted = 0xffffffff;
  Builder& builder_;
  const Level& level_;
  Code& code_;
  const ir::Function& f_;
  std::vector<Place> registers_;
  std::vector<u64> local_offsets_;
  std::vector<Place> promoted_;  // by local
  const ir::Inst* inst_ = nullptr;
  u32 inst_index_ = 0;
};

// --- frame
// -----------------------------------------------------------------------------------------------------------

/// A .param variable of one scalar element that is only ever read, written and passed whole.
void Decoder::find_promotable() {
  promoted_.assign(f_.locals.size(), kNotPromoted);
  std::vector<bool> ok(f_.locals.size());
  for (u32 i = 0; i < f_.locals.size(); ++i) {
    const ir::Variable& local = f_.locals[i];
    ok[i] = local.space == ir::Space::param && !local.is_array && local.vector == 1 &&
            local.size <= 16 && local.size == bytes_of(local.type);
  }
  for (const ir::Inst& inst : f_.insts) {
    const isa::Form& form = inst.get_form();
    const bool access = form.sem_id == SemId::ld || form.sem_id == SemId::st;
    for (u32 i = 0; i < inst.operands.count; ++i) {
      const Operand& operand = f_.operands[inst.operands.first + i];
      if (operand.kind != OperandKind::local) continue;
      if (form.sem_id == SemId::call) continue;  // arguments stand in vectors; see below
      u32 accessed = 0;
      if (access && operand.is_address && operand.value == 0) {
        for (u32 j = 0; j < inst.operands.count; ++j) {
          const Operand& other = f_.operands[inst.operands.first + j];
          if (!other.is_address && other.kind != OperandKind::none &&
              other.kind != OperandKind::vector &&
              (form.operands[j].name == "d" || form.operands[j].name == "b")) {
            accessed = bytes_of(other.type);
          }
        }
      }
      if (accessed != f_.locals[operand.id].size) ok[operand.id] = false;
    }
  }
  for (u32 i = 0; i < f_.locals.size(); ++i) {
    if (ok[i]) promoted_[i] = take_register(f_.locals[i].type);
  }
}

void Decoder::lay_out() {
  registers_.reserve(f_.registers.size());
  for (const ir::Register& reg : f_.registers) registers_.push_back(take_register(reg.type));
  find_promotable();
  u64 at = 0;
  for (u32 i = 0; i < f_.locals.size(); ++i) {
    const ir::Variable& local = f_.locals[i];
    const u64 align = std::max<u32>(local.align, 1);
    at = (at + align - 1) / align * align;
    local_offsets_.push_back(at);
    if (promoted_[i] == kNotPromoted) at += local.size;
  }
  // Even a call that keeps nothing in memory uses some stack, so that endless recursion ends.
  code_.local_bytes = std::max<u64>((at + 15) / 16 * 16, f_.is_entry ? 0 : 16);
  if (!f_.is_entry && f_.has_body) {
    for (const ir::Parameter& parameter : f_.signature.params)
      code_.params.push_back(slot_of(parameter));
    for (const ir::Parameter& parameter : f_.signature.returns)
      code_.returns.push_back(slot_of(parameter));
  }
}

Slot Decoder::slot_of(const ir::Parameter& parameter) const {
  Slot slot;
  slot.bytes = static_cast<u32>(parameter.size);
  if (parameter.in_register) {
    slot.place = registers_[parameter.reg.value];
    slot.bytes = is_predicate(f_.registers[parameter.reg.value].type)
                     ? 0
                     : bytes_of(f_.registers[parameter.reg.value].type);
  } else if (promoted_[parameter.local.value] != kNotPromoted) {
    slot.place = promoted_[parameter.local.value];
  } else {
    slot.in_register = false;
    slot.offset = local_offsets_[parameter.local.value];
  }
  return slot;
}

// --- operands
// --------------------------------------------------------------------------------------------------------

/// The number that a symbol stands for in its own state space.
u64 Decoder::symbol_value(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::variable: {
      const ir::Variable& variable = builder_.loaded.module().variables[operand.id];
      if (variable.space == ir::Space::shared)
        return builder_.shared.offset.at(operand.id) + operand.value;
      return builder_.loaded.address_of(ir::VarId(operand.id)) + operand.value;
    }
    case OperandKind::function:
      return builder_.loaded.address_of(ir::FunctionId(operand.id));
    case OperandKind::local:
      return local_offsets_[operand.id] + operand.value;
    default:
      return operand.value;  // immediate; parameter: offset in the block
  }
}

Place Decoder::source(const Operand& operand) {
  const bool predicate = is_predicate(operand.type);
  const u32 bytes = predicate ? 0 : bytes_of(operand.type);
  Place from = 0;
  u32 from_bytes = bytes;
  switch (operand.kind) {
    case OperandKind::reg: {
      const Type type = f_.registers[operand.id].type;
      from = registers_[operand.id];
      from_bytes = is_predicate(type) ? 0 : bytes_of(type);
      break;
    }
    case OperandKind::special: {
      const auto& info = isa::special_register_info(static_cast<isa::SpecialRegister>(operand.id));
      from_bytes = is_predicate(info.type) ? 0 : bytes_of(info.type);
      from = builder_.special(operand.id, operand.component, from_bytes);
      if (is_dynamic(static_cast<isa::SpecialRegister>(operand.id))) {
        Op& op = emit(nullptr);
        op.control = Control::refresh_special;
        op.offset = operand.id;
        op.dst[0] = from;
        op.count = operand.component;
      }
      break;
    }
    case OperandKind::local: {
      from = scratch(bytes);
      Op& op = emit(level_.frame_address[bytes == 8]);
      op.dst[0] = from;
      op.offset = symbol_value(operand);
      break;
    }
    case OperandKind::none:
      return builder_.constant(0, bytes);
    default:
      return builder_.constant(
          predicate && operand.negated ? !operand.value : symbol_value(operand), bytes);
  }
  if (predicate && operand.negated) {
    const Place negated = scratch(0);
    Op& op = emit(level_.predicate_not);
    op.src[0] = from;
    op.dst[0] = negated;
    return negated;
  }
  if (from_bytes != bytes && bytes && from_bytes) {
    const Place exact = scratch(bytes);
    resize(from, from_bytes, exact, bytes, false, false);
    return exact;
  }
  return from;
}

Decoder::Target Decoder::target(const Operand& operand) {
  Target target;
  target.bytes = is_predicate(operand.type) ? 0 : bytes_of(operand.type);
  if (operand.kind != OperandKind::reg) {  // a sink
    target.place = scratch(target.bytes);
    target.unwanted = true;
    return target;
  }
  const Type type = f_.registers[operand.id].type;
  const u32 bytes = is_predicate(type) ? 0 : bytes_of(type);
  if (bytes == target.bytes) {
    target.place = registers_[operand.id];
    return target;
  }
  target.place = scratch(target.bytes);
  target.wide = registers_[operand.id];
  target.wide_bytes = bytes;
  target.sign = is_signed(operand.type);
  return target;
}

/// Emits what the base needs first; the address itself is filled in by address().
std::pair<AddressBase, Place> Decoder::address_base(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::reg: {
      const bool wide = bytes_of(f_.registers[operand.id].type) == 8;
      Place from = registers_[operand.id];
      if (space() == ir::Space::param && f_.is_entry) {  // an offset into the parameter block
        const Place based = scratch(wide ? 8 : 4);
        Op& op = emit(level_.to_generic[wide]);
        op.src[0] = from;
        op.dst[0] = based;
        op.window = Window::param;
        from = based;
      }
      return {wide ? AddressBase::reg64 : AddressBase::reg32, from};
    }
    case OperandKind::special: {
      Operand value = operand;
      value.is_address = false;
      value.type = Type::u64;
      return {AddressBase::reg64, source(value)};
    }
    case OperandKind::local:
      return {AddressBase::frame, 0};
    case OperandKind::parameter:
      return {AddressBase::params, 0};
    default:
      return {AddressBase::absolute, 0};
  }
}

void Decoder::address(const Operand& operand, Op& op,
                      const std::pair<AddressBase, Place>& base) const {
  op.base = base.first;
  op.src[0] = base.second;
  op.offset = operand.kind == OperandKind::reg || operand.kind == OperandKind::special
                  ? operand.value
                  : symbol_value(operand);
  const ir::Space space = this->space();
  const bool in_frame = operand.kind == OperandKind::local;
  if (space == ir::Space::shared)
    op.window = Window::shared;
  else if (space == ir::Space::local || in_frame || (space == ir::Space::param && !f_.is_entry))
    op.window = Window::local;
  else
    op.window = Window::generic;
}

// --- instructions
// ----------------------------------------------------------------------------------------------------

void Decoder::lane_instruction(const isa::Form& form) {
  const u32 index = isa::dispatch_index(form, inst_->slots);
  HEDDLE_CHECK(index != isa::kNoDispatch && level_.lanes[index]);
  std::vector<Place> sources;
  std::vector<Target> targets;
  for (u32 i = 0; i < inst_->operands.count; ++i) {
    const Operand& one = operand(i);
    const bool carry = i >= form.operands.size();
    const bool written = carry ? form.carry == isa::CarryUse::out : form.operands[i].written;
    if (carry) {
      if (form.carry != isa::CarryUse::out) sources.push_back(source(one));
      if (form.carry != isa::CarryUse::in) targets.push_back(target(one));
    } else if (written) {
      for (const Operand& element : elements(one)) targets.push_back(target(element));
    } else {
      for (const Operand& element : elements(one)) sources.push_back(source(element));
    }
  }
  Op& op = emit_guarded(level_.lanes[index]);
  HEDDLE_CHECK(sources.size() <= std::size(op.src) && targets.size() <= std::size(op.dst));
  std::copy(sources.begin(), sources.end(), op.src);
  for (std::size_t i = 0; i < targets.size(); ++i) op.dst[i] = targets[i].place;
  if (targets.size() == 2 && targets[1].unwanted) op.flags = kNoSecond;
  for (std::size_t i = 0; i < form.runtime_slots.size(); ++i)
    op.runtime[i] = inst_->slots[form.runtime_slots[i]];
  for (const Target& target : targets) finish(target);
}

bool is_ordered(u8 order) {
  using sem::Order;
  return order != static_cast<u8>(Order::none) && order != static_cast<u8>(Order::weak);
}

void Decoder::load() {
  const Operand& d = operand("d");
  const Operand& a = operand("a");
  if (promoted(a)) {
    const Target to = target(d);
    move(promoted_[a.id], to.place, d.type);
    finish(to);
    return;
  }
  const auto base = address_base(a);
  std::vector<Place> list;
  std::vector<Target> targets;
  for (const Operand& element : elements(d)) {
    targets.push_back(target(element));
    list.push_back(targets.back().place);
  }
  const u32 bytes = targets[0].bytes;
  Op& op = emit_guarded(level_.load[width_index(bytes)]);
  address(a, op, base);
  op.count = static_cast<u8>(list.size());
  op.list = builder_.keep(std::move(list));
  op.flags = is_ordered(slot("order")) ? 1 : 0;
  for (const Target& target : targets) finish(target);
}

void Decoder::store() {
  const Operand& a = operand("a");
  const Operand& b = operand("b");
  if (promoted(a)) {
    move(source(b), promoted_[a.id], b.type);
    return;
  }
  std::vector<Place> list;
  for (const Operand& element : elements(b)) list.push_back(source(element));
  const auto base = address_base(a);
  Op& op = emit_guarded(level_.store[width_index(bytes_of(elements(b)[0].type))]);
  address(a, op, base);
  op.count = static_cast<u8>(list.size());
  op.list = builder_.keep(std::move(list));
  op.flags = is_ordered(slot("order")) ? 1 : 0;
}

/// The list is: destinations, then b, then c (b again when there is none).
std::string Decoder::atomic(bool returns) {
  const Operand& a = operand("a");
  const auto b = elements(operand("b"));
  const Operand& c = operand("c");
  const Type type = b[0].type;
  std::vector<Place> list;
  std::vector<Target> targets;
  const auto d = elements(operand("d"));
  for (std::size_t i = 0; i < b.size(); ++i) {
    Operand sink;
    sink.type = type;
    targets.push_back(target(returns && i < d.size() ? d[i] : sink));
    list.push_back(targets.back().place);
  }
  for (const Operand& element : b) list.push_back(source(element));
  for (std::size_t i = 0; i < b.size(); ++i)
    list.push_back(c.kind == OperandKind::none ? list[b.size() + i] : source(c));
  const auto base = address_base(a);
  const u8 atomop = slot("atomop");
  const int column = atom_type_index(type);
  const Handler run = type == Type::b128 ? wide_atomic(atomop)
                      : column < 0       ? nullptr
                                         : level_.atom[atomop][column];
  if (!run) return "no engine runs this atomic operation yet";
  Op& op = emit_guarded(run);
  address(a, op, base);
  op.count = static_cast<u8>(b.size());
  op.list = builder_.keep(std::move(list));
  for (const Target& target : targets) finish(target);
  return {};
}

void Decoder::pack() {
  std::vector<Place> list;
  const auto from = elements(operand("a"));
  for (const Operand& element : from) list.push_back(source(element));
  const Target to = target(operand("d"));
  Op& op = emit_guarded(level_.pack[width_index(bytes_of(from[0].type))][from.size() == 4]);
  op.dst[0] = to.place;
  op.count = static_cast<u8>(list.size());
  op.list = builder_.keep(std::move(list));
  finish(to);
}

void Decoder::unpack() {
  const Place from = source(operand("a"));
  std::vector<Place> list;
  std::vector<Target> targets;
  const auto d = elements(operand("d"));
  for (const Operand& element : d) {
    targets.push_back(target(element));
    list.push_back(targets.back().place);
  }
  Op& op = emit_guarded(level_.unpack[width_index(targets[0].bytes)][d.size() == 4]);
  op.src[0] = from;
  op.count = static_cast<u8>(list.size());
  op.list = builder_.keep(std::move(list));
  for (const Target& target : targets) finish(target);
}

/// Element by element, through copies when a register stands on both sides.
void Decoder::move_vector() {
  const auto d = elements(operand("d"));
  const auto a = elements(operand("a"));
  std::vector<Place> values;
  for (const Operand& element : a) {
    const Place from = source(element);
    const Place copy = scratch(bytes_of(element.type));
    move(from, copy, element.type);
    values.push_back(copy);
  }
  for (std::size_t i = 0; i < d.size() && i < values.size(); ++i) {
    const Target to = target(d[i]);
    move(values[i], to.place, d[i].type);
    finish(to);
  }
}

void Decoder::cvta() {
  const Place from = source(operand("a"));
  const Target to = target(operand("d"));
  const bool wide = to.bytes == 8;
  if (space() == ir::Space::global || space() == ir::Space::constant) {  // the same number
    move(from, to.place, wide ? Type::b64 : Type::b32);
    finish(to);
    return;
  }
  Op& op = emit_guarded(slot("to") ? level_.from_generic[wide] : level_.to_generic[wide]);
  op.src[0] = from;
  op.dst[0] = to.place;
  switch (space()) {
    case ir::Space::shared:
      op.window = Window::shared;
      break;
    case ir::Space::local:
      op.window = Window::local;
      break;
    case ir::Space::param:
      op.window = Window::param;
      break;
    default:
      op.window = Window::generic;
  }
  finish(to);
}

void Decoder::isspacep() {
  const Operand& a = operand("a");
  const Place from = source(a);
  const Target to = target(operand("p"));
  Op& op = emit_guarded(level_.is_space[bytes_of(a.type) == 8]);
  op.src[0] = from;
  op.dst[0] = to.place;
  SpaceTest test = SpaceTest::global;
  switch (space()) {
    case ir::Space::shared:
      test = SpaceTest::shared;
      break;
    case ir::Space::local:
      test = SpaceTest::local;
      break;
    case ir::Space::constant:
      test = SpaceTest::constant;
      break;
    case ir::Space::param:
      test = SpaceTest::param;
      break;
    default:
      break;
  }
  op.flags = static_cast<u8>(test);
}

std::string Decoder::call() {
  const isa::Form& form = inst_->get_form();
  CallSite site;
  const Operand* callee = nullptr;
  for (u32 i = 0; i < inst_->operands.count && i < form.operands.size(); ++i) {
    const Operand& one = operand(i);
    const isa::OperandSpec& spec = form.operands[i];
    if (spec.name == "f") callee = &one;
    if ((spec.name != "d" && spec.name != "a") || one.kind == OperandKind::none) continue;
    std::vector<Slot>& slots = spec.name == "d" ? site.returns : site.arguments;
    for (const Operand& element : elements(one)) {
      Slot slot;
      if (element.kind == OperandKind::local && promoted_[element.id] == kNotPromoted) {
        slot.in_register = false;
        slot.offset = local_offsets_[element.id];
        slot.bytes = static_cast<u32>(f_.locals[element.id].size);
      } else if (element.kind == OperandKind::local) {
        slot.place = promoted_[element.id];
        slot.bytes = static_cast<u32>(f_.locals[element.id].size);
      } else if (element.kind == OperandKind::reg) {
        const Type type = f_.registers[element.id].type;
        slot.place = registers_[element.id];
        slot.bytes = is_predicate(type) ? 0 : bytes_of(type);
      } else if (element.kind == OperandKind::none) {
        slot.bytes = is_predicate(element.type) ? 0 : bytes_of(element.type);
        slot.place = scratch(slot.bytes);
      } else {
        slot.place = source(element);
        slot.bytes = is_predicate(element.type) ? 0 : bytes_of(element.type);
      }
      slots.push_back(slot);
    }
  }
  HEDDLE_CHECK(callee);
  if (callee->kind == OperandKind::function) {
    site.direct = builder_.program.code_of(ir::FunctionId(callee->id));
    HEDDLE_CHECK(site.direct);
    if (!site.direct->function->has_body) {
      return fmt::format("function '{}' is declared but nothing defines it",
                         site.direct->function->name);
    }
  } else {
    site.wide_pointer = bytes_of(f_.registers[callee->id].type) == 8;
    site.pointer = registers_[callee->id];
  }
  Op& op = emit_control(Control::call);
  op.offset = builder_.program.call_sites.size();
  builder_.program.call_sites.push_back(std::move(site));
  return {};
}

/// src[0] = barrier, src[1] = thread count (flags 1 when given), src[2] = predicate of bar.red;
/// dst[0] = its result.
void Decoder::barrier(Control control) {
  const Operand& b = operand("b");
  const bool reduces = control == Control::bar_red;
  Operand barrier_number = operand("a");
  if (barrier_number.type == Type::none) barrier_number.type = Type::u32;
  const Place number = source(barrier_number);
  const Place count = b.kind == OperandKind::none ? 0 : source(b);
  const Place predicate = reduces ? source(operand("c")) : 0;
  Target to;
  if (reduces) to = target(operand("d").kind == OperandKind::none ? operand("p") : operand("d"));
  Op& op = emit_control(control);
  op.src[0] = number;
  op.src[1] = count;
  op.src[2] = predicate;
  op.dst[0] = to.place;
  op.flags = b.kind == OperandKind::none ? 0 : 1;
  if (reduces) finish(to);
}

void Decoder::warp_instruction(const isa::Form& form) {
  std::vector<Place> sources;
  std::vector<Target> targets;
  Place members = 0;
  bool has_members = false;
  for (u32 i = 0; i < form.operands.size() && i < inst_->operands.count; ++i) {
    const Operand& one = operand(i);
    if (form.operands[i].written) {
      targets.push_back(target(one));
    } else {
      sources.push_back(source(one));
      if (form.operands[i].name == "m") members = sources.back(), has_members = true;
    }
  }
  Op& op = emit_control(Control::warp_op);
  op.run = warp_handler(form, inst_->slots, op.runtime);
  std::copy(sources.begin(), sources.end(), op.src);
  for (std::size_t i = 0; i < targets.size(); ++i) op.dst[i] = targets[i].place;
  op.src[5] = members;
  op.flags = has_members ? 1 : 0;
  for (const Target& target : targets) finish(target);
}

void fence_handler(Warp&, const Op&) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

std::string Decoder::instruction() {
  const isa::Form& form = inst_->get_form();
  switch (form.sem_kind) {
    case SemKind::pending:
      return "no engine runs this instruction yet";
    case SemKind::lane:
      lane_instruction(form);
      return {};
    case SemKind::warp:
      warp_instruction(form);
      return {};
    case SemKind::memory:
    case SemKind::engine:
      break;
  }
  switch (form.sem_id) {
    case SemId::ld:
      load();
      return {};
    case SemId::st:
      store();
      return {};
    case SemId::atom:
      return atomic(true);
    case SemId::red:
      return atomic(false);
    case SemId::cvta:
      cvta();
      return {};
    case SemId::isspacep:
      isspacep();
      return {};
    case SemId::prefetch:
    case SemId::nop:
    case SemId::pmevent:
    case SemId::pmevent_mask:
      return {};
    case SemId::mov_pack:
      pack();
      return {};
    case SemId::mov_unpack:
      unpack();
      return {};
    case SemId::mov_vector:
      move_vector();
      return {};
    case SemId::fence:
      emit_guarded(&fence_handler);
      return {};
    case SemId::bra:
      emit_control(Control::bra).offset = operand("t").id;
      return {};
    case SemId::brx_idx: {
      const Place index = source(operand("i"));
      Op& op = emit_control(Control::brx_idx);
      op.src[0] = index;
      op.offset = builder_.program.branch_tables.size();
      builder_.program.branch_tables.push_back(f_.target_lists[operand("l").id].labels);
      return {};
    }
    case SemId::call:
      return call();
    case SemId::ret:
      emit_control(Control::ret);
      return {};
    case SemId::exit:
      emit_control(Control::exit);
      return {};
    case SemId::bar_sync:
      barrier(Control::bar_sync);
      return {};
    case SemId::bar_arrive:
      barrier(Control::bar_arrive);
      return {};
    case SemId::bar_red:
      barrier(Control::bar_red);
      for (Op& op : code_.ops) {
        if (op.control == Control::bar_red && op.inst == inst_index_)
          op.runtime[0] = slot("boolop");
      }
      return {};
    case SemId::bar_red_popc:
      barrier(Control::bar_red);
      return {};
    case SemId::warp_barrier: {
      const Place members = source(operand("m"));
      Op& op = emit_control(Control::warp_barrier);
      op.src[5] = members;
      op.flags = 1;
      return {};
    }
    case SemId::trap:
      emit_control(Control::trap);
      return {};
    case SemId::brkpt:
      emit_control(Control::brkpt);
      return {};
    case SemId::nanosleep: {
      const Place time = source(operand("t"));
      emit_control(Control::nanosleep).src[0] = time;
      return {};
    }
    default:
      return "no engine runs this instruction yet";
  }
}

std::string Decoder::decode() {
  std::vector<u32> op_of_inst(f_.insts.size() + 1);
  const u32 permanent = code_.register_bytes;
  u32 most = permanent;
  const std::size_t first_table = builder_.program.branch_tables.size();
  for (u32 i = 0; i < f_.insts.size(); ++i) {
    inst_ = &f_.insts[i];
    inst_index_ = i;
    op_of_inst[i] = static_cast<u32>(code_.ops.size());
    code_.register_bytes = permanent;  // scratch places live for one instruction
    if (const std::string why = instruction(); !why.empty()) {
      return fmt::format("{}:{}: '{}' in '{}': {}", builder_.loaded.module().name, inst_->at.line,
                         ir::mnemonic(*inst_), f_.name, why);
    }
    most = std::max(most, code_.register_bytes);
  }
  code_.register_bytes = (most + 63) / 64 * 64;
  op_of_inst[f_.insts.size()] = static_cast<u32>(code_.ops.size());
  inst_index_ = f_.insts.empty() ? 0 : static_cast<u32>(f_.insts.size() - 1);
  emit(nullptr).control = Control::finish;
  for (Op& op : code_.ops) {
    if (op.control == Control::bra) op.offset = op_of_inst[op.offset];
  }
  for (std::size_t i = first_table; i < builder_.program.branch_tables.size(); ++i) {
    for (u32& target : builder_.program.branch_tables[i]) target = op_of_inst[target];
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Interpreted>> decode(std::shared_ptr<const machine::Loaded> loaded,
                                                  ir::FunctionId entry, const Level& level) {
  auto program = std::make_shared<Interpreted>();
  program->loaded = loaded;
  program->entry = entry;
  Builder builder{*program, level, *loaded, loaded->shared_layout(entry), {}, {}};
  std::vector<Decoder> decoders;
  const std::vector<ir::FunctionId> functions = loaded->reachable(entry);
  decoders.reserve(functions.size());
  for (const ir::FunctionId id : functions) {
    auto code = std::make_unique<Code>();
    code->id = id;
    code->index = static_cast<u32>(program->codes.size());
    code->function = &loaded->module().functions[id.value];
    decoders.emplace_back(builder, *code).lay_out();
    program->codes[id.value] = std::move(code);
  }
  for (const auto& [id, code] : program->codes) program->local_bytes += code->local_bytes;
  program->calls = program->codes.size() > 1;
  for (Decoder& decoder : decoders) {
    if (std::string why = decoder.decode(); !why.empty()) return Error{std::move(why)};
  }
  return std::shared_ptr<const Interpreted>(std::move(program));
}

}  // namespace heddle::interp
