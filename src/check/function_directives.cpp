// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directives between the parameters of a function, kernel or prototype and its body: one table
// of rules for all of them (PTX ISA 11.3.3, 11.4, 11.7, 11.8); and strings of .pragma (12). Limits
// that the manual does not give are those of the vendor's assembler.
#include <algorithm>

#include "check/module_checker.h"

namespace heddle::check {

using diag::Kind;
using syntax::ExprId;
using syntax::FunctionKind;

namespace {

enum Of : u8 { kKernel = 1, kFunction = 2, kPrototype = 4 };

struct Rule {
  std::string_view name;
  u8 of;                        ///< the declarations on which it may stand
  bool on_declaration = false;  ///< allowed on a function without body, too
  bool repeats = true;
  u8 least_numbers = 0, most_numbers = 0;
  u64 least = 1, most = 0xffffffff;  ///< value of a number
};

// clang-format off
constexpr Rule kRules[] = {
    {.name = "maxntid", .of = kKernel, .least_numbers = 1, .most_numbers = 3},
    {.name = "reqntid", .of = kKernel, .least_numbers = 1, .most_numbers = 3},
    {.name = "maxnreg", .of = kKernel, .least_numbers = 1, .most_numbers = 1},
    {.name = "minnctapersm", .of = kKernel, .least_numbers = 1, .most_numbers = 1},
    {.name = "maxnctapersm", .of = kKernel, .least_numbers = 1, .most_numbers = 1},
    {.name = "reqnctapercluster", .of = kKernel, .least_numbers = 1, .most_numbers = 3},
    {.name = "explicitcluster", .of = kKernel},
    {.name = "maxclusterrank", .of = kKernel, .least_numbers = 1, .most_numbers = 1},
    {.name = "blocksareclusters", .of = kKernel},
    {.name = "pragma", .of = kKernel, .on_declaration = true},
    {.name = "unified", .of = kFunction, .on_declaration = true, .repeats = false, .least_numbers = 2, .most_numbers = 2,
     .least = 0, .most = ~u64{0}},
    {.name = "noreturn", .of = kFunction | kPrototype, .on_declaration = true, .repeats = false},
    {.name = "abi_preserve", .of = kFunction | kPrototype, .on_declaration = true, .repeats = false, .least_numbers = 1,
     .most_numbers = 1, .least = 0, .most = 255},
    {.name = "abi_preserve_control", .of = kFunction | kPrototype, .on_declaration = true, .repeats = false,
     .least_numbers = 1, .most_numbers = 1, .least = 0, .most = 11},
};
// clang-format on

const Rule* find_rule(std::string_view name) {
  const auto found = std::ranges::find(kRules, name, &Rule::name);
  return found == std::end(kRules) ? nullptr : found;
}

Of kind_of(const syntax::Function& declared) {
  switch (declared.kind) {
    case FunctionKind::entry:
      return kKernel;
    case FunctionKind::func:
      return kFunction;
    case FunctionKind::prototype:
      break;
  }
  return kPrototype;
}

std::string_view numbers_of(const Rule& rule) {
  if (rule.most_numbers == 0) return "no number";
  if (rule.least_numbers == 2) return "two numbers";
  return rule.most_numbers == 1 ? "one number" : "one to three numbers";
}

}  // namespace

bool ModuleChecker::has_directive(const syntax::Function& declared, std::string_view name) const {
  for (u32 i = 0; i < declared.directives.count; ++i) {
    if (text(tree_.directives[declared.directives.first + i].name) == name) return true;
  }
  return false;
}

std::optional<std::array<u64, 3>> ModuleChecker::function_directive(
    const syntax::Function& declared, u32 index) {
  const syntax::Directive& directive = tree_.directives[declared.directives.first + index];
  const std::string_view name = text(directive.name);
  const Rule* rule = find_rule(name);
  gate_directive("." + std::string(name), directive.span);
  if (!rule) {  // `.managed`
    report_.add(Kind::misplaced_attribute, directive.span, name, ".global variables");
    return std::nullopt;
  }
  const Of kind = kind_of(declared);
  if (name == "noreturn" && (kind == kKernel || declared.returns.count)) {
    report_.add(Kind::noreturn_function, directive.span);
    return std::nullopt;
  }
  if (!(rule->of & kind)) {
    report_.add(rule->of == kKernel ? Kind::kernel_directive : Kind::function_directive,
                directive.span, name);
    return std::nullopt;
  }
  if (kind != kPrototype && !declared.has_body && !rule->on_declaration) {
    report_.add(Kind::directive_without_body, directive.span, name);
    return std::nullopt;
  }
  for (u32 before = 0; before < index && !rule->repeats; ++before) {
    const syntax::Directive& other = tree_.directives[declared.directives.first + before];
    if (other.name != directive.name) continue;
    report_.add(Kind::repeated_header, directive.span).label(other.span, "the first one is here");
    return std::nullopt;
  }
  std::array<u64, 3> values{1, 1, 1};
  if (name == "pragma") {
    pragma(directive);
    return values;
  }
  const u32 count = directive.args.count;
  if (count < rule->least_numbers || count > rule->most_numbers) {
    report_.add(Kind::directive_arguments, directive.span, name, numbers_of(*rule));
    return std::nullopt;
  }
  for (u32 a = 0; a < count; ++a) {
    const ExprId arg = tree_.expr_lists[directive.args.first + a];
    const auto value = evaluate(tree_, arg, report_);
    if (!value) return std::nullopt;
    values[a] = value->bits;
    if (value->bits == 0 && rule->least == 1) {
      report_.add(Kind::not_positive, tree_[arg].span, fmt::format(".{}", name));
      return std::nullopt;
    }
    if (value->bits > rule->most) {
      report_.add(Kind::constant_range, tree_[arg].span, value->bits, rule->least, rule->most);
      return std::nullopt;
    }
  }
  return values;
}

/// The assembler interprets the strings (11.4.7). Strings that the manual describes have gates,
/// allowed places and arguments (12). Other strings are ignored: they are for other tools.
void ModuleChecker::pragma(const syntax::Directive& directive) {
  for (u32 i = 0; i < directive.args.count; ++i) {
    const syntax::Expr& string = tree_[tree_.expr_lists[directive.args.first + i]];
    const std::string_view written = text(string.name_id);
    const std::string_view word = written.substr(0, written.find(' '));
    const isa::Entry* entry = isa::find_pragma(word);
    if (!entry) continue;
    const std::string name = fmt::format(".pragma \"{}\"", word);
    gate(entry->gates, name, string.span);
    if (word == "nounroll") continue;  // allowed in a module, a kernel and a loop
    if (!in_function_) report_.add(Kind::outside_function, string.span, name);
    if (word == "enable_smem_spilling") continue;
    std::string_view number = written.substr(std::min(word.size() + 1, written.size()));
    const bool is_hexadecimal = number.starts_with("0x") || number.starts_with("0X");
    if (is_hexadecimal) number.remove_prefix(2);
    const bool is_number = number.find_first_not_of(is_hexadecimal ? "0123456789abcdefABCDEF"
                                                                   : "0123456789") == number.npos;
    if (!is_number || number.find_first_not_of('0') == number.npos)
      report_.add(Kind::directive_arguments, string.span, name.substr(1), "one positive number");
  }
}

void ModuleChecker::prototype_directives(const syntax::Function& declared) {
  for (u32 i = 0; i < declared.directives.count; ++i) function_directive(declared, i);
}

void ModuleChecker::function_directives(const syntax::Function& declared, ir::Function& function) {
  for (u32 i = 0; i < declared.directives.count; ++i) {
    const auto values = function_directive(declared, i);
    if (!values) continue;
    const syntax::Directive& directive = tree_.directives[declared.directives.first + i];
    const std::string_view name = text(directive.name);
    const std::array<u32, 3> sizes{static_cast<u32>((*values)[0]), static_cast<u32>((*values)[1]),
                                   static_cast<u32>((*values)[2])};
    if (name == "maxntid")
      function.max_ntid = sizes;
    else if (name == "reqntid")
      function.req_ntid = sizes;
    else if (name == "maxnreg")
      function.max_nreg = sizes[0];
    else if (name == "minnctapersm")
      function.min_nctapersm = sizes[0];
    else if (name == "maxnctapersm")
      function.max_nctapersm = sizes[0];
    else if (name == "reqnctapercluster")
      function.req_nctapercluster = sizes;
    else if (name == "explicitcluster")
      function.explicit_cluster = true;
    else if (name == "blocksareclusters")
      function.blocks_are_clusters = true;
    else if (name == "maxclusterrank")
      function.max_clusterrank = sizes[0];
    else if (name == "noreturn")
      function.noreturn = true;
    if (name != "pragma") continue;
    for (u32 a = 0; a < directive.args.count; ++a)
      function.pragmas.emplace_back(
          text(tree_[tree_.expr_lists[directive.args.first + a]].name_id));
  }
  if (function.max_clusterrank && function.req_nctapercluster[0])
    report_.add(Kind::cluster_directives, declared.name_span);
  if (function.max_ntid[0] && function.req_ntid[0])
    report_.add(Kind::maxntid_and_reqntid, declared.name_span);
  if (function.blocks_are_clusters && !(function.req_ntid[0] && function.req_nctapercluster[0]))
    report_.add(Kind::blocks_are_clusters, declared.name_span);
}

bool ModuleChecker::same_abi_preserve(const syntax::Function& declared) {
  std::vector<std::pair<std::string_view, u64>> numbers;
  for (u32 i = 0; i < declared.directives.count; ++i) {
    const syntax::Directive& directive = tree_.directives[declared.directives.first + i];
    const std::string_view name = text(directive.name);
    if (!name.starts_with("abi_preserve") || !directive.args.count) continue;
    numbers.emplace_back(name, tree_[tree_.expr_lists[directive.args.first]].value);
  }
  std::ranges::sort(numbers);
  const auto [before, is_first] = abi_preserve_.try_emplace(declared.name.value, numbers);
  return is_first || before->second == numbers;
}

}  // namespace heddle::check
