// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form table, which scripts/isagen.py generates from the *.isa files as constexpr data.
// Parser-independent and engine-independent; docs/adding-an-instruction.md describes the notation
// of the *.isa files.
#pragma once

#include <span>
#include <string_view>

#include "base/types.h"
#include "isa/gate.h"
#include "isa/sem_ids.h"  // generated: enum class SemId
#include "isa/types.h"    // generated: enum class Type, type_info()

namespace heddle::isa {

/// The kind of a modifier position of a form.
enum class SlotKind : u8 {
  word,     ///< a fixed word that must be written (`.wide`)
  flag,     ///< a fixed word that may be written (`{.sat}`); value 0 or 1
  group,    ///< one word of a group; value = enumerator of the group (0 = absent)
  type,     ///< one type; value = isa::Type
  derived,  ///< not written; `rows` give its value: an isa::Type, or a number when its choices have
            ///< no word
  at_operand,  ///< not in the mnemonic: the `.b0` or `-` at an operand (OperandSpec says which);
               ///< match() leaves it 0, the operand sets it; `required`: it must be written
};

/// No modifier: the word of a numeric choice, and of an unknown word that callers of match() pass.
inline constexpr u16 kNoWord = 0xffff;

/// A word that a slot accepts and the value it stands for.
struct Choice {
  u16 word;  ///< see word_text(); kNoWord for a derived number
  u8 value;
};

struct Slot {
  std::string_view name;  ///< "rnd", "sat", "T"
  SlotKind kind;
  bool required;
  std::span<const Choice> choices;
  bool head = false;  ///< belongs to the opcode: comes before the words of all later slots
};

/// `slot` has (or, when `negated`, has not) one of `values`.
struct Condition {
  u8 slot;
  bool negated;
  std::span<const u8> values;
};

/// When all of `when` hold, all of `then` must.
struct Rule {
  std::span<const Condition> when;
  std::span<const Condition> then;
  std::string_view message;  ///< one lower-case sentence; may be empty
};

/// When all of `when` hold (and the optional `operand` is written), the module's `.version` and
/// `.target` must satisfy `gate`.
struct ConditionalGate {
  std::span<const Condition> when;
  Gate gate;
  s8 operand = -1;  ///< index into Form::operands; -1: for all operands
};

enum class OperandKind : u8 {
  value,     ///< register, immediate, special register
  imm,       ///< integer constant expression
  address,   ///< [ ... ]
  label,     ///< branch target
  function,  ///< function name or register that holds its address
  list,      ///< ( ... ): arguments, return values
  targets,   ///< label of .branchtargets / .calltargets, or name of a jump table
  proto,     ///< label of .callprototype
  sink,      ///< only `_`
  lanes,     ///< the `.b3210` that may follow the operand before it; a u32 of 4-bit digits
};

struct OperandSpec {
  std::string_view name = {};
  OperandKind kind = OperandKind::value;
  bool written = false;      ///< destination
  bool also_read = false;    ///< a destination whose old value is an input
  bool optional = false;     ///< this operand and all after it may be missing
  bool pair_second = false;  ///< `|q` partner of the operand before it
  bool negatable = false;    ///< `!p`
  bool wide = false;         ///< register may be wider than the type (9.4.1)
  bool register_only = false;
  bool sink = false;            ///< `_` allowed
  bool symbol_allowed = false;  ///< `any(T)`: address of a variable, label, function
  bool free = false;            ///< `free(T)`: of a float type: any register of its size; address:
                                ///< in a register of any type
  bool loose = false;           ///< `loose(T)`: the elements of a vector are free
  bool raw = false;             ///< `raw(T)`: 32 bits, no matter which: a predicate, too; constants
                                ///< have that size, or are elements among others
  bool cut = false;             ///< `cut(...)`: the range is that of a constant's lower 32 bits
  bool exact = false;           ///< `exact(T)`: address: the register is of that very type
  bool as_bits = false;         ///< `bits(T)`: a format without registers of its own, as any bits
  bool special_allowed = false;  ///< `sreg(T)`: special register
  bool generic_address = false;  ///< `pointer(T)`: a generic address
  bool indexed = false;          ///< `index(T*N)`: the first element is an integer
  bool spread = false;           ///< `spread(T*N)`: or one value for all elements
  bool whole = false;            ///< `whole(T*N)`: of a packed type, no element is `_`
  bool vector = false;           ///< fixed length, written in braces (`*1` too)
  bool bare = false;             ///< a vector of one element may stand without braces
  bool full_width = false;       ///< address: a generic or global one is as wide as the module's
  Type type = Type::none;        ///< fixed type, or none when `type_slot` says; address: an opaque
                                 ///< object, or the type of a register that is no pointer
  s8 type_slot = -1;             ///< index of the slot that holds the type
  s8 vector_slot = -1;           ///< index of the slot that holds the length (group `vec`)
  u8 vector_length = 1;          ///< fixed length when `vector_slot` < 0
  s8 space_slot = -1;            ///< address: slot of the group `ss`; -1: `space`
  u8 least_bits = 0;             ///< address: of a register, where no state space is written
  s64 imm_last = -1;             ///< a vector's last element has a range of its own, from 0 to this
  std::string_view space = {};   ///< address: "shared", ...; empty = generic
  std::string_view symbol_space = {};    ///< generic, but a variable that is named must be there
  s64 imm_min = 0, imm_max = -1;         ///< range of an immediate when min <= max
  s64 imm_step = 1;                      ///< only every so many of that range
  bool imm_above = false;                ///< without imm_min itself
  std::span<const s64> imm_values = {};  ///< the only ones of that range; empty: all
  bool bracketed = false;        ///< stands inside the [ ] of the address before it: `[a, c]`
  std::string_view suffix = {};  ///< word that may follow: "unified" in `[a].unified`; lanes: the
                                 ///< word when none is written, digits are imm_min to imm_max
  s8 suffix_slot = -1;           ///< slot of the group whose word stands behind: `.b0` in `a.b0`
  s8 minus_slot = -1;            ///< slot of the minus that stands before: `-a`
  std::span<const Condition> present =
      {};  ///< written (or, when optional, perhaps written) only when all hold; empty: always
};

enum class SemKind : u8 { lane, memory, warp, engine };

/// The implicit condition-code operands of the form (9.7.2).
enum class CarryUse : u8 { none, in, out, inout };

/// One legal shape of an instruction.
struct Form {
  u16 id;                   ///< index into forms()
  std::string_view opcode;  ///< "add"
  std::string_view syntax;  ///< "add{.rnd}{.ftz}{.sat}.f32 d, a, b" for people
  std::string_view manual;  ///< "9.7.3.3"
  std::string_view summary;
  std::string_view source;      ///< "int_add.isa:12"
  std::span<const Slot> slots;  ///< in canonical order (derived ones last)
  std::span<const OperandSpec> operands;
  std::span<const u8> row_slots;  ///< the slots that `rows` constrain
  std::span<const u8> rows;       ///< row_slots.size() values a row; kAnyValue matches all
  std::span<const Rule> rules;
  std::span<const ConditionalGate> gates;
  std::span<const Rule> advice;  ///< rules that the vendor's assembler does not enforce
  std::span<const ConditionalGate> advised_gates;  ///< likewise
  CarryUse carry;
  SemKind sem_kind;
  std::string_view sem;  ///< name of the function or handler
  SemId sem_id;          ///< generated enumerator of that name; SemId::none for lane
  u32 dispatch_base;     ///< of lane and warp functions, and of what `applies` names: its first
                         ///< index into the table of that kind
  std::span<const u8>
      dispatch_slots;  ///< slots that choose the entry (compile-time arguments), slowest first
  std::span<const u8> runtime_slots;  ///< slots passed at run time, in order
  s8 members;                         ///< the operand that is a membermask, -1: none
  std::string_view applies;  ///< memory: the function that makes the new value of memory from the
                             ///< old one; empty: none

  const Effects& effects() const { return effects_of(sem_id); }
};

inline constexpr u8 kAnyValue = 0xff;
inline constexpr std::size_t kMaxSlots = 24;

/// All forms; those of one opcode are consecutive.
std::span<const Form> forms();
/// The forms of `opcode`; empty when there is no such instruction.
std::span<const Form> forms_of(std::string_view opcode);
/// All opcodes, sorted.
std::span<const std::string_view> opcodes();
/// The modifier word with that text (no dot), or -1.
int find_word(std::string_view text);
std::string_view word_text(u16 word);

/// The type of an operand for these slot values; none for operands without a type.
Type operand_type(const OperandSpec& operand, std::span<const u8> slot_values);
/// The number of elements of the operand: 1 for a scalar. It is the number in the word of a group
/// (`.v4`, `.x2`), or a derived number.
u8 vector_length(const Form& form, const OperandSpec& operand, std::span<const u8> slot_values);
/// True when the operand is written in braces, `{x}` too; false for a scalar.
bool is_vector(const Form& form, const OperandSpec& operand, std::span<const u8> slot_values);
/// True when the operand is written with these modifiers (OperandSpec::present).
bool is_present(const OperandSpec& operand, std::span<const u8> slot_values);
bool holds(const Condition& condition, std::span<const u8> slot_values);
bool all_hold(std::span<const Condition> conditions, std::span<const u8> slot_values);

/// Index of the dispatch entry for these slot values (lane and warp forms, and memory forms that
/// apply a function; see Form::dispatch_slots). Within one slot, entries follow the order of its
/// choices; an absent optional modifier is entry 0.
u32 dispatch_index(const Form& form, std::span<const u8> slot_values);
inline constexpr u32 kNoDispatch = 0xffffffffu;

}  // namespace heddle::isa
