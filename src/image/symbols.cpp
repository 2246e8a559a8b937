// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See symbols.h.
#include "image/symbols.h"

#include "syntax/parser.h"
#include "syntax/preprocess.h"

namespace heddle::image {
namespace {

void add(const syntax::Tree& tree, Symbols& symbols) {
  const auto external = tree.names.find("extern");
  const auto add = [&](auto name, bool is_definition) {
    (is_definition ? symbols.defined : symbols.needed).emplace(tree.names[name]);
  };
  std::set<NameId> own;  // names that are local to this text
  for (const auto& variable : tree.variables) {
    if (variable.linkage) add(variable.name, variable.linkage != external);
  }
  for (const auto& function : tree.functions) {
    if (function.kind == syntax::FunctionKind::prototype || !function.name) continue;
    if (function.has_body && !function.linkage) {
      own.insert(function.name);
      continue;
    }
    // A function without a body is a declaration, also without .extern.
    add(function.name, function.has_body);
    symbols.has_kernel |= function.has_body && function.kind == syntax::FunctionKind::entry;
  }
  for (const auto& alias : tree.aliases) add(alias.alias.name, true);
  for (const auto name : own) symbols.needed.erase(std::string(tree.names[name]));
}

}  // namespace

Symbols symbols_of(std::span<const PtxText> texts) {
  Symbols symbols;
  for (const auto& each : texts) {
    auto source = syntax::preprocess(diag::Source(each.name, each.text));
    if (!source.ok()) continue;
    diag::Report report;
    add(syntax::parse(*source, report), symbols);
  }
  for (const auto& name : symbols.defined) symbols.needed.erase(name);
  return symbols;
}

}  // namespace heddle::image
