// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements as text. PTX ISA 4.3, chapter 5, chapter 11.
#include "syntax/printer.h"

#include <fmt/format.h>

#include <iterator>

#include "syntax/printer_impl.h"

namespace heddle::syntax {

std::string print(const Tree& tree) { return Printer(tree).module(); }
std::string print(const Tree& tree, ExprId expr) { return Printer(tree).expression(expr); }

std::string Printer::module() {
  for (const Stmt& stmt : tree_.stmts) statements({&stmt, 1});
  return std::move(out_);
}

void Printer::begin(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::label:
      return;  // labels are not indented, so that they stand out
    case StmtKind::function:
      if (!out_.empty() && !source_) out_ += '\n';
      return;
    case StmtKind::block_end:
      if (depth_) --depth_;
      break;
    default:
      break;
  }
  indent();
}

void Printer::statements(std::span<const Stmt> together) {
  begin(together[0]);
  statement(together[0]);
  for (const Stmt& stmt : together.subspan(1)) {
    out_.resize(out_.size() - 2);  // ";\n"
    out_ += ", ";
    declarator(tree_.variables[stmt.data], false);
    out_ += ";\n";
  }
}

void Printer::statement(const Stmt& stmt) {
  const auto into = std::back_inserter(out_);
  switch (stmt.kind) {
    case StmtKind::version: {
      const Version& version = tree_.versions[stmt.data];
      fmt::format_to(into, ".version {}.{}\n", version.major, version.minor);
      break;
    }
    case StmtKind::target:
      targets(".target", tree_.targets[stmt.data]);
      break;
    case StmtKind::address_size:
      fmt::format_to(into, ".address_size {}\n", stmt.data);
      break;
    case StmtKind::variable:
      variable(tree_.variables[stmt.data], false);
      out_ += ";\n";
      break;
    case StmtKind::function:
      function(tree_.functions[stmt.data]);
      out_ += tree_.functions[stmt.data].has_body ? "\n" : ";\n";
      break;
    case StmtKind::block_begin:
      out_ += "{\n";
      ++depth_;
      break;
    case StmtKind::block_end:
      out_ += "}\n";
      break;
    case StmtKind::label:
      out_.append(name(NameId(stmt.data))) += ":\n";
      break;
    case StmtKind::instruction:
      instruction(tree_.instructions[stmt.data]);
      break;
    case StmtKind::branchtargets:
      targets(".branchtargets", tree_.targets[stmt.data]);
      break;
    case StmtKind::calltargets:
      targets(".calltargets", tree_.targets[stmt.data]);
      break;
    case StmtKind::callprototype:
      function(tree_.functions[stmt.data]);
      out_ += ";\n";
      break;
    case StmtKind::pragma:
      directive(tree_.directives[stmt.data]);
      out_ += '\n';
      break;
    case StmtKind::loc:
      loc(tree_.locs[stmt.data]);
      break;
    case StmtKind::file:
      file(tree_.files[stmt.data]);
      break;
    case StmtKind::section:
      section(tree_.sections[stmt.data]);
      break;
    case StmtKind::dwarf:
      fmt::format_to(into, "@@DWARF {}\n", name(tree_.sections[stmt.data].body));
      break;
    case StmtKind::alias: {
      const Alias& alias = tree_.aliases[stmt.data];
      fmt::format_to(into, ".alias {}, {};\n", name(alias.alias.name), name(alias.aliasee.name));
      break;
    }
    case StmtKind::error:
      out_ += "// <error>\n";
      break;
  }
}

void Printer::instruction(const Instruction& instruction) {
  if (instruction.guard.predicate) {
    out_ += instruction.guard.negated ? "@!" : "@";
    out_.append(name(instruction.guard.predicate)) += ' ';
  }
  out_ += name(instruction.mnemonic);
  for (u32 i = 0; i < instruction.operands.count; ++i) {
    out_ += i ? ", " : " ";
    operand(tree_.expr_lists[instruction.operands.first + i]);
  }
  out_ += ";\n";
}

// --- declarations ---

void Printer::linkage(NameId id) {
  if (id) fmt::format_to(std::back_inserter(out_), ".{} ", name(id));
}

void Printer::attribute(const Directive& directive) {
  out_.append(".attribute(.").append(name(directive.name));
  if (directive.args.count) list(directive.args, '(', ')', false);
  out_ += ") ";
}

void Printer::variable(const Variable& variable, bool parameter) {
  const auto into = std::back_inserter(out_);
  linkage(variable.linkage);
  fmt::format_to(into, ".{}", name(variable.space));
  if (variable.bank >= 0) fmt::format_to(into, "[{}]", variable.bank);
  out_ += ' ';
  const Directive* directive = tree_.directives.data() + variable.attributes.first;
  const Directive* end = directive + variable.attributes.count;
  for (; directive != end && name(directive->name) != "ptr"; ++directive) attribute(*directive);
  if (variable.align) {
    out_ += ".align ";
    expr(variable.align, 0);
    out_ += ' ';
  }
  if (variable.vector) fmt::format_to(into, ".{} ", name(variable.vector));
  if (variable.type) fmt::format_to(into, ".{} ", name(variable.type));
  for (; directive != end; ++directive) {
    this->directive(*directive);
    out_ += ' ';
  }
  declarator(variable, parameter);
}

void Printer::declarator(const Variable& variable, bool parameter) {
  if (variable.name) out_ += name(variable.name);
  if (variable.count) {
    out_ += '<';
    expr(variable.count, 0);
    out_ += '>';
  }
  for (u32 i = 0; i < variable.dims.count; ++i) {
    const ExprId size = tree_.expr_lists[variable.dims.first + i];
    out_ += '[';
    if (size) expr(size, 0);
    out_ += ']';
  }
  if (!parameter && variable.initializer) {
    out_ += " = ";
    expr(variable.initializer, 0);
  }
}

// Several parameters are printed one per line.
void Printer::parameters(Range<u32> range, bool lines) {
  lines &= range.count > 1;
  const std::string_view separator = lines ? ",\n    " : ", ";
  out_ += lines ? "(\n    " : "(";
  for (u32 i = 0; i < range.count; ++i) {
    if (i) out_ += separator;
    variable(tree_.variables[range.first + i], true);
  }
  out_ += lines ? "\n)" : ")";
}

void Printer::function(const Function& function) {
  linkage(function.linkage);
  switch (function.kind) {
    case FunctionKind::entry:
      out_ += ".entry ";
      break;
    case FunctionKind::func:
      out_ += ".func ";
      break;
    case FunctionKind::prototype:
      out_ += ".callprototype ";
      break;
  }
  // Attributes stand before the name, the other directives after the parameters.
  const Directive* begin = tree_.directives.data() + function.directives.first;
  const Directive* end = begin + function.directives.count;
  const auto is_attribute = [&](const Directive& directive) {
    return name(directive.name) == "unified" || name(directive.name) == "managed";
  };
  const Directive* tuning = begin;
  for (; tuning != end && is_attribute(*tuning); ++tuning) attribute(*tuning);
  if (function.has_return) {
    parameters(function.returns, false);
    out_ += ' ';
  }
  if (function.name) out_ += name(function.name);
  const bool prototype = function.kind == FunctionKind::prototype;
  if (function.has_params) parameters(function.params, !prototype);
  for (; tuning != end; ++tuning) {
    out_ += prototype ? ' ' : '\n';
    directive(*tuning);
  }
}

// --- other directives ---

void Printer::directive(const Directive& directive) {
  (out_ += '.').append(name(directive.name));
  for (u32 i = 0; i < directive.args.count; ++i) {
    out_ += i ? ", " : " ";
    expr(tree_.expr_lists[directive.args.first + i], 0);
  }
  if (name(directive.name) == "pragma") out_ += ';';
}

void Printer::targets(std::string_view word, const TargetList& list) {
  out_ += word;
  for (u32 i = 0; i < list.names.count; ++i) {
    const NameUse& use = tree_.name_lists[list.names.first + i];
    (out_ += i ? ", " : " ").append(name(use.name));
    if (!use.count) continue;
    out_ += '<';
    expr(use.count, 0);
    out_ += '>';
  }
  out_ += word == ".target" ? "\n" : ";\n";
}

void Printer::loc(const Loc& loc) {
  const auto into = std::back_inserter(out_);
  fmt::format_to(into, ".loc {} {} {}", loc.file, loc.line, loc.column);
  if (loc.inlined) {
    fmt::format_to(into, ", function_name {}", name(loc.function));
    if (loc.function_offset) fmt::format_to(into, "+{}", loc.function_offset);
    fmt::format_to(into, ", inlined_at {} {} {}", loc.at_file, loc.at_line, loc.at_column);
  }
  out_ += '\n';
}

void Printer::file(const File& file) {
  fmt::format_to(std::back_inserter(out_), ".file {} \"{}\"", file.index, name(file.path));
  if (file.has_times) {
    fmt::format_to(std::back_inserter(out_), ", {}, {}", file.timestamp, file.size);
  }
  out_ += '\n';
}

void Printer::section(const Section& section) {
  fmt::format_to(std::back_inserter(out_), ".section {} {{\n", name(section.name));
  std::string_view body = name(section.body);
  while (!body.empty()) {
    const std::string_view line = body.substr(0, body.find('\n'));
    body.remove_prefix(line.size() + 1);
    if (line.back() != ':') out_ += "    ";
    out_.append(line) += '\n';
  }
  out_ += "}\n";
}

}  // namespace heddle::syntax
