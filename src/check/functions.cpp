// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions: signatures, and the match of declarations and definition (PTX ISA 7, 11.2, 11.6).
#include <algorithm>

#include "check/body_checker.h"
#include "check/module_checker.h"

namespace heddle::check {

using diag::Kind;
using syntax::ExprId;
using syntax::Stmt;
using syntax::StmtKind;

namespace {

constexpr u64 kMaxParameterBytes = u64{1} << 32;
constexpr u64 kMaxParameterAlignment = 128;  // of functions; kernels may have more
constexpr isa::GateAlternative kSince20[] = {{{2, 0}, {}}}, kSince60[] = {{{6, 0}, {30, 0}}};
constexpr isa::GateAlternative kSince43[] = {{{4, 3}, {}}}, kSince88[] = {{{8, 8}, {}}};
constexpr isa::Gate kFunctionParam[] = {{kSince20, {}}}, kOpenParam[] = {{kSince60, {}}};
constexpr isa::Gate kObjectPointer[] = {{kSince43, {}}}, kHiddenParam[] = {{kSince88, {}}};

u64 round_up(u64 value, u64 to) { return (value + to - 1) / to * to; }

/// Adds a vector register, as one parameter for each component.
void add_components(const ir::Parameter& whole, std::vector<ir::Parameter>& to) {
  for (u8 i = 0; i < whole.vector; ++i) {
    ir::Parameter component = whole;
    (component.name += '.') += "xyzw"[i];
    component.vector = i ? 0 : whole.vector;
    component.size = whole.size / whole.vector;
    component.align = static_cast<u32>(component.size);
    to.push_back(std::move(component));
  }
}

}  // namespace

ir::Signature ModuleChecker::signature(const syntax::Function& declared) {
  ir::Signature signature;
  const bool kernel = declared.kind == syntax::FunctionKind::entry;
  const auto convert_all = [&](Range<u32> from, std::vector<ir::Parameter>& to) {
    u64 offset = 0;
    for (u32 i = 0; i < from.count && !gives_up(declared.name_span); ++i) {
      const syntax::Variable& one = tree_.variables[from.first + i];
      ir::Parameter parameter;
      parameter.name = text(one.name);
      parameter.type = type_of(one);
      parameter.in_register = text(one.space) == "reg";
      if (parameter.type == isa::Type::none) parameter.type = isa::Type::b32;
      const bool in_param = text(one.space) == "param";
      if (text(one.linkage) == "hidden") {
        if (declared.kind == syntax::FunctionKind::func)
          report_.add(Kind::kernel_attribute, one.span, ".hidden");
        gate(kHiddenParam, "a .hidden parameter", one.span);
      }
      if (!in_param && kernel) report_.add(Kind::kernel_register_parameter, one.span);
      if (!in_param && !parameter.in_register && !kernel)
        report_.add(Kind::parameter_space, one.span);
      if (in_param && !kernel) gate(kFunctionParam, "a .param parameter of a function", one.span);
      if (in_param && parameter.type == isa::Type::pred)
        report_.add(Kind::predicate_in_memory, one.type_span);
      if (in_param) check_param_type(one, parameter.type);
      const isa::TypeInfo& info = isa::type_info(parameter.type);
      if (info.cls == isa::TypeClass::opaque && !kernel)
        report_.add(Kind::opaque_space, one.type_span, info.name);
      if (!in_param || parameter.type != isa::Type::pred)
        parameter.vector = vector_of(one, parameter.type);
      u64 count = 1;
      parameter.is_array = one.is_array;
      if (parameter.in_register && one.is_array)
        report_.add(Kind::register_array, one.name_span).help("an array is a .param parameter");
      if (one.dims.count > 1)
        report_.add(Kind::parameter_dimensions, one.name_span)
            .help("an array of one dimension has room for as many elements");
      for (u32 d = 0; d < one.dims.count; ++d) {
        const ExprId dim = tree_.expr_lists[one.dims.first + d];
        if ((!dim || is_zero(dim)) && (kernel || &to == &signature.returns || i + 1 < from.count)) {
          report_.add(Kind::unsized_array, one.name_span, parameter.name)
              .help("only the last parameter of a .func can be left open");
        } else if (!dim || is_zero(dim)) {
          gate(kOpenParam, "an array parameter without size", one.span);
          parameter.unsized = true;
        }
        const auto size =
            dim && !is_zero(dim) ? positive(dim, "array dimension") : std::optional<u64>(0);
        if (size && *size >= kMaxParameterBytes)
          report_.add(Kind::variable_too_large, one.name_span, parameter.name);
        count *= size && *size < kMaxParameterBytes ? *size : 0;
      }
      const u64 element = u64{bytes_of(parameter.type)} * parameter.vector;
      parameter.size = element * count;
      parameter.align = static_cast<u32>(element);
      if (one.align) {
        const auto align = positive(one.align, "alignment");
        if (align && (*align & (*align - 1)))
          report_.add(Kind::bad_alignment, tree_[one.align].span, *align);
        else if (align && !kernel && *align > kMaxParameterAlignment)
          report_.add(Kind::constant_range, tree_[one.align].span, *align, 1,
                      kMaxParameterAlignment);
        else if (align)
          parameter.align = static_cast<u32>(std::min<u64>(*align, 4096));
      }
      for (u32 a = 0; a < one.attributes.count; ++a) {
        const syntax::Directive& attribute = tree_.directives[one.attributes.first + a];
        const std::string_view name = text(attribute.name);
        if (attribute.args.count) {  // .align of the memory that it points to
          const ExprId arg = tree_.expr_lists[attribute.args.first];
          const auto align = name == "align" ? positive(arg, "alignment") : std::nullopt;
          if (align && (*align & (*align - 1)))
            report_.add(Kind::bad_alignment, tree_[arg].span, *align);
        }
        if (name == "ptr") {
          gate_directive(".ptr", attribute.span);
          if (declared.kind == syntax::FunctionKind::func)
            report_.add(Kind::kernel_attribute, attribute.span, ".ptr");
          parameter.is_pointer = true;
        }
        if (const auto space = space_of(name))
          parameter.pointee_space = *space;
        else if (name.ends_with("ref"))
          gate(kObjectPointer, fmt::format(".ptr .{}", name), attribute.span);
      }
      offset = round_up(offset, std::max<u32>(parameter.align, 1));
      parameter.offset = offset;
      offset += parameter.size;
      if (parameter.in_register && parameter.vector > 1)
        add_components(parameter, to);
      else
        to.push_back(std::move(parameter));
    }
    return offset;
  };
  convert_all(declared.returns, signature.returns);
  convert_all(declared.params, signature.params);
  signature.noreturn = has_directive(declared, "noreturn");
  return signature;
}

bool ModuleChecker::same_signature(const ir::Signature& a, const ir::Signature& b) const {
  const auto same = [](const std::vector<ir::Parameter>& x, const std::vector<ir::Parameter>& y) {
    return std::equal(
        x.begin(), x.end(), y.begin(), y.end(), [](const ir::Parameter& p, const ir::Parameter& q) {
          return p.size == q.size && p.type == q.type && p.vector == q.vector &&
                 p.align == q.align && p.is_array == q.is_array && p.in_register == q.in_register;
        });
  };
  return a.noreturn == b.noreturn && same(a.returns, b.returns) && same(a.params, b.params);
}

void ModuleChecker::function(const syntax::Function& declared) {
  ir::Function function;
  function.name = text(declared.name);
  function.is_entry = declared.kind == syntax::FunctionKind::entry;
  function.has_body = declared.has_body;
  function.linkage = linkage_of(declared.linkage);
  function.signature = signature(declared);
  function.at = point(declared.name_span);
  function.span = declared.name_span;
  if (function.is_entry) {
    for (const ir::Parameter& parameter : function.signature.params) {
      function.param_bytes = std::max(function.param_bytes, parameter.offset + parameter.size);
    }
    const u64 most = module_->version >= isa::PtxVersion{8, 1} && first_target().sm >= 70 ? 32764
                     : module_->version >= isa::PtxVersion{1, 5}                          ? 4352
                                                                                          : 256;
    if (function.param_bytes > most) {
      report_.add(Kind::parameters_too_large, declared.name_span, function.param_bytes, most);
    }
    if (declared.returns.count) report_.add(Kind::kernel_returns, declared.name_span);
  }
  gate_linkage(declared.linkage, declared.span);
  function_directives(declared, function);
  const bool preserves_alike = same_abi_preserve(declared);
  if (function.linkage == ir::Linkage::common)
    report_.add(Kind::common_not_global, declared.name_span);
  if (function.has_body && function.linkage == ir::Linkage::external)
    report_.add(Kind::extern_body, declared.name_span, function.name);

  u32 id = static_cast<u32>(module_->functions.size());
  // The signature of a function whose header does not parse is unknown.
  const SymbolKind kind = declared.is_whole ? SymbolKind::function : SymbolKind::error;
  const auto before = scopes_.declare(declared.name, {kind, 1, id, declared.name_span});
  if (before) {
    if (before->kind == SymbolKind::error) return;
    if (before->kind != SymbolKind::function) {
      report_.add(Kind::redeclared, declared.name_span, function.name)
          .label(before->declared, "first declared here");
      return;
    }
    id = before->id;
    ir::Function& other = module_->functions[id];
    if (!declared.is_whole) {
      other.has_body |= function.has_body;
      return;
    }
    if (other.has_body && function.has_body) {
      report_.add(Kind::redefined, declared.name_span, function.name)
          .label(before->declared, "first defined here");
      return;
    }
    if (other.is_entry != function.is_entry || !preserves_alike ||
        !same_signature(other.signature, function.signature)) {
      report_.add(Kind::different_declaration, declared.name_span, function.name)
          .label(before->declared, "declared differently here");
      other.has_body |= function.has_body;
      return;
    }
    // A definition may leave out .visible and .weak of its declaration, nothing else.
    const bool left_out =
        function.linkage == ir::Linkage::internal && other.linkage != ir::Linkage::external;
    if (other.has_body) {
      report_.add(Kind::late_declaration, declared.name_span, function.name)
          .label(before->declared, "its body is here");
    } else if (function.linkage != other.linkage && !left_out) {
      report_
          .add(Kind::different_linkage, declared.name_span, function.name,
               name_of(function.linkage), name_of(other.linkage))
          .label(before->declared, "declared here");
    }
    if (!function.has_body) return;  // one more declaration
    if (other.linkage != ir::Linkage::internal && function.linkage == ir::Linkage::internal)
      function.linkage = other.linkage;
    other = std::move(function);
  } else {
    module_->functions.push_back(std::move(function));
  }
  if (declared.has_body) BodyChecker(*this, declared, ir::FunctionId(id)).run();
}

void ModuleChecker::alias(const Stmt& stmt) {
  gate_directive(".alias", stmt.span);
  const syntax::Alias& alias = tree_.aliases[stmt.data];
  ir::FunctionId ids[2];
  const syntax::NameUse* uses[] = {&alias.alias, &alias.aliasee};
  for (int i = 0; i < 2; ++i) {
    const Symbol& symbol = scopes_[uses[i]->name];
    if (symbol.kind == SymbolKind::error) return;
    if (symbol.kind != SymbolKind::function) {
      report_.add(Kind::not_a_function, uses[i]->span, text(uses[i]->name));
      return;
    }
    ids[i] = ir::FunctionId(symbol.id);
  }
  ir::Function& from = module_->functions[ids[0].value];
  const ir::Function& to = module_->functions[ids[1].value];
  if (from.has_body || !to.has_body || from.is_entry || to.is_entry ||
      to.linkage == ir::Linkage::weak) {
    report_.add(Kind::bad_alias, stmt.span);
    return;
  }
  if (!same_signature(from.signature, to.signature)) {
    report_.add(Kind::different_declaration, alias.alias.span, from.name)
        .label(alias.aliasee.span, "is not like this one");
    return;
  }
  if (std::ranges::count(module_->aliases, ids[0],
                         &std::pair<ir::FunctionId, ir::FunctionId>::first)) {
    report_.add(Kind::repeated_alias, alias.alias.span, from.name);
    return;
  }
  module_->aliases.emplace_back(ids[0], ids[1]);
}

/// A declaration without .extern announces a body in this very module (11.6.1), or an .alias.
void ModuleChecker::functions_without_body() {
  // The statement that does not parse may be the body.
  if (std::any_of(tree_.stmts.begin(), tree_.stmts.end(),
                  [](const Stmt& stmt) { return stmt.kind == StmtKind::error; }))
    return;
  std::vector<bool> aliased(module_->functions.size());
  for (const auto& [alias, aliasee] : module_->aliases) aliased[alias.value] = true;
  for (const syntax::Function& declared : tree_.functions) {
    if (declared.kind == syntax::FunctionKind::prototype || declared.has_body) continue;
    if (gives_up(declared.name_span)) return;
    const Symbol& symbol = scopes_[declared.name];
    if (symbol.kind != SymbolKind::function || symbol.declared != declared.name_span) continue;
    const ir::Function& function = module_->functions[symbol.id];
    if (function.has_body || aliased[symbol.id] || function.linkage == ir::Linkage::external)
      continue;
    report_.add(Kind::no_body, declared.name_span, function.name)
        .help("declare it .extern when another module defines it");
  }
}

}  // namespace heddle::check
