// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The speed of the parser, in bytes of text per second, and the size of the tree.
#include <benchmark/benchmark.h>

#include "syntax/lexer.h"
#include "syntax/parser.h"
#include "syntax/printer.h"
#include "syntax/real_module.h"

namespace heddle::syntax {
namespace {

void set_bytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(shared_module().size()));
}

void bench_lex(benchmark::State& state) {
  for (auto _ : state) {
    diag::Source source("bench.ptx", shared_module());
    diag::Report report;
    Lexer lexer(source, report);
    std::size_t count = 0;
    while (lexer.next().kind != TokenKind::end) ++count;
    benchmark::DoNotOptimize(count);
  }
  set_bytes(state);
}
BENCHMARK(bench_lex)->Name("syntax/lex")->Unit(benchmark::kMillisecond);

std::size_t bytes_of(const Tree& tree) {
  const auto of = [](const auto& vector) { return vector.size() * sizeof(vector[0]); };
  return of(tree.stmts) + of(tree.exprs) + of(tree.expr_lists) + of(tree.instructions) +
         of(tree.variables) + of(tree.functions) + of(tree.directives) + of(tree.locs);
}

void bench_parse(benchmark::State& state) {
  std::size_t size = 0;
  for (auto _ : state) {
    diag::Source source("bench.ptx", shared_module());
    diag::Report report;
    const Tree tree = parse(source, report);
    if (report.has_errors()) state.SkipWithError("the module does not parse");
    size = bytes_of(tree);
  }
  set_bytes(state);
  state.counters["tree bytes per text byte"] =
      static_cast<double>(size) / static_cast<double>(shared_module().size());
}
BENCHMARK(bench_parse)->Name("syntax/parse")->Unit(benchmark::kMillisecond);

void bench_print(benchmark::State& state) {
  diag::Source source("bench.ptx", shared_module());
  diag::Report report;
  const Tree tree = parse(source, report);
  for (auto _ : state) benchmark::DoNotOptimize(print(tree));
  set_bytes(state);
}
BENCHMARK(bench_print)->Name("syntax/print")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::syntax
