// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_jobs_bench: runs the jobs on native code, Heddle's engines and pocl, one after the other
// in every round, so that other load of the machine affects all of them. Numbers are medians over
// the rounds, ratios medians of the rounds' ratios.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>

#include "compare/child.h"
#include "compare/report.h"
#include "compare/serve.h"
#include "jobs/job.h"

namespace {

using namespace heddle::bench;

struct Options {
  std::vector<std::string> names;
  std::vector<std::string> engines = {"native", "jit", "interp", "pocl"};
  int rounds = 9;
  int threads = static_cast<int>(std::min(2u, std::thread::hardware_concurrency()));
  bool little = false;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double median_ratio(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(of.size(), to.size()); ++i) ratios.push_back(of[i] / to[i]);
  return median(ratios);
}

/// A process that is timed, and its times in each round of the current job.
struct Runner {
  Runner(const std::string& name, int count, bool little)
      : engine(name), threads(count), child(name, count, little) {}

  // A round takes about 20 ms for each engine. Slow engines take part until they have used two
  // seconds.
  std::string prepare(const std::string& job, bool little) {
    seconds.clear();
    Answer answer = child.ask("prepare " + job);
    if (answer.ok) answer = child.ask("run 1");
    if (answer.ok && answer.seconds < 0.5) answer = child.ask("run 1");
    const double once = std::max(answer.seconds, 1e-9);
    times = static_cast<int>(std::clamp(std::ceil(little ? 1 : 0.02 / once), 1.0, 5000.0));
    rounds = static_cast<std::size_t>(std::max(1.0, 2 / once));
    return answer.reason;
  }
  std::string run() {
    if (seconds.size() == rounds) return "";
    usleep(2000);  // until the threads of the previous engine sleep
    const Answer answer = child.ask(fmt::format("run {}", times));
    if (answer.ok) seconds.push_back(answer.seconds);
    return answer.reason;
  }

  const std::string engine;
  const int threads;
  Child child;
  int times = 1;           ///< runs in a round
  std::size_t rounds = 0;  ///< at most
  std::vector<double> seconds;
};

class Comparison {
 public:
  explicit Comparison(const Options& options) : options_(options) {
    for (const std::string& engine : options.engines) {
      checks_[engine] = std::make_unique<Child>(engine, options.threads, options.little, true);
      runners_.push_back(std::make_unique<Runner>(engine, options.threads, options.little));
    }
    // The speed-up over one thread, measured only if that does not take too long.
    for (const std::string& engine : options.engines) {
      if (options.threads > 1 && !options.little && (engine == "native" || engine == "jit")) {
        runners_.push_back(std::make_unique<Runner>(engine, 1, options.little));
      }
    }
  }

  Row measure(const Entry& job) {
    Row row{job.name, job.work, {}};
    for (const std::string& engine : options_.engines) row.engines.push_back(check(engine, job));
    const auto of = [&](const std::string& engine) -> Measured& {
      return *std::find_if(row.engines.begin(), row.engines.end(),
                           [&](const Measured& m) { return m.engine == engine; });
    };
    const auto each = [&](auto act) {
      for (const auto& runner : runners_) {
        std::string& instead = of(runner->engine).instead;
        if (!instead.empty()) continue;
        instead = act(*runner);
        if (!instead.empty()) complain(job, runner->engine, instead);
      }
    };
    each([&](Runner& runner) { return runner.prepare(job.name, options_.little); });
    for (int round = 0; round < options_.rounds; ++round) {
      each([](Runner& runner) { return runner.run(); });
    }
    for (Measured& measured : row.engines) {
      if (!measured.instead.empty()) continue;
      const std::vector<double>& seconds = times(measured.engine, options_.threads);
      measured.seconds = median(seconds);
      measured.ratio = median_ratio(seconds, times("native", options_.threads));
      measured.speedup =
          options_.threads > 1 ? median_ratio(times(measured.engine, 1), seconds) : 0;
    }
    return row;
  }

  bool all_right() const { return all_right_; }

 private:
  // Checks the job's result, and that the JIT compiled the kernels.
  Measured check(const std::string& engine, const Entry& job) {
    Child& child = *checks_.at(engine);
    const Answer answer = child.ask(fmt::format("check {}", job.name));
    Measured measured{engine, answer.reason, answer.seconds};
    const std::string ran = child.engine_of_launches();
    if (answer.ok && engine == "jit" && ran != "jit") measured.instead = "interpreter";
    if (!answer.ok) complain(job, engine, answer.reason);
    return measured;
  }

  // pocl may lack a feature that a job needs, or be absent.
  void complain(const Entry& job, const std::string& engine, const std::string& reason) {
    if (engine == "pocl") return;
    fmt::print(stderr, "{}: {}: {}\n", job.name, engine, reason);
    all_right_ = false;
  }

  const std::vector<double>& times(const std::string& engine, int threads) const {
    static const std::vector<double> none;
    for (const auto& runner : runners_) {
      if (runner->engine == engine && runner->threads == threads) return runner->seconds;
    }
    return none;
  }

  const Options& options_;
  std::map<std::string, std::unique_ptr<Child>> checks_;
  std::vector<std::unique_ptr<Runner>> runners_;
  bool all_right_ = true;
};

bool wanted(const Options& options, const char* name) {
  const auto begins = [&](const std::string& text) { return std::string(name).starts_with(text); };
  return options.names.empty() || std::any_of(options.names.begin(), options.names.end(), begins);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::string json, served;
  CLI::App app("Kernels on Heddle, next to native code and pocl");
  app.add_option("NAME", options.names, "jobs, by how their names begin; without any, all");
  app.add_option("--rounds", options.rounds, "rounds, in each of which all engines take turns")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "host threads of each engine")
      ->check(CLI::Range(1, 64));
  app.add_option("--engines", options.engines, "of native, jit, interp and pocl")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"native", "jit", "interp", "pocl"}));
  app.add_option("--json", json, "file to write the numbers to; of several, the last")->take_last();
  app.add_flag("--little", options.little, "least sizes, and no numbers to trust: a test");
  app.add_option("--serve", served)->group("");
  CLI11_PARSE(app, argc, argv);
  if (!served.empty()) return serve(served, options.threads, options.little);

  signal(SIGPIPE, SIG_IGN);
  double load = 0;
  getloadavg(&load, 1);
  Comparison comparison(options);
  std::vector<Row> rows;
  for (const Entry& job : jobs()) {
    if (!wanted(options, job.name)) continue;
    if (rows.empty()) fmt::print("{}\n", heading(options.engines, options.threads));
    rows.push_back(comparison.measure(job));
    fmt::print("{}\n", line(rows.back()));
    std::fflush(stdout);
  }
  if (rows.empty()) fmt::print(stderr, "no job of that name\n");
  if (!json.empty() &&
      !write_json(json, {options.rounds, options.threads, options.little, load}, rows)) {
    fmt::print(stderr, "cannot write {}\n", json);
    return 1;
  }
  return rows.empty() || !comparison.all_right();
}
