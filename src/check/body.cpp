// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "check/body_checker.h"

namespace heddle::check {

using diag::Kind;
using syntax::Stmt;
using syntax::StmtKind;

BodyChecker::BodyChecker(ModuleChecker& module, const syntax::Function& declared, ir::FunctionId id)
    : module_(module), tree_(module.tree_), declared_(declared), id_(id) {}

void BodyChecker::run() {
  f_ = function();
  reuse(module_.dropped_);
  module_.in_function_ = true;
  const u32 outside = module_.scopes_.depth();
  module_.scopes_.enter();
  module_registers();
  parameters();
  const std::size_t first = declared_.body.first;
  const std::size_t last = first + declared_.body.count;
  collect_labels(first, last);
  declare_labels();
  f_.insts.reserve(last - first);
  f_.operands.reserve(3 * (last - first));
  for (std::size_t i = first; i < last && !module_.gives_up(tree_.stmts[i].span); ++i) statement(i);
  resolve_labels();
  while (module_.scopes_.depth() > outside) module_.scopes_.leave();
  module_.in_function_ = false;
  if (module_.want_ == Want::module) {
    function() = std::move(f_);
  } else {
    keep_uses();
    module_.dropped_ = std::move(f_);
  }
}

/// Keeps the names that the function uses when its body is dropped (Want::report), because the
/// limits of memory apply to all variables that a kernel can reach.
void BodyChecker::keep_uses() {
  ir::Function& kept = function();
  kept.shared_used = std::move(f_.shared_used);
  kept.target_lists = std::move(f_.target_lists);
  for (const ir::Operand& operand : f_.operands) {
    if (operand.kind == ir::OperandKind::function || operand.kind == ir::OperandKind::prototype ||
        operand.kind == ir::OperandKind::variable)
      kept.operands.push_back(operand);
  }
}

void BodyChecker::reuse(ir::Function& dropped) {
  const auto take = [](auto& to, auto& from) {
    from.clear();
    to.swap(from);
  };
  take(f_.registers, dropped.registers);
  take(f_.insts, dropped.insts);
  take(f_.operands, dropped.operands);
  take(f_.labels, dropped.labels);
}

/// Declares the formal parameters: parameters of kernels are offsets in the parameter block,
/// parameters of functions are registers or frame variables.
void BodyChecker::parameters() {
  const auto add = [&](Range<u32> from, std::vector<ir::Parameter>& formals) {
    std::size_t next = 0;  // next formal parameter; a vector register is several
    for (u32 i = 0; i < from.count && !module_.gives_up(declared_.name_span); ++i) {
      const syntax::Variable& one = tree_.variables[from.first + i];
      ir::Parameter& formal = formals[next++];
      if (f_.is_entry) {
        declare(one.name, {SymbolKind::parameter, 1, i, one.name_span});
      } else if (formal.in_register) {
        const u8 vector = formal.vector;
        const auto made = module_.make_registers(f_, formal.type, vector, text(one.name));
        formal.reg = made;
        for (u8 k = 1; k < vector; ++k) formals[next++].reg = ir::RegId(made.value + k);
        declare(one.name, {SymbolKind::reg, vector, made.value, one.name_span});
      } else {
        ir::Variable local;
        local.name = formal.name;
        local.span = one.name_span;
        local.space = ir::Space::param;
        local.type = formal.type;
        local.vector = formal.vector;
        local.align = formal.align;
        local.size = formal.size;
        local.is_array = formal.is_array;
        local.unsized = formal.unsized;
        formal.local = ir::LocalId(f_.locals.size());
        declare(one.name,
                {SymbolKind::local, 1, static_cast<u32>(f_.locals.size()), one.name_span});
        f_.locals.push_back(std::move(local));
      }
    }
  };
  add(declared_.returns, f_.signature.returns);
  add(declared_.params, f_.signature.params);
}

void BodyChecker::declare(NameId name, Symbol symbol) {
  if (text(name) == "_") return;
  if (const auto before = module_.scopes_.declare(name, symbol)) {
    if (before->kind == SymbolKind::error) return;
    module_.report_.add(Kind::redeclared, symbol.declared, text(name))
        .label(before->declared, "first declared here");
    return;
  }
  const char last = text(name).back();
  if (last < '0' || last > '9') return;
  module_.scopes_.note_numbered(name);
  const auto member = module_.scopes_.member(name);
  if (member && module_.scopes_.families[member->family].depth == module_.scopes_.depth()) {
    module_.report_.add(Kind::redeclared, symbol.declared, text(name))
        .label(module_.scopes_.families[member->family].declared, "these registers have the name");
  }
}

void BodyChecker::family(NameId base, const RegisterFamily& family) {
  Scopes& scopes = module_.scopes_;
  if (const RegisterFamily* before = scopes.declare_family(base, family)) {
    module_.report_.add(Kind::redeclared, family.declared, text(base))
        .label(before->declared, "first declared here");
    return;
  }
  for (const NameId name : scopes.numbered(base)) {
    if (scopes[name].kind == SymbolKind::none || scopes.depth(name) != scopes.depth()) continue;
    const auto member = scopes.member(name);
    if (!member || &scopes.families[member->family] != scopes.family(base)) continue;
    module_.report_.add(Kind::redeclared, family.declared, text(name))
        .label(scopes[name].declared, "first declared here");
  }
}

/// Labels, target lists and prototypes may be used before their declaration; their scope is the
/// block with the declaration. Fills block_labels_, in the order in which the blocks begin.
void BodyChecker::collect_labels(std::size_t first, std::size_t last) {
  std::vector<u32> open{0};  // the blocks around a statement, by number
  u32 blocks = 1;
  for (std::size_t i = first; i < last; ++i) {
    const Stmt& stmt = tree_.stmts[i];
    if (stmt.kind == StmtKind::block_begin) open.push_back(blocks++);
    if (stmt.kind == StmtKind::block_end && open.size() > 1) open.pop_back();
    if (stmt.kind == StmtKind::label) block_labels_.push_back({open.back(), static_cast<u32>(i)});
  }
  std::ranges::sort(block_labels_, {},
                    [](const BlockLabel& one) { return std::pair(one.block, one.stmt); });
}

/// Declares the labels of the block that begins.
void BodyChecker::declare_labels() {
  const u32 block = block_++;
  const std::size_t last = declared_.body.first + declared_.body.count;
  for (; next_label_ < block_labels_.size() && block_labels_[next_label_].block == block;
       ++next_label_) {
    const std::size_t i = block_labels_[next_label_].stmt;
    const Stmt& stmt = tree_.stmts[i];
    const NameId name(stmt.data);
    const StmtKind next = i + 1 < last ? tree_.stmts[i + 1].kind : StmtKind::error;
    if (next == StmtKind::branchtargets || next == StmtKind::calltargets) {
      declare(name, {SymbolKind::targets, 1, static_cast<u32>(f_.target_lists.size()), stmt.span});
      f_.target_lists.emplace_back();
    } else if (next == StmtKind::callprototype) {
      declare(name, {SymbolKind::prototype, 1, static_cast<u32>(f_.prototypes.size()), stmt.span});
      f_.prototypes.push_back(module_.signature(tree_.functions[tree_.stmts[i + 1].data]));
    } else {
      declare(name, {SymbolKind::label, 1, static_cast<u32>(labels_.size()), stmt.span});
      labels_.push_back({name, stmt.span});
    }
  }
}

void BodyChecker::statement(std::size_t index) {
  const Stmt& stmt = tree_.stmts[index];
  switch (stmt.kind) {
    case StmtKind::variable:
      variable(tree_.variables[stmt.data]);
      return;
    case StmtKind::block_begin:
      module_.scopes_.enter();
      declare_labels();
      return;
    case StmtKind::block_end:
      module_.scopes_.leave();
      return;
    case StmtKind::label: {
      const Symbol& symbol = module_.scopes_[NameId(stmt.data)];
      if (symbol.kind == SymbolKind::label && symbol.declared == stmt.span) {
        labels_[symbol.id].inst = static_cast<u32>(f_.insts.size());
        f_.labels.emplace_back(text(NameId(stmt.data)), static_cast<u32>(f_.insts.size()));
      }
      return;
    }
    case StmtKind::instruction:
      instruction(tree_.instructions[stmt.data], stmt.span);
      return;
    case StmtKind::branchtargets:
    case StmtKind::calltargets:
      target_list(stmt, NameId(tree_.stmts[index - 1].data));
      return;
    case StmtKind::callprototype:
      module_.gate_directive(".callprototype", stmt.span);
      module_.prototype_directives(tree_.functions[stmt.data]);
      return;
    case StmtKind::loc: {
      const syntax::Loc& loc = tree_.locs[stmt.data];
      const auto file = module_.files_.find(loc.file);
      if (file != module_.files_.end()) loc_.loc_file = ir::FileId(file->second.id);
      loc_.loc_line = loc.line;
      module_.gate_debugging(stmt);
      return;
    }
    case StmtKind::file:
      module_.file(stmt);
      return;
    default:
      module_.gate_debugging(stmt);  // it has no effect on the meaning
      return;
  }
}

void BodyChecker::variable(const syntax::Variable& declared) {
  const std::string_view space = text(declared.space);
  if (space == "reg") {
    registers(declared);
    return;
  }
  ir::Variable variable;
  if (!module_.fill_variable(declared, variable)) {
    declare(declared.name, {SymbolKind::error, 1, 0, declared.name_span});
    return;
  }
  const bool in_frame = variable.space == ir::Space::local || variable.space == ir::Space::param;
  std::vector<ir::Variable>& all = in_frame ? f_.locals : module_.module_->variables;
  for (const NameId name : module_.names_of(declared)) {
    const u32 id = static_cast<u32>(all.size());
    declare(name, {in_frame ? SymbolKind::local : SymbolKind::variable, 1, id, declared.name_span});
    if (variable.space == ir::Space::shared) f_.shared_used.push_back(ir::VarId(id));
    variable.name = text(name);
    all.push_back(variable);
  }
}

void BodyChecker::registers(const syntax::Variable& declared) {
  const isa::Type type = module_.type_of(declared);
  if (type == isa::Type::none) {
    declare(declared.name, {SymbolKind::error, 1, 0, declared.name_span});
    return;
  }
  const u8 vector = module_.vector_of(declared, type);
  for (u32 i = 0; i < declared.attributes.count; ++i) {
    const syntax::Directive& attribute = tree_.directives[declared.attributes.first + i];
    if (text(attribute.name) == "ptr")
      module_.report_.add(Kind::kernel_attribute, attribute.span, ".ptr");
  }
  if (isa::type_info(type).cls == isa::TypeClass::opaque && !declared.vector) {
    module_.report_.add(Kind::opaque_register, declared.type_span, isa::type_info(type).name);
  }
  if (declared.is_array) module_.report_.add(Kind::register_array, declared.name_span);
  if (declared.initializer) {
    module_.report_.add(Kind::initializer_space, tree_[declared.initializer].span, ".reg");
  }
  if (declared.count) {
    const u32 count = static_cast<u32>(module_.number_of_names(declared));
    family(declared.name, {type, vector, count, declared.name_span});
    return;
  }
  const auto made = module_.make_registers(f_, type, vector, text(declared.name));
  declare(declared.name, {SymbolKind::reg, vector, made.value, declared.name_span});
}

ir::RegId ModuleChecker::make_registers(ir::Function& function, isa::Type type, u8 vector,
                                        std::string_view name) const {
  const ir::RegId first(function.registers.size());
  for (u32 i = 0; i < vector; ++i) {
    ir::Register& reg = function.registers.emplace_back();
    reg.type = type;
    if (want_ == Want::report) continue;  // diagnostics do not show registers by number
    reg.name = name;
    if (vector > 1) (reg.name += '.') += "xyzw"[i & 3];
  }
  return first;
}

void BodyChecker::target_list(const Stmt& stmt, NameId label) {
  const bool calls = stmt.kind == StmtKind::calltargets;
  module_.gate_directive(calls ? ".calltargets" : ".branchtargets", stmt.span);
  const Symbol list = module_.scopes_[label];
  if (list.kind != SymbolKind::targets) return;
  const syntax::TargetList& written = tree_.targets[stmt.data];
  const auto add = [&](NameId name, Span span) {
    const Symbol symbol = look_up(name, span, module_.report_);
    if (symbol.kind == SymbolKind::error || symbol.kind == SymbolKind::none) return;
    if (symbol.kind != (calls ? SymbolKind::function : SymbolKind::label)) {
      module_.report_.add(calls ? Kind::not_a_function : Kind::not_a_label, span, text(name))
          .label(symbol.declared, "declared here");
      return;
    }
    if (calls)
      f_.target_lists[list.id].functions.emplace_back(symbol.id);
    else
      f_.target_lists[list.id].labels.push_back(symbol.id);
  };
  for (u32 i = 0; i < written.names.count && !module_.gives_up(stmt.span); ++i) {
    const syntax::NameUse& use = tree_.name_lists[written.names.first + i];
    if (!use.count) {
      add(use.name, use.span);
      continue;
    }
    // `L<4>` stands for L0 to L3 (11.3.1).
    const auto count = module_.positive(use.count, "number of labels");
    for (u64 n = 0; count && n < *count; ++n) {
      const std::string name = fmt::format("{}{}", text(use.name), n);
      const NameId id = tree_.names.find(name);
      if (!id) {  // the following ones are mostly undeclared, too
        module_.report_.add(Kind::undeclared, use.span, name);
        break;
      }
      add(id, use.span);
    }
  }
}

/// Replaces label numbers by instruction numbers.
void BodyChecker::resolve_labels() {
  const u32 end = static_cast<u32>(f_.insts.size());
  const auto inst_of = [&](u32 label) {
    return labels_[label].inst == 0xffffffffu ? end : labels_[label].inst;
  };
  for (ir::Operand& operand : f_.operands) {
    if (operand.kind == ir::OperandKind::label) operand.id = inst_of(operand.id);
  }
  for (ir::TargetList& list : f_.target_lists) {
    for (u32& label : list.labels) label = inst_of(label);
  }
}

}  // namespace heddle::check
