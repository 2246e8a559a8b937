// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoder of one function; decode.cpp has the steps, decode_operands.cpp the operands,
// decode_memory.cpp and decode_flow.cpp the instructions of those kinds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "interp/program.h"
#include "isa/form.h"

namespace heddle::interp {

using ir::Operand;
using ir::OperandKind;
using isa::SemId;
using isa::SemKind;
using isa::Type;

inline u32 bytes_of(Type type) { return std::max(1, isa::type_info(type).bits / 8); }
inline bool is_predicate(Type type) { return type == Type::pred; }
inline bool is_signed(Type type) { return isa::type_info(type).cls == isa::TypeClass::signed_; }
inline u32 width_index(u32 bytes) { return static_cast<u32>(std::countr_zero(bytes)); }

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
    static const Operand none;
    return none;
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

}  // namespace heddle::interp
