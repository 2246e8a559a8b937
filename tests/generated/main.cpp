// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_generated: tests that kernels generated from the instruction tables leave the same memory
// under every schedule. Each kernel is checked, run under the fast schedule and under pseudo-random
// ones (machine/schedule.h), and its memory is compared byte by byte. --digest: prints a digest of
// the memory of all kernels, to compare builds and processors. Exit status: 0 when all agree, 1
// when one does not, 2 for wrong usage.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/check.h"
#include "coverage.h"
#include "engine/engine.h"
#include "generate.h"
#include "runner.h"
#include "shrink.h"

namespace heddle::generated {
namespace {

struct Options {
  u64 first = 0, count = 1000, schedules = 20;
  u64 time_limit = 30;  ///< seconds, for one run
  std::string folder = ".";
  bool coverage = false, print = false, shrink = true, digest = false;
};

/// The failure of a kernel, and the schedule that shows it.
struct Failure {
  enum class Kind : u8 { rejected, failed, differs } kind;
  std::optional<u64> schedule;
  std::string what;
};

constexpr u32 kShrinkTries = 600;
constexpr u64 kMostFailures = 20;

class Examiner {
 public:
  explicit Examiner(const Options& options)
      : options_(options), memory_(*machine::Memory::create(u64{1} << 30)) {}

  /// Runs the kernel under the fast schedule and `schedules` others from seed `first` on.
  std::optional<Failure> examine(const Kernel& kernel, u64 first, u64 schedules) {
    const Prepared prepared(*memory_, *engine_, kernel);
    if (!prepared.refusal().empty())
      return Failure{Failure::Kind::rejected, {}, prepared.refusal()};
    const double limit = static_cast<double>(options_.time_limit);
    const Outcome expected = prepared.run(std::nullopt, limit);
    digest(expected);
    if (!expected.failure.empty()) return Failure{Failure::Kind::failed, {}, expected.failure};
    for (u64 schedule = first; schedule < first + schedules; ++schedule) {
      const Outcome got = prepared.run(schedule, limit);
      if (got != expected)
        return Failure{Failure::Kind::differs, schedule, difference(kernel, expected, got)};
    }
    return std::nullopt;
  }

  /// A kernel with fewer statements that fails in the same way, possibly under another schedule.
  Kernel smaller(const Kernel& kernel, const Failure& failure) {
    const u64 schedules = failure.schedule ? 5 : 0;
    return shrink(
        kernel,
        [&](const Kernel& one) {
          const auto found = examine(one, failure.schedule.value_or(0), schedules);
          return found && found->kind == failure.kind;
        },
        kShrinkTries);
  }

  /// The digest of the memory of all kernels under the fast schedule.
  u64 digest() const { return digest_; }

  void report(const Kernel& kernel, const Failure& failure) {
    const std::string path = fmt::format("{}/generated-{}.ptx", options_.folder, kernel.seed);
    const Kernel shown = options_.shrink ? smaller(kernel, failure) : kernel;
    std::ofstream(path) << shown.text();
    const std::string order =
        failure.schedule ? fmt::format(", schedule seed:{}", *failure.schedule) : "";
    const char* const kinds[] = {"is rejected", "fails", "differs"};
    fmt::print("seed {}{}: {}: {}\n  see {}\n", kernel.seed, order,
               kinds[static_cast<int>(failure.kind)], failure.what, path);
    std::fflush(stdout);
  }

 private:
  void digest(const Outcome& outcome) {  // FNV-1a
    for (const std::vector<u8>& buffer : outcome.memory) {
      for (const u8 byte : buffer) digest_ = (digest_ ^ byte) * 0x100000001b3;
    }
  }

  const Options& options_;
  u64 digest_ = 0xcbf29ce484222325;
  std::unique_ptr<machine::Memory> memory_;
  const std::unique_ptr<machine::Engine> engine_ = engine::make_engine();
};

int run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Examiner examiner(options);
  Coverage coverage;
  u64 failures = 0, done = 0;
  for (; done < options.count && failures < kMostFailures; ++done) {
    const Kernel kernel = generate(options.first + done);
    if (options.print) {
      fmt::print("{}", kernel.text());
      continue;
    }
    if (options.coverage) coverage.add(kernel);
    if (const auto failure = examiner.examine(kernel, 0, options.schedules)) {
      ++failures;
      examiner.report(kernel, *failure);
    }
  }
  if (options.print) return 0;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print(
      "{} kernels from seed {} on, each in the fast order and {} others: {} failed{}; {:.1f} s\n",
      done, options.first, options.schedules, failures,
      done < options.count ? ", the rest was not run" : "", seconds.count());
  if (options.coverage) fmt::print("{}", coverage.report());
  if (options.digest) fmt::print("digest {:016x}\n", examiner.digest());
  return failures == 0 && done > 0 ? 0 : 1;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto number = [&](u64& value) {
      if (++i == argc) return false;
      const char* const end = argv[i] + std::strlen(argv[i]);
      const auto parsed = std::from_chars(argv[i], end, value);
      return parsed.ec == std::errc() && parsed.ptr == end;
    };
    bool good = true;
    if (argument == "--count") {
      good = number(options.count);
    } else if (argument == "--first") {
      good = number(options.first);
    } else if (argument == "--schedules") {
      good = number(options.schedules);
    } else if (argument == "--time-limit") {
      good = number(options.time_limit);
    } else if (argument == "--print") {
      good = number(options.first);
      options.count = 1;
      options.print = true;
    } else if (argument == "--out" && i + 1 < argc) {
      options.folder = argv[++i];
      std::error_code failed;
      std::filesystem::create_directories(options.folder, failed);
      good = std::filesystem::is_directory(options.folder, failed);
    } else if (argument == "--coverage") {
      options.coverage = true;
    } else if (argument == "--digest") {
      options.digest = true;
    } else if (argument == "--no-shrink") {
      options.shrink = false;
    } else {
      good = false;
    }
    if (!good) return false;
  }
  return true;
}

}  // namespace
}  // namespace heddle::generated

int main(int argc, char** argv) {
  heddle::generated::Options options;
  if (!heddle::generated::parse(argc, argv, options)) {
    fmt::print(
        stderr,
        "usage: heddle_generated [--count N] [--first SEED] [--schedules N] [--time-limit S]\n"
        "                        [--out FOLDER] [--no-shrink] [--coverage] [--digest]\n"
        "                        [--print SEED]\n");
    return 2;
  }
  return heddle::generated::run(options);
}
