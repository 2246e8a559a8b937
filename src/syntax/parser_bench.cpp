// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast text becomes a tree, in bytes of text per second, and how large the tree is.
#include <benchmark/benchmark.h>

#include "syntax/lexer.h"
#include "syntax/parser.h"
#include "syntax/printer.h"

namespace heddle::syntax {
namespace {

/// A module of about `size` bytes in the manner of nvcc: many functions, no two alike.
std::string module_of(std::size_t size) {
  std::string text = ".version 8.5\n.target sm_90\n.address_size 64\n\n";
  for (unsigned f = 0; text.size() < size; ++f) {
    text += fmt::format(
        ".visible .entry _Z6kernelIfLi{0}EEvPKfPfi(\n\t.param .u64 _Z6kernelIfLi{0}_param_0,\n"
        "\t.param .u64 _Z6kernelIfLi{0}_param_1\n)\n.maxntid 256, 1, 1\n{{\n"
        "\t.reg .pred \t%p<20>;\n\t.reg .f32 \t%f<400>;\n\t.reg .b32 \t%r<200>;\n"
        "\t.reg .b64 \t%rd<100>;\n\n\n\tld.param.u64 \t%rd1, [_Z6kernelIfLi{0}_param_0];\n"
        "\tmov.u32 \t%r1, %ctaid.x;\n\tmad.lo.s32 \t%r4, %r1, %r2, %r3;\n",
        f);
    for (unsigned i = 0; i < 40; ++i) {
      text += fmt::format(
          "\n$L__BB{0}_{1}:\n\t.loc\t1 {1} 12\n\tsetp.ge.s32 \t%p{1}, %r{2}, %r2;\n"
          "\t@%p{1} bra \t$L__BB{0}_{2};\n\tmul.wide.s32 \t%rd{2}, %r{1}, 4;\n"
          "\tadd.s64 \t%rd{1}, %rd1, %rd{2};\n\tld.global.nc.f32 \t%f{1}, [%rd{1}+{3}];\n"
          "\tfma.rn.f32 \t%f{2}, %f{1}, 0f3F800000, %f{1};\n"
          "\tst.shared.v2.f32 \t[%r{1}+8], {{%f{1}, %f{2}}};\n\tbar.sync \t0;\n",
          f, i, i + 1, i * 16);
    }
    text += "\tret;\n\n}\n";
  }
  return text;
}

const std::string& shared_module() {
  static const std::string text = module_of(8 << 20);
  return text;
}

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
