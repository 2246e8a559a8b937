// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax tree of one PTX module, flat: statements in program order (blocks are begin/end
// statements), the details of each kind in its own vector, addressed by typed ids. It represents
// the text, not its meaning: names are unresolved, modifiers are text, constant expressions are not
// evaluated. Spans are byte ranges of the source. PTX ISA chapters 4, 5, 6, 11, 12.
#pragma once

#include <string_view>
#include <vector>

#include "base/huge_pages.h"
#include "base/names.h"
#include "base/types.h"

namespace heddle::syntax {

// --- expressions and operands ---

using ExprId = Id<struct ExprTag>;

enum class ExprKind : u8 {
  error,       ///< did not parse; already reported
  integer,     ///< value = magnitude; op = 1 when unsigned (suffix U or too large for .s64)
  real,        ///< value = bits of the f64
  real32,      ///< value = bits of the f32 (0f notation)
  string,      ///< name_id: the raw text between the quotes
  name,        ///< name_id: register, variable, label, function, special register, WARP_SZ, ...
  component,   ///< a . field: v.x, %tid.y, r.b0, r.h1
  sink,        ///< _
  unary,       ///< op a   (also the `!p` of an operand)
  binary,      ///< a op b (also register + offset inside an address)
  ternary,     ///< list of three
  cast,        ///< (.s64) a: op = Op::to_s64 / to_u64
  vector,      ///< { list }   (initialiser lists too)
  list,        ///< ( list ), only as operand of call: elsewhere ( ) is grouping and leaves no trace
  address,     ///< [ list ]: address expression, or texture, sampler and coordinates
  pair,        ///< a | b as two destinations (d|p)
  index,       ///< a [ b ]
  generic,     ///< generic(a) in an initialiser
  mask,        ///< b is the mask constant, a the masked expression: 0xff00(name)
  designated,  ///< field = a: a member of an opaque initialiser, { filter_mode = nearest }
};

// clang-format off
enum class Op : u8 {
  none, plus, minus, logical_not, complement, to_s64, to_u64,
  mul, div, rem, add, sub, shl, shr, lt, gt, le, ge, eq, ne,
  bit_and, bit_xor, bit_or, logical_and, logical_or,
};
// clang-format on

constexpr unsigned kMaxDepth = 200;

/// 24 bytes: expressions are most of a tree.
struct Expr {
  Span span;
  union {
    u64 value = 0;  // integer, real, real32
    struct {
      ExprId a, b;
    } child;             // unary, cast, binary, component, pair, index, generic, mask, designated
    Range<ExprId> list;  // vector, list, address, ternary: range of Tree::expr_lists
    NameId name_id;      // name, string
  };
  /// component: the name after the dot, without it; designated: the member;
  /// address: the suffix "unified", if written.
  NameId field = {};
  ExprKind kind = ExprKind::error;
  u8 op = 0;  ///< Op, or for integer: 1 = unsigned
  /// The notation of a number: 2, 8, 10 or 16; for real, 16 is 0d notation. For the printer only.
  u8 radix = 10;
  u8 height = 0;  ///< levels below it, at most kMaxDepth: recursion over an expression is bounded

  Expr() {}
};
static_assert(sizeof(Expr) == 24);

// --- statements ---

enum class StmtKind : u8 {
  version,        ///< data = versions
  target,         ///< data = targets
  address_size,   ///< data = the size itself, 32 or 64 (or whatever was written)
  variable,       ///< .reg .sreg .const .global .local .param .shared .tex; data = variables
  function,       ///< .entry / .func with its header; data = functions; a body follows as block
  block_begin,    ///< {
  block_end,      ///< }
  label,          ///< data = NameId; the span is the name, without the colon
  instruction,    ///< data = instructions
  branchtargets,  ///< data = targets; its label is the statement before
  calltargets,    ///< data = targets; likewise
  callprototype,  ///< data = functions (FunctionKind::prototype); likewise
  pragma,         ///< data = directives; args are strings
  loc,            ///< data = locs
  file,           ///< data = files
  section,        ///< data = sections
  dwarf,          ///< @@dwarf line; data = sections, without a name
  alias,          ///< data = aliases
  error,          ///< did not parse; already reported. The names that it declares are unknown
};

struct Stmt {
  StmtKind kind = StmtKind::error;
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
  /// Opcode and modifiers as written, blanks removed: "ld.global.u32", "ld.const[2].u32".
  NameId mnemonic;
  Span mnemonic_span;
  Range<ExprId> operands;  ///< of Tree::expr_lists
};

/// A word with values that belongs to a declaration: `.maxntid 32, 1`, `.noreturn`.
struct Directive {
  NameId name;  ///< without the dot: "maxntid"
  Span span;
  Range<ExprId> args;  ///< of Tree::expr_lists
};

/// One declared name. `.reg .u32 a, b<4>;` makes two Variables that share their type words.
struct Variable {
  NameId space;    ///< "reg", "global", "const", "shared", "local", "param", "sreg", "tex"
  NameId type;     ///< "u32", "f16x2", "pred", "texref"...; none when missing (already reported)
  NameId vector;   ///< "v2", "v4" or none
  NameId linkage;  ///< "extern", "visible", "weak", "common" or none
  NameId name;     ///< "_" allowed for parameters
  Span name_span;
  Span type_span;
  Span span;
  ExprId align;   ///< .align N
  ExprId count;   ///< `name<count>` (parameterised registers)
  s32 bank = -1;  ///< .const[bank]
  bool is_array = false;
  Range<ExprId> dims;  ///< array dimensions; a none id for `[]`
  ExprId initializer;  ///< none, an expression, or a vector (list)
  /// Range of Tree::directives, in this order: the contents of .attribute( ), "managed" or
  /// "unified" with two args; then, for a pointer parameter, "ptr", the space that it points to,
  /// and the pointee's "align" with one arg.
  Range<u32> attributes;
};

enum class FunctionKind : u8 { entry, func, prototype };

struct Function {
  FunctionKind kind;
  NameId linkage;
  NameId name;
  Span name_span;
  Span span;                ///< the header
  bool has_params = false;  ///< `( )` was written
  bool has_return = false;
  bool has_body = false;
  bool is_whole = true;  ///< the header did parse: parameters and directives are known
  Range<u32> returns;    ///< of Tree::variables (separate from the module's statements)
  Range<u32> params;     ///< of Tree::variables
  Range<u32>
      directives;   ///< of Tree::directives: maxntid, noreturn, pragma, unified (attribute)...
  Range<u32> body;  ///< of Tree::stmts: after block_begin up to (excluding) block_end
};

struct Version {
  u32 major = 0, minor = 0;
};

/// A name in a list, with its place; `N<5>` in .branchtargets stands for N0 to N4.
struct NameUse {
  NameId name;
  Span span;
  ExprId count;  ///< none for a plain name
};

struct TargetList {
  Range<u32> names;  ///< of Tree::name_lists
};

struct Alias {
  NameUse alias, aliasee;
};

struct File {
  u32 index = 0;
  NameId path;  ///< raw text between the quotes
  bool has_times = false;
  u64 timestamp = 0, size = 0;
};

struct Loc {
  u32 file = 0, line = 0, column = 0;
  bool inlined = false;
  NameId function;  ///< function_name label ("info_string0", ".debug_str"), or none
  u64 function_offset = 0;
  u32 at_file = 0, at_line = 0, at_column = 0;
};

/// A `.section` with its content, or an `@@dwarf` line. The content is kept as canonical text (its
/// grammar was checked): one entry per line, "label:" or ".b8 1, 2, 0x3" or ".b64 .debug_str+4".
struct Section {
  NameId name;  ///< ".debug_info" with its dot; none for @@dwarf
  NameId body;
};

// --- the module ---

struct Tree {
  Names names;
  BigVector<Stmt> stmts;
  BigVector<Expr> exprs;
  BigVector<ExprId> expr_lists;
  BigVector<Instruction> instructions;
  BigVector<Variable> variables;
  std::vector<Function> functions;  ///< entries, funcs and .callprototypes
  std::vector<Directive> directives;
  std::vector<Version> versions;
  std::vector<TargetList> targets;  ///< .target, .branchtargets, .calltargets
  std::vector<NameUse> name_lists;
  std::vector<Alias> aliases;
  std::vector<File> files;
  std::vector<Loc> locs;
  std::vector<Section> sections;

  const Expr& operator[](ExprId id) const { return exprs[id.value]; }
};

}  // namespace heddle::syntax
