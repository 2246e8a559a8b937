// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_litmus FILE...: runs litmus tests in every place, state space and scope, on the host's
// threads and under pseudo-random schedules. A forbidden outcome fails; weak ones are reported.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstring>

#include "check/check.h"
#include "interp/program.h"
#include "litmus.h"
#include "machine/launch.h"

namespace heddle::litmus {
namespace {

struct Options {
  std::vector<std::string> files;
  u32 runs = 10, rounds = 64;
  u64 seed = 0;
  std::string only;
  bool histogram = false, print = false;
};

using Histogram = std::map<std::vector<u64>, u64>;

class Runner {
 public:
  explicit Runner(const Options& options)
      : options_(options), profile_(*machine::find_profile("")) {
    auto memory = machine::Memory::create(u64{1} << 30);
    HEDDLE_CHECK(memory.ok());
    memory_ = std::move(*memory);
  }

  /// Runs all variants of the test.
  void run(const Test& test) {
    Histogram on_threads, in_schedules;
    std::vector<std::string> names;
    u64 variants = 0;
    for (const Kernel& kernel : kernels(test, options_.rounds)) {
      ++variants;
      names = kernel.names;
      if (options_.print) fmt::print("// {}\n{}\n", describe(test, kernel), kernel.text);
      if (!options_.print && !run(test, kernel, on_threads, in_schedules)) break;
    }
    if (options_.print) return;
    u64 count = 0;
    for (const auto* histogram : {&on_threads, &in_schedules}) {
      for (const auto& [values, times] : *histogram) count += times;
    }
    total_ += count;
    variants_ += variants;
    fmt::print("{:<24} {:>4} variants {:>10} runs  {}\n", test.name, variants, count, test.title);
    for (const Outcome& outcome : test.weak) {
      fmt::print(
          "    allowed, and not of any interleaving: {}: {} on host threads, {} in schedules\n",
          print(outcome), times(outcome, names, on_threads), times(outcome, names, in_schedules));
    }
    if (!options_.histogram) return;
    Histogram all = on_threads;
    for (const auto& [values, times] : in_schedules) all[values] += times;
    for (const auto& [values, times] : all)
      fmt::print("    {:>10}  {}\n", times, print(names, values));
  }

  int finish() const {
    fmt::print("{} variants, {} runs, {} failed\n", variants_, total_, failed_);
    return failed_ || !total_ ? 1 : 0;
  }
  bool print_only() const { return options_.print; }

 private:
  static std::string describe(const Test& test, const Kernel& kernel) {
    const Variant& v = kernel.variant;
    return fmt::format("{}: {}{}{}, threads of one {}, variables {}, scope {}", test.where,
                       test.name, v.choice.empty() ? "" : " ", v.choice, v.place, v.space, v.scope);
  }
  static std::string print(const std::vector<std::string>& names, const std::vector<u64>& values) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
      text += fmt::format("{}{}={}", i ? " " : "", names[i], values[i]);
    return text;
  }
  static std::string print(const Outcome& outcome) { return litmus::print(outcome); }
  static u64 times(const Outcome& outcome, const std::vector<std::string>& names,
                   const Histogram& histogram) {
    u64 count = 0;
    for (const auto& [values, times] : histogram)
      count += holds(outcome, names, values) ? times : 0;
    return count;
  }

  /// False: the kernel does not run.
  bool run(const Test& test, const Kernel& kernel, Histogram& on_threads, Histogram& in_schedules) {
    const auto fail = [&](const std::string& why) {
      fmt::print("{}\n  {}\n", describe(test, kernel), why);
      ++failed_;
      return false;
    };
    const check::Compiled compiled = check::compile({{test.name, kernel.text}});
    if (!compiled.module) return fail(compiled.messages());
    const auto loaded = machine::Loaded::create(*memory_, compiled.module);
    if (!loaded.ok()) return fail(loaded.error().message);
    const auto program = interpreter_.prepare(*loaded, ir::FunctionId(std::size_t{0}));
    if (!program.ok()) return fail(program.error().message);
    for (u32 i = 0; i < options_.runs; ++i) {
      for (const bool scheduled : {false, true}) {
        machine::LaunchConfig config;
        if (scheduled) config.schedule = options_.seed + i;
        Histogram found;
        const std::string how =
            scheduled ? fmt::format("under --seed {}", *config.schedule) : "on host threads";
        const std::string why = launch(kernel, **program, **loaded, config, found);
        if (!why.empty()) return fail(how + ": " + why);
        if (scheduled && i == 0) {
          Histogram again;
          (void)launch(kernel, **program, **loaded, config, again);
          if (again != found) return fail(how + ": the second time it ends differently");
        }
        for (const auto& [values, times] : found) {
          (scheduled ? in_schedules : on_threads)[values] += times;
          if (const std::string rule = broken(test, kernel, values); !rule.empty())
            return fail(fmt::format("{}: {} times {}, which is {}", how, times,
                                    print(kernel.names, values), rule));
        }
      }
    }
    return true;
  }

  static std::string broken(const Test& test, const Kernel& kernel,
                            const std::vector<u64>& values) {
    for (const Outcome& outcome : test.forbidden) {
      if (holds(outcome, kernel.names, values)) return "forbidden: " + print(outcome);
    }
    for (const Outcome& outcome : test.only) {
      if (holds(outcome, kernel.names, values)) return {};
    }
    return test.only.empty() ? "" : "none of what the test allows";
  }

  /// Why it failed, or an empty string.
  std::string launch(const Kernel& kernel, const machine::Program& program,
                     const machine::Loaded& loaded, machine::LaunchConfig& config,
                     Histogram& found) {
    const u64 rows = kernel.names.size();
    const u64 bytes[] = {rows * kernel.instances * 8, kernel.memory_bytes, 4};
    u64 places[3];
    for (u32 i = 0; i < 3; ++i) {
      const auto place = memory_->allocate(std::max<u64>(bytes[i], 1), 256, false);
      if (!place.ok()) return place.error().message;
      places[i] = *place;
      std::memset(reinterpret_cast<void*>(places[i]), 0, bytes[i]);
    }
    config.grid = {kernel.grid, 1, 1};
    config.block = {kernel.block, 1, 1};
    config.cluster = machine::Dim3{kernel.cluster, 1, 1};
    config.large_clusters = true;
    config.time_limit = 60;
    // With more CTAs than host threads, a cooperative launch has short time slices.
    config.cooperative = kernel.grid / kernel.cluster > machine::worker_count();
    config.params.resize(sizeof places);
    std::memcpy(config.params.data(), places, sizeof places);
    const auto result =
        machine::launch(profile_, program, loaded, ir::FunctionId(std::size_t{0}), config);
    const u64* const out = reinterpret_cast<const u64*>(places[0]);
    for (u64 i = 0; i < kernel.instances; ++i) {
      std::vector<u64> values(rows);
      for (u64 row = 0; row < rows; ++row) values[row] = out[row * kernel.instances + i];
      ++found[values];
    }
    for (const u64 place : places) memory_->release(place);
    if (const auto* trap = std::get_if<machine::Trap>(&result)) return machine::describe(*trap);
    if (const auto* error = std::get_if<machine::LaunchError>(&result)) return error->message;
    return {};
  }

  const Options& options_;
  const machine::Profile& profile_;
  std::unique_ptr<machine::Memory> memory_;
  interp::Interpreter interpreter_;
  u64 total_ = 0, variants_ = 0, failed_ = 0;
};

int run(const Options& options) {
  Runner runner(options);
  for (const std::string& file : options.files) {
    const auto tests = read_tests(file);
    if (!tests.ok()) {
      fmt::print(stderr, "{}\n", tests.error().message);
      return 2;
    }
    for (const Test& test : *tests) {
      if (test.name.find(options.only) != std::string::npos) runner.run(test);
      std::fflush(stdout);
    }
  }
  return runner.print_only() ? 0 : runner.finish();
}

}  // namespace
}  // namespace heddle::litmus

int main(int argc, char** argv) {
  heddle::litmus::Options options;
  CLI::App app("Litmus tests of the memory consistency model (PTX ISA 8)");
  app.add_option("FILE", options.files, "Tables of tests")->required();
  app.add_option("--runs", options.runs,
                 "Launches of each variant on host threads, and seeds of schedules");
  app.add_option("--rounds", options.rounds, "Rounds of a launch: meetings of each set of threads");
  app.add_option("--seed", options.seed, "The first seed");
  app.add_option("--only", options.only, "Tests with this in their name");
  app.add_flag("--histogram", options.histogram, "Print how often each outcome was seen");
  app.add_flag("--print", options.print, "Print the kernels, run nothing");
  CLI11_PARSE(app, argc, argv);
  return heddle::litmus::run(options);
}
