// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The speed of `heddle check` on a module of 10 MB, in bytes of text per second, on one core: the
// checker alone, all phases together, and the vendor's assembler for comparison.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>

#include "check/check.h"
#include "syntax/parser.h"
#include "syntax/preprocess.h"
#include "syntax/real_module.h"

extern char** environ;

namespace heddle::check {
namespace {

using syntax::shared_module;

double seconds_of(const auto& job) {
  const auto begin = std::chrono::steady_clock::now();
  job();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void set_bytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(shared_module().size()));
}

void bench_check(benchmark::State& state) {
  diag::Source source("bench.ptx", shared_module());
  diag::Report report;
  const syntax::Tree tree = syntax::parse(source, report);
  for (auto _ : state) benchmark::DoNotOptimize(check(tree, source, report, Want::report));
  if (report.has_errors()) state.SkipWithError("the module has mistakes");
  set_bytes(state);
}
BENCHMARK(bench_check)->Name("check/check")->Unit(benchmark::kMillisecond);

/// Does the same steps as the command, with the text in a file.
bool check_file(const std::string& path) {
  const auto unit = check_input({path, *syntax::load_text(path)}, Want::report);
  return unit.ok() && !unit->report.has_errors();
}

/// A file with the module, as long as this lives.
class ModuleFile {
 public:
  ModuleFile() {
    const int file = mkstemp(path_);
    const std::string& text = shared_module();
    good_ = file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (file >= 0) close(file);
  }
  ~ModuleFile() { unlink(path_); }
  ModuleFile(const ModuleFile&) = delete;
  ModuleFile& operator=(const ModuleFile&) = delete;
  bool good() const { return good_; }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/heddle-bench-XXXXXX";
  bool good_ = false;
};

/// A line of /proc/self/status, in bytes: "VmHWM", the most memory so far, or "VmRSS".
double memory(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stod(line.substr(line.find(':') + 1)) * 1024;
  }
  return 0;
}

/// The peak of `job` above the memory before it.
double peak_of(const auto& job) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): resets the peak
  const double before = memory("VmRSS");
  job();
  return memory("VmHWM") - before;
}

void bench_whole(benchmark::State& state) {
  const ModuleFile file;
  if (!file.good()) return state.SkipWithError("cannot write the module to /tmp");
  bool good = true;
  const double peak = peak_of([&] { good = check_file(file.path()); });
  for (auto _ : state) good = good && check_file(file.path());
  if (!good) state.SkipWithError("the module has mistakes");
  set_bytes(state);
  state.counters["memory per text"] = peak / static_cast<double>(shared_module().size());
}
BENCHMARK(bench_whole)->Name("check/whole")->Unit(benchmark::kMillisecond);

/// Exit status 0 from `ptxas -O0`; none when there is no ptxas.
std::optional<bool> assemble(const char* path) {
  char* const argv[] = {const_cast<char*>("ptxas"), const_cast<char*>("-O0"),
                        const_cast<char*>("-arch"), const_cast<char*>("sm_75"),
                        const_cast<char*>("-o"),    const_cast<char*>("/dev/null"),
                        const_cast<char*>(path),    nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// ptxas cannot stop after its checks, so it runs with -O0. With thousands of functions that takes
/// minutes, so it runs once.
void bench_ptxas(benchmark::State& state) {
  const ModuleFile file;
  if (!file.good()) return state.SkipWithError("cannot write the module to /tmp");
  double ours = 1e9, theirs = 0;
  for (int i = 0; i < 5; ++i) ours = std::min(ours, seconds_of([&] { check_file(file.path()); }));
  for (auto _ : state) {
    std::optional<bool> accepted;
    theirs = seconds_of([&] { accepted = assemble(file.path()); });
    if (!accepted) return state.SkipWithError("skipped: there is no ptxas on PATH");
    if (!*accepted) return state.SkipWithError("ptxas does not accept the module for sm_75");
    state.SetIterationTime(theirs);
  }
  set_bytes(state);
  state.counters["times heddle check"] = theirs / ours;
}
BENCHMARK(bench_ptxas)
    ->Name("check/ptxas -O0")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::check
