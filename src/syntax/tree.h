// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax tree of one PTX module, flat: statements in program order (blocks are begin/end statements),
// the details of each kind in its own vector, addressed by typed ids. It says what was written, not what it
// means: names are unresolved, modifiers are text, constant expressions are not evaluated. Spans are byte
// ranges of the source. PTX ISA chapters 4, 5, 6, 11, 12.
#pragma once

#include <bit>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/types.h"

namespace heddle::syntax {

using ExprId = Id<struct ExprTag>;

enum class ExprKind : u8 {
  error,      ///< did not parse; already reported
  integer,    ///< value = magnitude; op = 1 when unsigned (suffix U or too large for .s64)
  real,       ///< value = bits of the f64
  real32,     ///< value = bits of the f32 (0f notation)
  string,     ///< name
  name,       ///< name: register, variable, label, function, special register, WARP_SZ, ...
  component,  ///< a . name(field): v.x, %tid.y, r.b0, r.h1
  sink,       ///< _
  unary,      ///< op a   (also the `!p` of an operand)
  binary,     ///< a op b (also register + offset inside an address)
  ternary,    ///< list of three
  cast,       ///< (.s64) a: op = Op::to_s64 / to_u64
  vector,     ///< { list }   (initialiser lists too)
  list,       ///< ( list )
  address,    ///< [ list ]: address expression, or texture, sampler and coordinates
  pair,       ///< a | b as two destinations (d|p)
  index,      ///< a [ b ]
  generic,    ///< generic(a) in an initialiser
  mask,       ///< b is the mask constant, a the name: 0xff00(name)
};

enum class Op : u8 {
  none, plus, minus, logical_not, complement, to_s64, to_u64,
  mul, div, rem, add, sub, shl, shr, lt, gt, le, ge, eq, ne, bit_and, bit_xor, bit_or, logical_and, logical_or,
};

struct Expr {
  ExprKind kind = ExprKind::error;
  u8 op = 0;  ///< Op, or for integer: 1 = unsigned
  Span span;
  union {
    u64 value = 0;
    struct { ExprId a, b; } child;   // unary, cast, binary, component(a), pair, index, generic, mask
    Range<ExprId> list;              // vector, list, address, ternary: range of Tree::expr_lists
    NameId name_id;                  // name, string
  };
  NameId field = {};  ///< component: name after the dot (without it); address: "unified" etc. suffix, if written

  Expr() {}
};

// --- statements ------------------------------------------------------------------------------------------

enum class StmtKind : u8 {
  version, target, address_size,             // module header; data = index into versions / targets / ints
  variable,                                  // .reg .sreg .const .global .local .param .shared .tex; data = variables
  function,                                  // .entry / .func with its header; data = functions; a body follows as block
  block_begin, block_end,                    // { }
  label,                                     // data = NameId
  instruction,                               // data = instructions
  branchtargets, calltargets, callprototype, // data = targets / targets / prototypes (label comes as the statement before)
  pragma,                                    // data = first string: pragmas
  loc, file, section, dwarf,                 // data = locs / files / sections / dwarfs
  alias,                                     // data = aliases
  directive,                                 // other: performance directives inside a body, .noreturn ...; data = directives
};

struct Stmt {
  StmtKind kind;
  Span span;
  u32 data = 0;
};

/// A guard `@p` or `@!p`; none when `predicate` is none.
struct Guard {
  NameId predicate;
  bool negated = false;
  Span span;
};

struct Instruction {
  Guard guard;
  NameId mnemonic;  ///< opcode and modifiers as written, blanks removed: "ld.global.u32"
  Span mnemonic_span;
  Range<ExprId> operands;  ///< of Tree::expr_lists
};

/// One word or value of a declaration that is not an identifier of its own: `.align 8`, `.ptr .global`, `.maxntid 32,1`.
struct Directive {
  NameId name;  ///< without the dot: "maxntid"
  Span span;
  Range<ExprId> args;  ///< of Tree::expr_lists
};

/// One declared name. `.reg .u32 a, b<4>;` makes two Variables that share their type words.
struct Variable {
  NameId space;       ///< "reg", "global", "const", "shared", "local", "param", "sreg", "tex"; "const" may carry `bank`
  NameId type;        ///< "u32", "f16x2", "pred", "texref"...; none when missing (already reported)
  NameId vector;      ///< "v2", "v4" or none
  NameId linkage;     ///< "extern", "visible", "weak", "common" or none
  NameId name;        ///< "_" allowed in prototypes
  Span name_span;
  Span type_span;
  Span span;
  ExprId align;       ///< .align N
  ExprId count;       ///< `name<count>` (parameterised registers)
  s32 bank = -1;      ///< .const[bank]
  bool is_array = false;
  Range<ExprId> dims;        ///< array dimensions; a none id for `[]`
  ExprId initializer;        ///< none, an expression, or a vector (list)
  Range<u32> attributes;     ///< of Tree::directives: .attribute(.managed), .attribute(.unified(a,b)), .ptr, .space, .align of pointee
};

enum class FunctionKind : u8 { entry, func, prototype };

struct Function {
  FunctionKind kind;
  NameId linkage;
  NameId name;
  Span name_span;
  Span span;                   ///< the header
  bool has_params = false;     ///< `( )` was written
  bool has_return = false;
  bool has_body = false;
  Range<u32> returns;          ///< of Tree::variables (kept apart from the module's statements)
  Range<u32> params;           ///< of Tree::variables
  Range<u32> directives;       ///< of Tree::directives: .maxntid .reqntid .minnctapersm .noreturn .pragma .attribute ...
  Range<u32> body;             ///< of Tree::stmts: after block_begin up to (excluding) block_end
};

struct Version { u32 major = 0, minor = 0; };
struct TargetList { Range<u32> names; };  ///< .target, .branchtargets, .calltargets: of Tree::name_lists
struct Alias { NameId alias, aliasee; };
struct File { u32 index = 0; NameId path; bool has_times = false; u64 timestamp = 0, size = 0; };
struct Loc {
  u32 file = 0, line = 0, column = 0;
  bool inlined = false;
  NameId function;      ///< function_name label, or none
  u64 function_offset = 0;
  u32 at_file = 0, at_line = 0, at_column = 0;
};
/// A `.section` with its raw content lines, and an `@@dwarf` line: kept as text, checked for their own grammar.
struct Section { NameId name; Span body; };

/// A name in a list, with its place.
struct NameUse { NameId name; Span span; };

struct Tree {
  Names names;
  std::vector<Stmt> stmts;
  std::vector<Expr> exprs;
  std::vector<ExprId> expr_lists;
  std::vector<Instruction> instructions;
  std::vector<Variable> variables;
  std::vector<Function> functions;   ///< entries, funcs and .callprototypes
  std::vector<Directive> directives;
  std::vector<Version> versions;
  std::vector<TargetList> targets;   ///< .target, .branchtargets, .calltargets
  std::vector<NameUse> name_lists;
  std::vector<Alias> aliases;
  std::vector<File> files;
  std::vector<Loc> locs;
  std::vector<Section> sections;

  const Expr& operator[](ExprId id) const { return exprs[id.value]; }
};

}  // namespace heddle::syntax
