// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function's body: scopes, declarations, labels, instructions. body.cpp has statements,
// instruction.cpp the choice of a form, wrong_instruction.cpp the messages when no form matches,
// operands.cpp, places.cpp and computed.cpp the operands, call.cpp the arguments and results of
// calls.
#pragma once

#include <array>
#include <unordered_map>

#include "check/module_checker.h"

namespace heddle::check {

class BodyChecker {
 public:
  BodyChecker(ModuleChecker& module, const syntax::Function& declared, ir::FunctionId id);
  void run();

 private:
  // module_registers.cpp
  u32 end_of_expressions() const;
  void module_registers();

  // body.cpp
  void parameters();
  /// Reuses the memory of a dropped body.
  void reuse(ir::Function& dropped);
  void statement(std::size_t index);
  void collect_labels(std::size_t first, std::size_t last);
  void declare_labels();
  void variable(const syntax::Variable& declared);
  void registers(const syntax::Variable& declared);
  void target_list(const syntax::Stmt& stmt, NameId label);
  void prototype(const syntax::Stmt& stmt, NameId label);
  void declare(NameId name, Symbol symbol);
  void family(NameId base, const RegisterFamily& family);
  void resolve_labels();
  void keep_uses();

  // instruction.cpp
  void instruction(const syntax::Instruction& written, Span span);
  PairedUses& paired_uses();
  bool bind(const syntax::Instruction& written, const isa::Candidate& candidate, const Plan& plan,
            diag::Report& report);

  // wrong_instruction.cpp
  void report_mismatch(const syntax::Instruction& written, const Mnemonic& mnemonic);
  void help_with_forms(const syntax::Instruction& written, const Mnemonic& mnemonic,
                       diag::Diagnostic& diagnostic);
  bool operands_fit(const syntax::Instruction& written, const isa::Candidate& candidate);
  std::vector<u16> fitting(const syntax::Instruction& written, const Mnemonic& mnemonic,
                           const std::vector<u16>& wanted);
  int strangeness(const syntax::Instruction& written, std::span<const u16> words) const;
  bool too_few(const syntax::Instruction& written, const isa::Candidate& candidate,
               const Plan& plan, diag::Report& report);

  // call.cpp
  void check_call(const syntax::Instruction& written);
  void pass(const std::vector<ir::Parameter>& formals, u32 actuals, std::string_view what,
            const syntax::Expr* list, Span call, Span callee);
  u32 length_of_actual(const syntax::Expr& actual) const;
  void complete(const std::vector<ir::Parameter>& formals, u32 actuals, const syntax::Expr& list);
  bool same_shape(const std::vector<ir::Parameter>& formals, std::string_view what,
                  const syntax::Expr& list);

  // operands.cpp, places.cpp; false: the operand does not match, `report` has the reason
  struct Context {
    const isa::Candidate& candidate;
    const isa::OperandSpec& spec;
    isa::Type type;   ///< of the operand, by the form
    u8 length;        ///< of a vector operand
    bool is_vector;   ///< written in braces
    ir::Space space;  ///< of an address
    diag::Report& report;
    bool is_element = false;  ///< of a vector
  };
  bool operand(const Context& context, syntax::ExprId id, ir::Operand& out);
  bool is_element_of_register(syntax::ExprId id) const;
  bool decoration(const Context& context, const isa::OperandSpec* next, syntax::ExprId& id);
  bool value(const Context& context, syntax::ExprId id, ir::Operand& out);
  bool vector(const Context& context, syntax::ExprId id, ir::Operand& out);
  bool register_operand(const Context& context, Span span, NameId name, ir::RegId reg,
                        ir::Operand& out);
  bool special(const Context& context, Span span, std::string_view name, ir::Operand& out);
  bool immediate(const Context& context, syntax::ExprId id, ir::Operand& out);
  bool in_range(const Context& context, Span span, const Constant& constant);
  bool object(const Context& context, syntax::ExprId id, ir::Operand& out);
  bool symbol(const Context& context, syntax::ExprId id, ir::Operand& out);
  bool address(const Context& context, syntax::ExprId id, ir::Operand& out);
  bool named_address(const Context& context, syntax::ExprId id, ir::Operand& out);

  // computed.cpp
  /// An operand that is computed by additional instructions before the written one.
  struct Computed {
    u32 operand = 0;   ///< index into bound_; that operand holds `base` until it is computed
    ir::Operand base;  ///< a register, a variable, a function, or a parameter of opaque type
    ir::RegId index;   ///< index of an element of the array `base`
    u64 offset = 0;    ///< a constant that is added to the register, or to the index
    u64 step = 0;      ///< bytes per index
    isa::Type type{};  ///< of the result
  };
  bool index(const Context& context, syntax::ExprId array, syntax::ExprId index, ir::Operand& out);
  std::optional<u64> array_step(const Context& context, syntax::ExprId id);
  bool register_sum(const Context& context, syntax::ExprId id, syntax::ExprId base,
                    ir::Operand& out);
  bool takes_computed(const Context& context) const;
  void compute_operands(const ir::SourcePoint& at);
  ir::Operand compute(const Computed& what, const ir::SourcePoint& at);
  ir::Operand emit(const ir::SourcePoint& at, std::string_view opcode,
                   std::initializer_list<std::string_view> words, isa::Type type,
                   std::initializer_list<ir::Operand> sources);
  ir::Space space_of_access(const Plan& plan) const;
  syntax::ExprId base_of_sum(syntax::ExprId id) const;
  std::optional<u64> offset_of(syntax::ExprId sum, diag::Report& report) const;
  /// The address of a variable, local or kernel parameter.
  void locate(const Symbol& symbol, ir::Operand& out) const;
  bool is_narrow(isa::Type type) const;
  bool address_base(const Context& context, Span span, NameId name, ir::Operand& out);
  const char* misplaced_offset(const syntax::Expr& expr) const;
  bool call_list(const Context& context, syntax::ExprId id, ir::Operand& out);
  bool name_operand(const Context& context, syntax::ExprId id, SymbolKind wanted, ir::Operand& out);
  bool fits(const Context& context, isa::Type reg) const;
  /// The symbol for a name; creates registers of families on first use. None after a report that
  /// the name is undeclared.
  Symbol look_up(NameId name, Span span, diag::Report& report);
  /// Reports an undeclared name, once for a name and scope; not if its declaration has a mistake.
  void undeclared(NameId name, Span span, diag::Report& report);
  bool broken_declaration(std::string_view base) const;
  isa::Type type_of_symbol(const Symbol& symbol) const;
  std::optional<ir::Space> space_of_symbol(const ir::Operand& operand) const;
  bool is_formal(const std::vector<ir::Parameter>& formals, const ir::Operand& operand) const;
  std::optional<std::string> refused_operand(const isa::Candidate& candidate) const;
  void advise(const syntax::Instruction& written, const isa::Candidate& candidate);
  void advise_of_alignment(const syntax::Instruction& written, const isa::Form& form);
  void advise_of_parameters(const syntax::Instruction& written, const isa::Form& form);
  u32 add_operands(const std::vector<ir::Operand>& operands);

  std::string_view text(NameId name) const { return module_.text(name); }
  ir::Function& function() { return module_.module_->functions[id_.value]; }

  ModuleChecker& module_;
  const syntax::Tree& tree_;
  const syntax::Function& declared_;
  ir::FunctionId id_;
  ir::Function f_;  ///< filled here, moved into the module at the end
  ir::RegId carry_;
  ir::SourcePoint loc_;  ///< the last .loc
  struct Label {
    NameId name;
    Span span;
    u32 inst = 0xffffffffu;
  };
  std::vector<Label> labels_;
  struct BlockLabel {
    u32 block;  ///< number of the block, in the order in which they begin; 0: the body
    u32 stmt;
  };
  std::vector<BlockLabel> block_labels_;
  std::size_t next_label_ = 0;                    ///< of block_labels_
  u32 block_ = 0;                                 ///< number of the next block to begin
  std::vector<ir::Operand> bound_;                ///< operands of the current instruction
  std::vector<Computed> computed_;                ///< its operands that are computed before it
  std::array<u8, isa::kMaxSlots> at_operands_{};  ///< values of its at-operand slots
  ir::Operand lanes_;                             ///< selector after the last operand
  diag::Report trial_ = diag::Report::trial();    ///< errors of candidate forms
  u32 furthest_ = 0;                              ///< operand at which the last bind() failed
  bool is_exact_ = false;  ///< registers must have the size that the form names, not a larger one
  const isa::OperandSpec* left_out_ = nullptr;  ///< bind() treats this operand as optional
};

}  // namespace heddle::check
