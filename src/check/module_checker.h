// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that all parts of the checker share while one module is checked: the tree, the report,
// the module under construction, the scopes. declarations.cpp and functions.cpp handle statements
// at module scope, body.cpp handles instructions.
#pragma once

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/constants.h"
#include "check/pairs.h"
#include "check/scope.h"
#include "diag/report.h"
#include "ir/module.h"
#include "isa/entry.h"
#include "isa/match.h"
#include "syntax/tree.h"

namespace heddle::check {

/// The properties that a candidate requires of one operand.
struct Expected {
  const isa::OperandSpec* spec;
  isa::Type type;     ///< by the form
  u8 length;          ///< of a vector operand
  bool is_vector;     ///< written in braces
  bool is_present;    ///< with these modifiers
  bool is_decorated;  ///< with a `-` before it or a `.b0` after it
  ir::Space space;    ///< of an address
};

/// Properties of a candidate that are the same for each instruction with the mnemonic.
struct Plan {
  std::vector<Expected> operands;        ///< those of the form
  std::optional<std::string> refused;    ///< the `.version`/`.target` that is needed
  ir::Space space = ir::Space::generic;  ///< of the (first) address
  bool has_operand_gates = false;
  std::vector<const isa::OperandSpec*> needed;  ///< operands that each instruction must have
};

/// A mnemonic resolved once per module: `ld.global.u32` -> forms, slots, and the result of its
/// gates for this module.
struct Mnemonic {
  std::string opcode;
  isa::Match match;
  std::vector<u16> words;
  std::vector<std::pair<u32, u32>> word_at;  ///< of each word: offset and length in the mnemonic
  std::vector<Plan> plans;                   ///< by candidate
  s32 bank = -1;                             ///< of `const[2]`
  Paired paired = kUnpaired;
};

class ModuleChecker {
 public:
  ModuleChecker(const syntax::Tree& tree, const diag::Source& source, diag::Report& report,
                Want want, Versions versions);
  std::shared_ptr<ir::Module> run();

 private:
  friend class BodyChecker;

  // header (11.1)
  void header();
  void version(const syntax::Stmt& stmt);
  void target(const syntax::Stmt& stmt);
  void address_size(const syntax::Stmt& stmt);

  // declarations
  void statement(std::size_t& index);
  void module_variable(const syntax::Variable& declared);
  /// Fills a variable in an addressable space; returns false when its declaration is too wrong to
  /// use it.
  bool fill_variable(const syntax::Variable& declared, ir::Variable& variable);
  void initialize(const syntax::Variable& declared, ir::Variable& variable);
  // opaque_initializer.cpp
  void initialize_opaque(const syntax::Variable& declared, ir::Variable& variable);
  void initialize_sampler(isa::Type type, syntax::ExprId list, isa::Sampler& sampler);
  std::optional<u64> value_of_member(syntax::ExprId id, std::string_view member,
                                     std::span<const std::string_view> names);
  void initialize_level(const syntax::Variable& declared, ir::Variable& variable,
                        const std::vector<u64>& dims, std::size_t level, syntax::ExprId id,
                        u64& element, u64 limit);
  void initialize_element(ir::Variable& variable, syntax::ExprId id, u64 element);
  bool symbol_initializer(ir::Variable& variable, syntax::ExprId id, u64 offset, u32 bytes);
  u64 number_of_names(const syntax::Variable& declared);
  std::vector<NameId> names_of(const syntax::Variable& declared);
  void add_variable(const syntax::Variable& declared, ir::Variable variable);
  void function(const syntax::Function& declared);
  ir::Signature signature(const syntax::Function& declared);
  bool same_signature(const ir::Signature& a, const ir::Signature& b) const;
  bool has_directive(const syntax::Function& declared, std::string_view name) const;
  /// The numbers of a directive of a function, kernel or prototype, the `index`th; none after a
  /// report that it breaks a rule.
  std::optional<std::array<u64, 3>> function_directive(const syntax::Function& declared, u32 index);
  void function_directives(const syntax::Function& declared, ir::Function& function);
  void prototype_directives(const syntax::Function& declared);
  /// Whether earlier declarations of the function have the same .abi_preserve and
  /// .abi_preserve_control.
  bool same_abi_preserve(const syntax::Function& declared);
  void alias(const syntax::Stmt& stmt);
  void functions_without_body();

  // helpers
  std::string_view text(NameId name) const { return name ? tree_.names[name] : std::string_view(); }
  isa::Type type_of(const syntax::Variable& declared);
  void check_param_type(const syntax::Variable& declared, isa::Type type);
  /// The number of elements of a variable, register or parameter of `type` (5.4.2); 1 when it is
  /// not a vector, or after a report that it cannot be one.
  u8 vector_of(const syntax::Variable& declared, isa::Type type);
  bool is_zero(syntax::ExprId id) const;
  std::optional<u64> positive(syntax::ExprId id, std::string_view what);
  ir::SourcePoint point(Span span) const;
  ir::Linkage linkage_of(NameId name) const;
  /// Reports a directive that the module's version or target does not have yet.
  void gate_directive(std::string_view name, Span span);
  void gate(std::span<const isa::Gate> gates, std::string_view what, Span span);
  /// As gate_directive(), for the .weak or .common at the beginning of a declaration.
  void gate_linkage(NameId linkage, Span declaration);
  void find_files();
  void file(const syntax::Stmt& stmt);
  void gate_debugging(const syntax::Stmt& stmt);
  void pragma(const syntax::Directive& directive);
  const Mnemonic& mnemonic(NameId name);
  /// The `.version` and `.target` that the candidate needs; none when the module has them.
  std::optional<std::string> refused(const isa::Candidate& candidate) const;
  /// Whether a special register has the name.
  bool is_special(NameId name);
  Plan plan(const isa::Candidate& candidate) const;
  /// Creates `vector` consecutive registers and returns the first.
  ir::RegId make_registers(ir::Function& function, isa::Type type, u8 vector,
                           std::string_view name) const;
  /// The architecture whose features the current text may use.
  isa::Target first_target() const {
    return module_->targets.empty() ? isa::Target{} : module_->targets.front();
  }

  /// Whether the limit of errors is reached; reports that once, at `next`.
  bool gives_up(Span next) {
    return report_.error_count() >= errors_at_start_ + kMostErrors && give_up(next);
  }
  bool give_up(Span next);

  const syntax::Tree& tree_;
  const diag::Source& source_;
  diag::Report& report_;
  const Want want_;
  const Versions versions_;
  std::shared_ptr<ir::Module> module_;
  Scopes scopes_;
  std::size_t header_end_ = 0;                        // statement
  std::vector<std::unique_ptr<Mnemonic>> mnemonics_;  // by NameId
  enum class Special : u8 { unknown, no, yes };
  std::vector<Special> special_;         // by NameId
  std::vector<PairedUses> paired_uses_;  // by function
  ir::Function dropped_;                 // the last dropped body, whose memory the next one reuses
  struct File {
    u32 id = 0;    ///< index into Module::files
    u32 data = 0;  ///< Stmt::data of the statement
    Span span;
  };
  std::unordered_map<u32, File> files_;  // by .file number
  std::unordered_map<u32, std::vector<std::pair<std::string_view, u64>>>
      abi_preserve_;  // of functions, by NameId
  std::vector<const syntax::Variable*> module_registers_;
  std::unordered_map<u32, std::vector<u32>> module_register_of_;  // by NameId
  u32 next_expression_ = 0;   // the first expression that module_registers() has not visited
  bool in_function_ = false;  // variables are those of a body
  std::vector<Span> broken_;  // declarations that do not parse
  static constexpr std::size_t kMostErrors = 100;
  const std::size_t errors_at_start_;
  bool gave_up_ = false;
};

inline u32 bytes_of(isa::Type type) {
  return type == isa::Type::pred ? 1 : isa::type_info(type).bits / 8;
}
/// Turns instructions of f64 into instructions of f32 (legacy.cpp).
void map_f64_to_f32(ir::Module& module);
/// Makes instructions of f32 flush subnormals as for a target before sm_20 (legacy.cpp).
void imply_flushing(ir::Module& module);
/// Turns mad.f32 of a target before sm_20 into fma.rn.ftz.f32, as later devices do (legacy.cpp).
void fuse_mad(ir::Module& module);
/// Reports kernels whose .shared variables, and modules whose .const variables, exceed the limits
/// (limits.cpp).
void check_memory(const ir::Module& module, diag::Report& report);
std::optional<ir::Space> space_of(std::string_view name);
/// The state space that the form's modifiers, or the operand's description, name; generic when
/// neither does.
ir::Space space_of_form(const isa::Candidate& candidate, const isa::OperandSpec* spec);
std::string_view name_of(ir::Space space);
std::string_view name_of(ir::Linkage linkage);

}  // namespace heddle::check
