// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the module are renamed token by token; names that are declared in a function stay the
// same.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <set>

#include "base/check.h"
#include "syntax/lexer.h"
#include "syntax/parser.h"
#include "syntax/real_module.h"

namespace heddle::syntax {
namespace {

constexpr const char* kKernels[] = {"atomics", "bitonic",    "elementwise", "globals", "histogram",
                                    "int64",   "mandelbrot", "matmul",      "reduce",  "scan",
                                    "sha256",  "transpose",  "vote"};

/// The text of a module after its header, split where a number is inserted to make names unique.
std::vector<std::string> pieces_of(const std::string& path) {
  std::ifstream file(path);
  diag::Source source(path, std::string(std::istreambuf_iterator<char>(file), {}));
  diag::Report report;
  const Tree tree = parse(source, report);
  HEDDLE_CHECK(!tree.functions.empty() && !report.has_errors());
  std::set<std::string_view> names;
  for (const Function& function : tree.functions) names.insert(tree.names[function.name]);
  u32 depth = 0, header_end = 0;
  for (const Stmt& stmt : tree.stmts) {
    depth += stmt.kind == StmtKind::block_begin;
    depth -= stmt.kind == StmtKind::block_end;
    if (stmt.kind == StmtKind::address_size) header_end = stmt.span.end;
    if (stmt.kind == StmtKind::variable && depth == 0)
      names.insert(tree.names[tree.variables[stmt.data].name]);
  }
  std::vector<std::string> pieces;
  Lexer lexer(source, report);
  u32 cut = header_end;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (token.kind != TokenKind::name || !names.contains(lexer.text(token.span))) continue;
    pieces.emplace_back(lexer.text({cut, token.span.end}));
    cut = token.span.end;
  }
  pieces.emplace_back(source.text().substr(cut));
  return pieces;
}

}  // namespace

std::string real_module(std::size_t size) {
  std::vector<std::vector<std::string>> kernels;
  for (const char* name : kKernels)
    kernels.push_back(pieces_of(fmt::format(HEDDLE_SOURCE_DIR "/tests/kernels/ptx/{}.ptx", name)));
  std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n";
  for (unsigned copy = 0; text.size() < size; ++copy) {
    for (const std::vector<std::string>& pieces : kernels) {
      for (const std::string& piece : pieces) {
        text += piece;
        if (&piece != &pieces.back()) text += fmt::format("_{}", copy);
      }
    }
  }
  return text;
}

const std::string& shared_module() {
  static const std::string text = real_module(10'000'000);
  return text;
}

}  // namespace heddle::syntax
