// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialisers of .texref, .samplerref and .surfref variables (PTX ISA 5.3.1, 5.3.2): lists of
// members. Only a sampler's members have an effect. The others are properties of the memory that
// the host binds.
#include <algorithm>
#include <span>

#include "check/module_checker.h"

namespace heddle::check {

using diag::Kind;
using syntax::Expr;
using syntax::ExprId;
using syntax::ExprKind;

namespace {

using Names = std::span<const std::string_view>;
constexpr std::string_view kAddressModes[] = {"wrap", "mirror", "clamp_ogl", "clamp_to_edge",
                                              "clamp_to_border"};
constexpr std::string_view kFilters[] = {"nearest", "linear"};

/// A member, the names of its values, and the types of variables that have it.
struct Member {
  std::string_view name;
  Names values;  ///< none: numbers
  bool texture, sampler, surface;
};
constexpr Member kMembers[] = {
    {"width", {}, true, false, true},
    {"height", {}, true, false, true},
    {"depth", {}, true, false, true},
    {"channel_data_type", {}, true, false, true},
    {"channel_order", {}, true, false, true},
    {"normalized_coords", {}, true, false, false},
    {"force_unnormalized_coords", {}, false, true, false},
    {"filter_mode", kFilters, true, true, false},
    {"addr_mode_0", kAddressModes, true, true, false},
    {"addr_mode_1", kAddressModes, true, true, false},
    {"addr_mode_2", kAddressModes, true, true, false},
    {"array_size", {}, true, false, true},
    {"num_mipmap_levels", {}, true, false, false},
    {"num_samples", {}, true, false, false},
    {"memory_layout", {}, false, false, true},
};

bool has(const Member& member, isa::Type type) {
  return type == isa::Type::texref       ? member.texture
         : type == isa::Type::samplerref ? member.sampler
                                         : member.surface;
}

void set(isa::Sampler& sampler, std::string_view member, u64 value) {
  if (member == "normalized_coords")
    sampler.normalized = value != 0;
  else if (member == "force_unnormalized_coords")
    sampler.force_unnormalized = value != 0;
  else if (member == "filter_mode")
    sampler.filter = static_cast<isa::TextureFilter>(value);
  else if (member.starts_with("addr_mode_"))
    sampler.address[static_cast<std::size_t>(member.back() - '0')] =
        static_cast<isa::AddressMode>(value);
}

}  // namespace

std::optional<u64> ModuleChecker::value_of_member(ExprId id, std::string_view member,
                                                  std::span<const std::string_view> names) {
  const Expr& expr = tree_[id];
  if (expr.kind == ExprKind::name) {
    const auto at = std::ranges::find(names, text(expr.name_id));
    if (at != names.end()) return static_cast<u64>(at - names.begin());
  } else if (const auto constant = evaluate(tree_, id, report_)) {
    if (constant->is_integer() && (names.empty() || constant->bits < names.size()))
      return constant->bits;
  } else {
    return std::nullopt;
  }
  auto& diagnostic = report_.add(Kind::member_value, expr.span, member);
  if (names.empty())
    diagnostic.help("it is a number");
  else
    diagnostic.help(fmt::format("it is {}", fmt::join(names, ", ")));
  return std::nullopt;
}

void ModuleChecker::initialize_sampler(isa::Type type, ExprId list, isa::Sampler& sampler) {
  const std::string_view name = isa::type_info(type).name;
  for (u32 i = 0; i < tree_[list].list.count; ++i) {
    const Expr& expr = tree_[tree_.expr_lists[tree_[list].list.first + i]];
    if (expr.kind == ExprKind::error) continue;
    if (expr.kind != ExprKind::designated) {
      report_.add(Kind::opaque_initializer, expr.span, name);
      continue;
    }
    const std::string_view given = text(expr.field);
    const auto member = std::ranges::find_if(
        kMembers, [&](const Member& one) { return one.name == given && has(one, type); });
    if (member == std::end(kMembers)) {
      std::string all;
      for (const Member& one : kMembers) {
        if (has(one, type)) all += fmt::format("{}{}", all.empty() ? "" : ", ", one.name);
      }
      report_.add(Kind::opaque_member, expr.span, given, name).help("its members are " + all);
      continue;
    }
    if (const auto value = value_of_member(expr.child.a, given, member->values))
      set(sampler, given, *value);
  }
}

void ModuleChecker::initialize_opaque(const syntax::Variable& declared, ir::Variable& variable) {
  const Expr& init = tree_[declared.initializer];
  if (init.kind == ExprKind::error) return;
  if (init.kind != ExprKind::vector) {
    report_.add(Kind::opaque_initializer, init.span, isa::type_info(variable.type).name);
    return;
  }
  if (!variable.is_array) {
    initialize_sampler(variable.type, declared.initializer, variable.samplers.emplace_back());
    return;
  }
  for (u32 i = 0; i < init.list.count; ++i) {
    const ExprId element = tree_.expr_lists[init.list.first + i];
    if (tree_[element].kind == ExprKind::vector)
      initialize_sampler(variable.type, element, variable.samplers.emplace_back());
    else if (tree_[element].kind != ExprKind::error)
      report_.add(Kind::opaque_initializer, tree_[element].span,
                  isa::type_info(variable.type).name);
  }
}

}  // namespace heddle::check
