// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked module: every name resolved, every instruction bound to one form of the table, every
// constant evaluated. Both engines run it, and know nothing else of the text. Plain data in flat
// vectors; a const Module may be shared between threads.
//
// Registers, labels, local variables belong to a Function; variables of the module and functions
// are the Module's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "isa/form.h"
#include "isa/special_registers.h"  // generated
#include "isa/texture.h"

namespace heddle::ir {

using isa::Type;
using RegId = Id<struct RegTag>;
using VarId = Id<struct VarTag>;      ///< index into Module::variables
using LocalId = Id<struct LocalTag>;  ///< index into Function::locals
using FunctionId = Id<struct FunctionTag>;
using FileId = Id<struct FileTag>;

enum class Space : u8 { generic, reg, constant, global, local, param, shared };
enum class Linkage : u8 { internal, external /* .extern */, visible, weak, common };

/// Where an instruction or declaration comes from: for traps and debuggers.
struct SourcePoint {
  u32 line = 0;     ///< line of the PTX text (line markers applied)
  FileId loc_file;  ///< from .loc, when there is one
  u32 loc_line = 0;
};

// --- data ---

/// Bytes [offset, offset + size) of a variable receive the address of a symbol (5.4.4).
struct Relocation {
  u64 offset = 0;
  u8 size = 8;           ///< bytes written
  u8 shift = 0;          ///< mask operator: the address byte(s) `address >> shift` are written
  bool generic = false;  ///< generic(symbol): the generic address
  bool is_function = false;
  u32 symbol = 0;  ///< VarId or FunctionId value
  s64 addend = 0;
};

/// A variable of any addressable space.
struct Variable {
  std::string name;
  Space space = Space::global;
  Linkage linkage = Linkage::internal;
  Type type = Type::b8;  ///< element type
  u8 vector = 1;
  u32 align = 1;
  u64 size = 0;  ///< bytes; 0 for `.extern .shared x[]` (dynamic shared memory) and unsized externs
  bool is_array = false;
  bool unsized = false;  ///< declared with `[]` and no initialiser
  bool managed = false;  ///< .attribute(.managed)
  u8 bank = 0;           ///< .const[bank] of PTX 1.x
  std::vector<u8> init;  ///< empty: zeros; else at most `size` bytes, the rest is zero
  std::vector<Relocation> relocations;
  std::vector<isa::Sampler> samplers;  ///< of an opaque type: as its initialiser says (5.3)
  SourcePoint at;
  Span span;  ///< the name where it is declared
};

/// A formal parameter or return value: a `.param` variable or a register. `.reg .v2 .u32 v` is two
/// parameters, one for each component.
struct Parameter {
  std::string name;
  bool in_register = false;
  RegId reg;      ///< when in_register (defined functions)
  LocalId local;  ///< .param of a `.func` (defined functions): its place in the frame
  Type type = Type::b32;
  u8 vector =
      1;  ///< of the first component of a vector register: how many there are; of the others: 0
  bool is_array = false;
  bool unsized =
      false;  ///< `[]`, the last parameter of a function: calls pass arrays of any size (11.2.2)
  u32 align = 1;
  u64 size = 4;             ///< bytes; unsized: of the largest array that a call passes
  u64 offset = 0;           ///< kernels: offset in the parameter block
  bool is_pointer = false;  ///< .ptr
  Space pointee_space = Space::generic;
  u32 pointee_align = 0;
};

// --- code ---

struct Register {
  Type type = Type::b32;
  u8 vector = 1;  ///< `.reg .v2 .f32 v;` is expanded by the checker into consecutive scalar
                  ///< registers; always 1 here
  std::string name;
};

enum class OperandKind : u8 {
  none,       ///< a missing optional operand, or the sink `_`
  reg,        ///< id = RegId; `negated` for `!p`
  immediate,  ///< value = bits, already converted to the operand's type (zero-extended)
  special,    ///< id = isa::SpecialRegister, component = 0..3
  variable,   ///< address of module variable `id` plus `value`
  local,      ///< address of local / function .param variable `id` plus `value`
  parameter,  ///< kernel parameter block: offset `value` (as memory operand, or as address for
              ///< cvta/mov)
  label,      ///< id = index into Function::insts
  function,   ///< id = FunctionId
  vector,     ///< elements = Function::operands[id .. id + value)
  targets,    ///< id = index into Function::target_lists: .branchtargets, .calltargets, jump table
  prototype,  ///< id = index into Function::prototypes
};

/// One operand. For an address operand ([...]) `is_address` is set and `kind` is the base: reg
/// (address in a register plus `value`), variable, local, parameter, or immediate (absolute address
/// `value`).
struct Operand {
  OperandKind kind = OperandKind::none;
  Type type = Type::none;  ///< type of the instruction at this operand (not of the register)
  bool negated = false;
  bool is_address = false;
  u8 component = 0;
  u32 id = 0;
  u64 value = 0;
};

struct Guard {
  RegId predicate;  ///< none: unguarded
  bool negated = false;
};

struct Inst {
  u16 form = 0;  ///< index into isa::forms()
  Guard guard;
  std::array<u8, isa::kMaxSlots> slots{};  ///< value of each slot of the form
  Range<Operand> operands;  ///< of Function::operands; parallel to Form::operands (missing optional
                            ///< ones: none); with CarryUse, one more: the carry register (pred)
  u8 space = 0;             ///< ir::Space of the address operand, when there is one
  SourcePoint at;
  const isa::Form& get_form() const { return isa::forms()[form]; }
};

/// The signature of a function, or of an indirect call (.callprototype).
struct Signature {
  std::vector<Parameter> returns;
  std::vector<Parameter> params;
  bool noreturn = false;
};

/// .branchtargets: labels (indices of insts); .calltargets or a jump table variable: functions.
struct TargetList {
  std::vector<u32> labels;
  std::vector<FunctionId> functions;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  Linkage linkage = Linkage::internal;
  Signature signature;
  u64 param_bytes = 0;  ///< kernels: size of the parameter block

  std::vector<Register> registers;
  std::vector<Variable>
      locals;  ///< .local variables and .param variables of functions; size and alignment count
  std::vector<Inst> insts;
  std::vector<Operand> operands;
  std::vector<TargetList> target_lists;
  std::vector<Signature> prototypes;
  std::vector<std::pair<std::string, u32>> labels;  ///< name -> index into insts, for dumps

  // Performance and launch directives (11.4); 0 = not given.
  std::array<u32, 3> max_ntid{}, req_ntid{};
  u32 max_nreg = 0, min_nctapersm = 0, max_nctapersm = 0;
  std::array<u32, 3> req_nctapercluster{};
  bool explicit_cluster = false, blocks_are_clusters = false;
  u32 max_clusterrank = 0;
  bool noreturn = false;
  std::vector<std::string> pragmas;
  SourcePoint at;
  Span span;  ///< the name where it is declared

  /// Module variables in .shared that this function (not its callees) declares or names: for static
  /// shared memory sizes.
  std::vector<VarId> shared_used;
};

struct Module {
  std::string name;  ///< path or "<memory>": for messages
  isa::PtxVersion version;
  std::vector<isa::Target> targets;  ///< the architectures that `.target` names, the last one first
  bool texmode_independent = false, debug_target = false, map_f64_to_f32 = false;
  u8 address_size = 32;  ///< bits: 32 or 64

  std::vector<Variable>
      variables;  ///< of the module and those declared in functions (.shared, .global, .const)
  std::vector<Function> functions;
  std::vector<std::pair<FunctionId, FunctionId>> aliases;  ///< alias -> aliasee
  std::vector<std::string> files;                          ///< .file names, by FileId

  const Function* find_function(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
};

/// The function and those that it names, calls or may call through a list, and so on; each once.
std::vector<u32> reachable_functions(const Module& module, FunctionId from);

/// Replaces every use of an `.alias` by a use of its aliasee (11.2.3).
void resolve_aliases(Module& module);

/// Gives each parameter without size the size of the largest array that a call of the module passes
/// (11.2.2).
void size_open_parameters(Module& module);

}  // namespace heddle::ir
