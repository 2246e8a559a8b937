// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module level: header, variables with their initialisers (PTX ISA 5.4, 11.1).
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/spelling.h"
#include "check/advice.h"
#include "check/body_checker.h"
#include "check/check.h"
#include "check/module_checker.h"
#include "isa/newest_version.h"

namespace heddle::check {

using diag::Kind;
using syntax::Expr;
using syntax::ExprId;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;

namespace {

constexpr u64 kMaxVariableBytes = u64{1} << 40;
// Gates of parts of directives that are newer than the directive.
using isa::Gate;
using isa::GateAlternative;
constexpr GateAlternative kSince15[] = {{{1, 5}, {}}}, kSince20[] = {{{2, 0}, {}}},
                          kSince21[] = {{{2, 1}, {}}}, kSince21Sm20[] = {{{2, 1}, {20, 0}}},
                          kSince31[] = {{{3, 1}, {}}}, kSince31Sm35[] = {{{3, 1}, {35, 0}}},
                          kSince32[] = {{{3, 2}, {}}}, kSince70[] = {{{7, 0}, {}}},
                          kSince71[] = {{{7, 1}, {}}}, kSince72[] = {{{7, 2}, {}}};
constexpr Gate kKernelAddress[] = {{kSince31Sm35, {}}}, kAddress[] = {{kSince21, {}}},
               kFunctionAddress[] = {{kSince21Sm20, {}}}, kGeneric[] = {{kSince31, {}}},
               kMask[] = {{kSince71, {}}}, kBank[] = {{kSince15, {{2, 1}, {}}}},
               kBodyParam[] = {{kSince20, {}}}, kFileTimes[] = {{kSince32, {}}},
               kSectionLabel[] = {{kSince70, {}}}, kInlinedAt[] = {{kSince72, {}}};

}  // namespace

std::optional<ir::Space> space_of(std::string_view name) {
  if (const auto colon = name.find("::"); colon != std::string_view::npos)
    name = name.substr(0, colon);
  if (name == "reg" || name == "sreg") return ir::Space::reg;
  if (name == "const") return ir::Space::constant;
  if (name == "global" || name == "tex") return ir::Space::global;
  if (name == "local") return ir::Space::local;
  if (name == "param") return ir::Space::param;
  if (name == "shared") return ir::Space::shared;
  return std::nullopt;
}

std::string_view name_of(ir::Space space) {
  switch (space) {
    case ir::Space::generic:
      return "generic";
    case ir::Space::reg:
      return ".reg";
    case ir::Space::constant:
      return ".const";
    case ir::Space::global:
      return ".global";
    case ir::Space::local:
      return ".local";
    case ir::Space::param:
      return ".param";
    case ir::Space::shared:
      return ".shared";
  }
  return "?";
}

std::string_view name_of(ir::Linkage linkage) {
  switch (linkage) {
    case ir::Linkage::internal:
      return "local to the module";
    case ir::Linkage::external:
      return ".extern";
    case ir::Linkage::visible:
      return ".visible";
    case ir::Linkage::weak:
      return ".weak";
    case ir::Linkage::common:
      return ".common";
  }
  return "?";
}

std::shared_ptr<ir::Module> check(const syntax::Tree& tree, const diag::Source& source,
                                  diag::Report& report, Want want, Versions versions) {
  return ModuleChecker(tree, source, report, want, versions).run();
}

ModuleChecker::ModuleChecker(const syntax::Tree& tree, const diag::Source& source,
                             diag::Report& report, Want want, Versions versions)
    : tree_(tree),
      source_(source),
      report_(report),
      want_(want),
      versions_(versions),
      module_(std::make_shared<ir::Module>()),
      scopes_(tree.names),
      mnemonics_(tree.names.size()),
      special_(tree.names.size()),
      errors_at_start_(report.error_count()) {
  module_->name = source.path();
  module_->functions.reserve(tree.functions.size());
}

std::shared_ptr<ir::Module> ModuleChecker::run() {
  scopes_.enter();
  header();
  find_files();
  for (const Stmt& stmt : tree_.stmts) {
    // Declarations are short; a broken text of the length of a function is not a declaration.
    constexpr u32 kLongest = 1000;
    if (stmt.kind != StmtKind::error) continue;
    const std::string_view text = source_.text(stmt.span);
    if (text.size() <= kLongest || text.starts_with("/*")) broken_.push_back(stmt.span);
  }
  for (std::size_t i = 0; i < tree_.stmts.size() && !gives_up(tree_.stmts[i].span); ++i)
    statement(i);
  if (!gave_up_) functions_without_body();
  scopes_.leave();
  ir::resolve_aliases(*module_);
  check_memory(*module_, report_);
  ir::size_open_parameters(*module_);
  if (report_.has_errors()) return module_;
  paired_uses_.resize(module_->functions.size());
  report_unpaired(*module_, paired_uses_, report_);
  if (module_->map_f64_to_f32) map_f64_to_f32(*module_);
  if (first_target().sm < 20) imply_flushing(*module_);
  return module_;
}

bool ModuleChecker::give_up(Span next) {
  if (!gave_up_)
    report_.add(Kind::too_many_errors, Span{next.begin, next.begin}, std::size_t{kMostErrors});
  return gave_up_ = true;
}

// --- header ---

/// `.version`, `.target`, `.address_size`, in this order. Other statements of this kind are
/// reported by statement().
void ModuleChecker::header() {
  std::size_t i = 0;
  const BigVector<Stmt>& stmts = tree_.stmts;
  std::string_view broken;  // text of a statement that does not parse
  const auto skip = [&] {
    while (i < stmts.size() &&
           (stmts[i].kind == StmtKind::pragma || stmts[i].kind == StmtKind::error ||
            stmts[i].kind == StmtKind::loc || stmts[i].kind == StmtKind::file)) {
      if (stmts[i].kind == StmtKind::error) broken = source_.text(stmts[i].span);
      ++i;
    }
  };
  // The directive is there, but does not parse or is misspelt.
  const auto is_broken = [&](std::string_view directive) {
    constexpr std::size_t kSlips = 2;
    const std::string_view word = broken.substr(0, broken.find_first_of(" \t\r\n"));
    return edit_distance(word, directive, kSlips) <= kSlips;
  };
  skip();
  const Span at = i < stmts.size() ? Span{stmts[i].span.begin, stmts[i].span.begin + 1} : Span{};
  if (i < stmts.size() && stmts[i].kind == StmtKind::version) {
    version(stmts[i++]);
  } else {
    if (!is_broken(".version"))
      report_.add(Kind::missing_version, at).help("begin the module with .version 9.1");
    module_->version = isa::kNewestVersion;
  }
  skip();
  if (i < stmts.size() && stmts[i].kind == StmtKind::target) {
    for (; i < stmts.size() && stmts[i].kind == StmtKind::target; skip()) target(stmts[i++]);
  } else {
    if (!is_broken(".target"))
      report_.add(Kind::missing_target, at).help("write .target sm_75, say, after .version");
    module_->targets.push_back({121, 'a'});
  }
  skip();
  if (i < stmts.size() && stmts[i].kind == StmtKind::address_size) address_size(stmts[i++]);
  header_end_ = i;
}

void ModuleChecker::version(const Stmt& stmt) {
  const syntax::Version& version = tree_.versions[stmt.data];
  const std::string written = fmt::format("{}.{}", version.major, version.minor);
  const bool is_version = version.major >= 1 && version.major <= 255 && version.minor <= 255;
  const isa::PtxVersion number{static_cast<u8>(version.major), static_cast<u8>(version.minor)};
  if (!is_version || (number > isa::kNewestVersion && versions_ == Versions::known)) {
    report_.add(Kind::unknown_version, stmt.span, written)
        .help("the newest version known here is " + isa::to_string(isa::kNewestVersion));
    module_->version = isa::kNewestVersion;
    return;
  }
  if (number > isa::kNewestVersion) report_.add(Kind::newer_version, stmt.span, written);
  module_->version = number;
}

/// A further `.target` changes the features that the following text may use (11.1.2). Of several
/// architectures the last one counts; the module needs all of them.
void ModuleChecker::target(const Stmt& stmt) {
  mnemonics_ = std::vector<std::unique_ptr<Mnemonic>>(
      tree_.names.size());  // cached mnemonics depend on the target
  const syntax::TargetList& list = tree_.targets[stmt.data];
  bool unknown = false;
  for (u32 i = 0; i < list.names.count; ++i) {
    const syntax::NameUse& use = tree_.name_lists[list.names.first + i];
    const std::string_view name = text(use.name);
    if (name == "texmode_independent") {
      module_->texmode_independent = true;
    } else if (name == "texmode_unified") {
    } else if (name == "debug") {
      module_->debug_target = true;
    } else if (name == "map_f64_to_f32") {
      module_->map_f64_to_f32 = true;
    } else if (const auto target = isa::parse_target(name)) {
      const isa::Entry* entry = isa::find_target(*target);
      if (!entry) {
        report_.add(Kind::unknown_target, use.span, name).ask(about_target(name));
      } else if (const auto why = isa::refuse(entry->gates, module_->version, *target)) {
        report_.add(Kind::target_needs_version, use.span, name).help(*why);
      }
      std::erase(module_->targets, *target);
      module_->targets.insert(module_->targets.begin(), *target);
    } else {
      report_.add(Kind::unknown_target, use.span, name).ask(about_target(name));
      unknown = true;
    }
  }
  if (module_->targets.empty()) {
    if (!unknown)
      report_.add(Kind::missing_target, stmt.span).help("name an architecture, such as sm_75");
    module_->targets.push_back({121, 'a'});
  }
}

void ModuleChecker::address_size(const Stmt& stmt) {
  gate_directive(".address_size", stmt.span);
  if (stmt.data != 32 && stmt.data != 64) {
    report_.add(Kind::bad_address_size, stmt.span, stmt.data);
    return;
  }
  module_->address_size = static_cast<u8>(stmt.data);
}

// --- statements ---

void ModuleChecker::statement(std::size_t& index) {
  const Stmt& stmt = tree_.stmts[index];
  switch (stmt.kind) {
    case StmtKind::target:
      if (index >= header_end_) target(stmt);
      return;
    case StmtKind::version:
    case StmtKind::address_size: {
      // header() has handled the first one; a header directive that stands elsewhere or twice is
      // misplaced.
      for (std::size_t i = 0; i < index; ++i) {
        const StmtKind kind = tree_.stmts[i].kind;
        if (kind == stmt.kind) {
          report_.add(Kind::repeated_header, stmt.span)
              .label(tree_.stmts[i].span, "the first one is here");
          return;
        }
        if (kind == StmtKind::variable || kind == StmtKind::function) {
          report_.add(Kind::late_header, stmt.span);
          return;
        }
      }
      return;
    }
    case StmtKind::variable:
      module_variable(tree_.variables[stmt.data]);
      return;
    case StmtKind::function: {
      const syntax::Function& declared = tree_.functions[stmt.data];
      function(declared);
      if (declared.has_body)
        index = std::max<std::size_t>(index, declared.body.first + declared.body.count);
      return;
    }
    case StmtKind::file:
      file(stmt);
      return;
    case StmtKind::alias:
      alias(stmt);
      return;
    default:
      gate_debugging(stmt);  // has no names to resolve
      return;
  }
}

/// Runs before all other statements, because a .loc may name a .file that stands further below, as
/// in nvcc's modules.
void ModuleChecker::find_files() {
  for (const Stmt& stmt : tree_.stmts) {
    if (stmt.kind != StmtKind::file) continue;
    const syntax::File& file = tree_.files[stmt.data];
    const auto id = static_cast<u32>(module_->files.size());
    if (files_.try_emplace(file.index, File{id, stmt.data, stmt.span}).second)
      module_->files.emplace_back(text(file.path));
  }
}

void ModuleChecker::file(const Stmt& stmt) {
  const syntax::File& file = tree_.files[stmt.data];
  if (file.has_times) gate(kFileTimes, "the time and size of a .file", stmt.span);
  const File& first = files_.at(file.index);
  if (first.data != stmt.data)
    report_.add(Kind::repeated_file, stmt.span, file.index)
        .label(first.span, "the first one is here");
}

/// Statements for debuggers have gates, too.
void ModuleChecker::gate_debugging(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::pragma:
      gate_directive(".pragma", stmt.span);
      pragma(tree_.directives[stmt.data]);
      return;
    case StmtKind::dwarf:
      gate_directive("@@DWARF", stmt.span);
      return;
    case StmtKind::section: {
      const std::string_view body = text(tree_.sections[stmt.data].body);
      gate_directive(".section", stmt.span);
      if (body.find(':') != body.npos) gate(kSectionLabel, "a label in a .section", stmt.span);
      return;
    }
    case StmtKind::loc:
      if (tree_.locs[stmt.data].inlined) gate(kInlinedAt, "inlined_at", stmt.span);
      return;
    default:
      return;
  }
}

ir::SourcePoint ModuleChecker::point(Span span) const {
  ir::SourcePoint at;
  if (want_ == Want::module) at.line = source_.place(span.begin).line;
  return at;
}

ir::Linkage ModuleChecker::linkage_of(NameId name) const {
  const std::string_view linkage = text(name);
  if (linkage == "extern") return ir::Linkage::external;
  if (linkage == "visible") return ir::Linkage::visible;
  if (linkage == "weak") return ir::Linkage::weak;
  if (linkage == "common") return ir::Linkage::common;
  return ir::Linkage::internal;
}

void ModuleChecker::gate_directive(std::string_view name, Span span) {
  const isa::Entry* entry = isa::find_directive(name);
  if (entry) gate(entry->gates, name, span);
}

void ModuleChecker::gate_linkage(NameId linkage, Span declaration) {
  if (!linkage) return;
  const u32 end = declaration.begin + 1 + static_cast<u32>(text(linkage).size());
  gate_directive(fmt::format(".{}", text(linkage)), {declaration.begin, end});
}

void ModuleChecker::gate(std::span<const isa::Gate> gates, std::string_view what, Span span) {
  if (const auto why = isa::refuse(gates, module_->version, first_target()))
    report_.add(Kind::directive_gate, span, what).help(*why);
}

isa::Type ModuleChecker::type_of(const syntax::Variable& declared) {
  if (!declared.type) return isa::Type::none;
  const isa::Type type = isa::find_type(text(declared.type));
  if (type == isa::Type::none) {
    auto& diagnostic = report_.add(Kind::unknown_type, declared.type_span, text(declared.type));
    if (std::string known = about_foreign_type(text(declared.type)); !known.empty())
      diagnostic.help(std::move(known));
    else
      diagnostic.ask(like_a_type(text(declared.type)));
    return type;
  }
  // The packed and alternate formats are types of instructions; .f16x2 is a fundamental type
  // (5.2.1).
  const isa::TypeInfo& info = isa::type_info(type);
  if (info.cls == isa::TypeClass::packed && type != isa::Type::f16x2) {
    auto& diagnostic = report_.add(Kind::instruction_type_only, declared.type_span, info.name);
    if (info.bits >= 8) diagnostic.help(fmt::format("declare it as .b{}", info.bits));
    return isa::Type::none;
  }
  if (info.cls == isa::TypeClass::opaque || type == isa::Type::f16x2 || type == isa::Type::b128)
    gate_directive(fmt::format(".{}", info.name), declared.type_span);
  if (type == isa::Type::samplerref && !module_->texmode_independent) {
    report_.add(Kind::directive_gate, declared.type_span, ".samplerref")
        .help("needs `texmode_independent` in .target");
  }
  return type;
}

/// Reports types that .param variables of kernels, functions and calls cannot have.
void ModuleChecker::check_param_type(const syntax::Variable& declared, isa::Type type) {
  if (type == isa::Type::f16x2 && !declared.vector && !declared.is_array)
    report_.add(Kind::param_type, declared.type_span, ".f16x2").help("declare it as .b32");
}

u8 ModuleChecker::vector_of(const syntax::Variable& declared, isa::Type type) {
  const std::string_view written = text(declared.vector);
  if (written.empty()) return 1;
  if (text(declared.space) == "param" && !declared.is_array) {
    report_.add(Kind::param_type, declared.type_span, "a vector").help("declare an array");
    return 1;
  }
  constexpr u32 kMostBytes = 16;
  const isa::TypeInfo& info = isa::type_info(type);
  if (type == isa::Type::pred || info.cls == isa::TypeClass::opaque) {
    report_.add(Kind::vector_of_type, declared.type_span, info.name);
    return 1;
  }
  if (written == "v8") {
    report_.add(Kind::vector_of_length, declared.type_span, written)
        .help("a wider access names its registers in braces; its variable is an array");
    return 8;
  }
  const u8 length = written == "v2" ? 2 : 4;
  if (bytes_of(type) * length > kMostBytes) report_.add(Kind::vector_too_long, declared.type_span);
  return length;
}

bool ModuleChecker::is_zero(ExprId id) const {
  return tree_[id].kind == ExprKind::integer && tree_[id].value == 0;
}

/// The value of a constant that must be greater than zero.
std::optional<u64> ModuleChecker::positive(ExprId id, std::string_view what) {
  const auto value = evaluate(tree_, id, report_);
  if (!value) return std::nullopt;
  if (!value->is_integer() || value->bits == 0 ||
      (!value->is_unsigned() && value->as_signed() < 0)) {
    report_.add(Kind::not_positive, tree_[id].span, what);
    return std::nullopt;
  }
  return value->bits;
}

// --- variables ---

bool ModuleChecker::fill_variable(const syntax::Variable& declared, ir::Variable& variable) {
  variable.name = text(declared.name);
  variable.linkage = linkage_of(declared.linkage);
  variable.at = point(declared.name_span);
  variable.span = declared.name_span;
  gate_linkage(declared.linkage, declared.span);
  if (declared.bank >= 0) gate(kBank, "a bank of constant memory", declared.span);
  variable.bank = declared.bank > 0 ? static_cast<u8>(declared.bank) : 0;
  const auto space = space_of(text(declared.space));
  if (!space) return false;
  variable.space = *space;
  variable.type = type_of(declared);
  if (variable.type == isa::Type::none) return false;
  if (text(declared.space) == "tex") {
    gate_directive(".tex", declared.span);
    variable.type = isa::Type::texref;  // `.tex .u32 t` is `.global .texref t` (5.1.8)
  }
  if (variable.type == isa::Type::pred) {
    report_.add(Kind::predicate_in_memory, declared.type_span);
    return false;
  }
  if (isa::type_info(variable.type).cls == isa::TypeClass::opaque &&
      (variable.space != ir::Space::global || in_function_)) {
    report_.add(Kind::opaque_space, declared.type_span, isa::type_info(variable.type).name);
    return false;
  }
  if (variable.space == ir::Space::param) {
    gate(kBodyParam, "a .param variable in a body", declared.span);
    check_param_type(declared, variable.type);
  }
  if (variable.linkage == ir::Linkage::common && variable.space != ir::Space::global)
    report_.add(Kind::common_not_global, declared.span);
  if (declared.count && (declared.is_array || declared.initializer)) {
    report_.add(Kind::parameterized_memory, declared.name_span);
    return false;
  }
  variable.vector = vector_of(declared, variable.type);
  const u64 element = u64{bytes_of(variable.type)} * variable.vector;
  variable.align = static_cast<u32>(element);
  if (declared.align) {
    const auto align = positive(declared.align, "alignment");
    if (align && (*align & (*align - 1)))
      report_.add(Kind::bad_alignment, tree_[declared.align].span, *align)
          .help(fmt::format("the next one is {}", std::bit_ceil(std::min<u64>(*align, 1u << 31))));
    else if (align)
      variable.align = static_cast<u32>(std::min<u64>(*align, 1u << 31));
  }
  variable.is_array = declared.is_array;
  u64 count = 1;
  for (u32 i = 0; i < declared.dims.count; ++i) {
    const ExprId dim = tree_.expr_lists[declared.dims.first + i];
    if (!dim || is_zero(dim)) {  // `[0]` means the same as `[]`
      if (i) report_.add(Kind::unsized_inner_dimension, declared.name_span);
      variable.unsized = true;
      if (declared.initializer && tree_[declared.initializer].kind == ExprKind::vector) {
        count *= tree_[declared.initializer].list.count;
        variable.unsized = false;
      } else {
        count = 0;
      }
      continue;
    }
    const auto value = evaluate(tree_, dim, report_);
    if (!value) return false;
    if (!value->is_integer() || (!value->is_unsigned() && value->as_signed() < 0)) {
      report_.add(Kind::not_positive, tree_[dim].span, "array dimension");
      return false;
    }
    if (value->bits && count > kMaxVariableBytes / std::max<u64>(element, 1) / value->bits) {
      report_.add(Kind::variable_too_large, declared.name_span, variable.name);
      return false;
    }
    count *= value->bits;
  }
  variable.size = element * count;
  for (u32 i = 0; i < declared.attributes.count; ++i) {
    const syntax::Directive& attribute = tree_.directives[declared.attributes.first + i];
    const std::string_view name = text(attribute.name);
    if (name == "ptr") report_.add(Kind::kernel_attribute, attribute.span, ".ptr");
    if (name != "managed" && name != "unified")
      continue;  // the state space that a pointer points to
    gate_directive(fmt::format(".{}", name), attribute.span);
    if (variable.space != ir::Space::global)
      report_.add(Kind::misplaced_attribute, declared.name_span, name, ".global variables");
    if (name == "unified" && attribute.args.count != 2)
      report_.add(Kind::directive_arguments, attribute.span, name, "two numbers");
    variable.managed |= name == "managed";
  }
  if (variable.unsized && variable.linkage != ir::Linkage::external) {
    report_.add(Kind::unsized_array, declared.name_span, variable.name);
    return false;
  }
  initialize(declared, variable);
  return true;
}

void ModuleChecker::initialize(const syntax::Variable& declared, ir::Variable& variable) {
  if (!declared.initializer) return;
  const Expr& init = tree_[declared.initializer];
  if (variable.space != ir::Space::global && variable.space != ir::Space::constant) {
    report_.add(Kind::initializer_space, init.span, name_of(variable.space));
    return;
  }
  if (variable.linkage == ir::Linkage::external) {
    report_.add(Kind::initialized_extern, init.span);
    return;
  }
  if (isa::type_info(variable.type).cls == isa::TypeClass::opaque)
    return initialize_opaque(declared, variable);
  std::vector<u64> dims;
  u64 known = 1;
  for (u32 i = 0; i < declared.dims.count; ++i) {
    const ExprId dim = tree_.expr_lists[declared.dims.first + i];
    diag::Report quiet;
    const auto value = dim ? evaluate(tree_, dim, quiet) : std::nullopt;
    dims.push_back(value ? value->bits : 0);
    if (value && value->bits) known *= value->bits;
  }
  if (!dims.empty() && dims[0] == 0 && known) {
    dims[0] =
        variable.size / std::max<u64>(u64{bytes_of(variable.type)} * variable.vector * known, 1);
  }
  if (variable.vector > 1) dims.push_back(variable.vector);
  u64 element = 0;
  if (init.kind == ExprKind::vector) {
    if (dims.empty()) {
      if (init.list.count != 1) report_.add(Kind::too_many_initializers, init.span, 1);
      if (init.list.count) initialize_element(variable, tree_.expr_lists[init.list.first], 0);
      return;
    }
    initialize_level(declared, variable, dims, 0, declared.initializer, element,
                     variable.size / bytes_of(variable.type));
  } else if (dims.empty()) {
    initialize_element(variable, declared.initializer, 0);
  } else {
    report_.add(Kind::array_needs_list, init.span);
  }
}

/// One brace level; elements without braces of their own fill the rest of the array in order, as in
/// C.
void ModuleChecker::initialize_level(const syntax::Variable& declared, ir::Variable& variable,
                                     const std::vector<u64>& dims, std::size_t level, ExprId id,
                                     u64& element, u64 limit) {
  const Expr& list = tree_[id];
  if (variable.vector > 1 && level + 1 == dims.size() && list.list.count != variable.vector) {
    report_.add(Kind::vector_initializer, list.span, variable.vector, list.list.count);
    element += variable.vector;
    return;
  }
  u64 below = 1;
  for (std::size_t i = level + 1; i < dims.size(); ++i) below *= dims[i];
  const u64 begin = element;
  const u64 end = std::min(limit, begin + below * dims[level]);
  for (u32 i = 0; i < list.list.count && !gives_up(list.span); ++i) {
    const ExprId child = tree_.expr_lists[list.list.first + i];
    if (element >= end) {
      report_.add(Kind::too_many_initializers, tree_[child].span, end - begin);
      break;
    }
    if (tree_[child].kind == ExprKind::vector) {
      if (level + 1 >= dims.size()) {
        report_.add(Kind::too_many_braces, tree_[child].span);
        ++element;
        continue;
      }
      initialize_level(declared, variable, dims, level + 1, child, element, limit);
    } else {
      initialize_element(variable, child, element++);
    }
  }
  element = end;
}

void ModuleChecker::initialize_element(ir::Variable& variable, ExprId id, u64 element) {
  const u32 bytes = bytes_of(variable.type);
  const u64 offset = element * bytes;
  if (tree_[id].kind == ExprKind::error) return;
  if (!is_constant(tree_, id) && symbol_initializer(variable, id, offset, bytes)) return;
  const auto value = evaluate(tree_, id, report_);
  if (!value) return;
  const auto bits = convert(*value, variable.type);
  if (!bits) {
    report_.add(Kind::constant_type, tree_[id].span,
                fmt::format(".{}", isa::type_info(variable.type).name));
    return;
  }
  if (variable.init.size() < offset + bytes) variable.init.resize(offset + bytes);
  std::memcpy(variable.init.data() + offset, &*bits, std::min<u32>(bytes, 8));
}

/// `name`, `name + constant`, `generic(name)`, `0xff00(name)`: an address that is relocated when
/// the module is placed. False when the expression is none of these.
bool ModuleChecker::symbol_initializer(ir::Variable& variable, ExprId id, u64 offset, u32 bytes) {
  const Expr* expr = &tree_[id];
  ir::Relocation relocation;
  relocation.offset = offset;
  relocation.size = static_cast<u8>(std::min<u32>(bytes, 8));
  const bool whole = variable.type == isa::Type::u32 || variable.type == isa::Type::u64;
  if (expr->kind == ExprKind::mask) {
    gate(kMask, "a part of an address as an initial value", expr->span);
    const auto mask = evaluate(tree_, expr->child.b, report_);
    if (!mask) return true;
    u32 shift = 0;
    while (shift < 64 && mask->bits != u64{0xff} << shift) shift += 8;
    if (!mask->is_integer() || shift >= 64) {
      report_.add(Kind::bad_mask, tree_[expr->child.b].span);
      return true;
    }
    if (bytes != 1 && !whole) {
      report_.add(Kind::mask_needs_byte, expr->span);
      return true;
    }
    relocation.shift = static_cast<u8>(shift);
    relocation.size = 1;
    expr = &tree_[expr->child.a];
  }
  const auto addend = [&] {
    auto value = evaluate(tree_, expr->child.b, report_);
    if (value && !value->is_integer()) {
      report_.add(Kind::constant_type, tree_[expr->child.b].span, "an integer");
      value.reset();
    }
    return value;
  };
  // Constants before and after the name.
  while (expr->kind == ExprKind::binary) {
    if (static_cast<syntax::Op>(expr->op) != syntax::Op::add || is_constant(tree_, expr->child.a)) {
      report_.add(Kind::not_constant_expression, expr->span)
          .help("an address with an offset is written name+4 or name+-4");
      return true;
    }
    const auto value = addend();
    if (!value) return true;
    relocation.addend += value->as_signed();
    expr = &tree_[expr->child.a];
  }
  if (expr->kind == ExprKind::generic) {
    gate(kGeneric, "generic()", expr->span);
    relocation.generic = true;
    expr = &tree_[expr->child.a];
    while (expr->kind == ExprKind::binary && is_constant(tree_, expr->child.b)) {
      const auto value = addend();
      if (!value) return true;
      relocation.addend += static_cast<syntax::Op>(expr->op) == syntax::Op::sub
                               ? -value->as_signed()
                               : value->as_signed();
      expr = &tree_[expr->child.a];
    }
  }
  if (expr->kind != ExprKind::name) return false;
  const Symbol& symbol = scopes_[expr->name_id];
  switch (symbol.kind) {
    case SymbolKind::variable: {
      const ir::Space space = module_->variables[symbol.id].space;
      if (space != ir::Space::global && space != ir::Space::constant) {
        report_.add(Kind::no_static_address, expr->span, text(expr->name_id), name_of(space));
        return true;
      }
      gate(kAddress, "an address as an initial value", expr->span);
      break;
    }
    case SymbolKind::function:
      relocation.is_function = true;
      if (module_->functions[symbol.id].is_entry)
        gate(kKernelAddress, "a kernel as an initial value", expr->span);
      else
        gate(kFunctionAddress, "a function as an initial value", expr->span);
      break;
    case SymbolKind::error:
      return true;
    default:
      report_.add(Kind::undeclared, expr->span, text(expr->name_id));
      return true;
  }
  const isa::TypeInfo& type = isa::type_info(variable.type);
  const bool piece = tree_[id].kind == ExprKind::mask;
  if (!whole && !(piece && variable.type == isa::Type::u8)) {
    auto& diagnostic = report_.add(Kind::address_type, tree_[id].span, type.name);
    if (piece)
      diagnostic.help("bytes of an address initialise .u8");
    else if (type.bits == 8)
      diagnostic.help(fmt::format("0xff({}) is its lowest byte", text(expr->name_id)));
    return true;
  }
  if (whole && !piece && type.bits < module_->address_size)
    report_.add(Kind::address_too_wide, expr->span, module_->address_size, type.name);
  relocation.symbol = symbol.id;
  variable.relocations.push_back(relocation);
  if (variable.init.size() < offset + bytes) variable.init.resize(offset + bytes);
  return true;
}

void ModuleChecker::module_variable(const syntax::Variable& declared) {
  const std::string_view space = text(declared.space);
  if (space == "reg" || space == "sreg" || space == "local" || space == "param") {
    // Non-ABI modules: each function that names the variable has its own copy (the first PTX
    // versions had no calls that could share it).
    if (space == "param") {
      report_.add(Kind::param_at_module_scope, declared.span);
      return;
    }
    if (module_->version >= isa::PtxVersion{3, 0} && first_target().sm >= 20) {
      const u32 begin = declared.span.begin;  // all names of a statement have the same mistake
      report_
          .add(Kind::register_at_module_scope,
               Span{begin, begin + static_cast<u32>(space.size()) + 1}, space)
          .help("declare it inside the function that uses it");
    }
    if (type_of(declared) == isa::Type::none) {
      scopes_.declare(declared.name, {SymbolKind::error, 1, 0, declared.name_span});
      return;
    }
    module_register_of_[declared.name.value].push_back(static_cast<u32>(module_registers_.size()));
    module_registers_.push_back(&declared);
    return;
  }
  ir::Variable variable;
  if (!fill_variable(declared, variable)) {
    scopes_.declare(declared.name, {SymbolKind::error, 1, 0, declared.name_span});
    return;
  }
  for (const NameId name : names_of(declared)) {
    syntax::Variable one = declared;
    one.name = name;
    variable.name = text(name);
    add_variable(one, variable);
  }
}

/// N of `x<N>`. N may be 0: compilers write that, and the vendor's assembler accepts it.
u64 ModuleChecker::number_of_names(const syntax::Variable& declared) {
  constexpr u64 kMost = 0xffffffff;  // unused names cost nothing
  const auto count = evaluate(tree_, declared.count, report_);
  if (!count) return 0;
  if (count->bits > kMost)
    report_.add(Kind::constant_range, tree_[declared.count].span, count->bits, 0, kMost);
  return std::min(count->bits, kMost);
}

/// The names that a declaration introduces: `x<4>` stands for x0 to x3 (5.4.6), of which only the
/// names that occur in the text are returned.
std::vector<NameId> ModuleChecker::names_of(const syntax::Variable& declared) {
  if (!declared.count) return {declared.name};
  const u64 count = number_of_names(declared);
  const std::string_view base = text(declared.name);
  std::vector<NameId> names;
  if (count <= tree_.names.size()) {
    for (u64 n = 0; n < count; ++n) {
      if (const NameId id = tree_.names.find(fmt::format("{}{}", base, n))) names.push_back(id);
    }
    return names;
  }
  for (u32 i = 0; i < tree_.names.size(); ++i) {
    const std::string_view name = text(NameId(i));
    if (!name.starts_with(base)) continue;
    const std::string_view digits = name.substr(base.size());
    u64 number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    if (is_number && number < count && (digits.size() == 1 || digits[0] != '0'))
      names.emplace_back(i);
  }
  return names;
}

/// Several declarations of the same variable are allowed if at most one defines it (11.6.1).
void ModuleChecker::add_variable(const syntax::Variable& declared, ir::Variable variable) {
  const u32 id = static_cast<u32>(module_->variables.size());
  const auto before =
      scopes_.declare(declared.name, {SymbolKind::variable, 1, id, declared.name_span});
  if (!before) {
    module_->variables.push_back(std::move(variable));
    return;
  }
  if (before->kind == SymbolKind::variable) {
    ir::Variable& other = module_->variables[before->id];
    const bool one_extern =
        other.linkage == ir::Linkage::external || variable.linkage == ir::Linkage::external;
    if (one_extern && other.space == variable.space && other.type == variable.type) {
      if (other.linkage == ir::Linkage::external && variable.linkage == ir::Linkage::internal) {
        report_
            .add(Kind::different_linkage, declared.name_span, variable.name,
                 name_of(variable.linkage), name_of(other.linkage))
            .label(before->declared, "declared here");
      }
      if (other.linkage == ir::Linkage::external) other = std::move(variable);
      return;
    }
  }
  if (before->kind == SymbolKind::error) return;
  report_.add(Kind::redeclared, declared.name_span, text(declared.name))
      .label(before->declared, "first declared here");
}

}  // namespace heddle::check
