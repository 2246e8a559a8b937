// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_conformance: compares the interpreter's floating-point results with MPFR and error bounds.
// Prints a line for each instruction; exit status 1 when one differs.
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <thread>

#include "family.h"
#include "interp/level.h"

namespace {

constexpr const char* kUsage =
    R"(usage: heddle_conformance [--quick] [--random N] [--spread N] [--only TEXT] [-j N]
  --quick      seconds instead of hours: few random inputs, samples of the approximate functions
  --random N   random inputs for each arithmetic instruction (default 100000000)
  --spread N   inputs for each approximate function, evenly spread (default: all 2^32)
  --only TEXT  instructions whose names hold TEXT, e.g. --only sqrt or --only .f64
  -j N         threads (default: all)
)";

bool parse(const char* text, auto& number) {
  const char* end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, number);
  return result.ec == std::errc{} && result.ptr == end && number > 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace heddle::conformance;
  Scale scale;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::string_view only;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    bool good = true;
    if (option == "--quick") {
      scale.random = 2000;
      scale.spread = 1 << 18;
    } else if (i + 1 == argc) {
      good = false;
    } else if (option == "--random") {
      good = parse(argv[++i], scale.random);
    } else if (option == "--spread") {
      good = parse(argv[++i], scale.spread);
    } else if (option == "--only") {
      only = argv[++i];
    } else if (option == "-j") {
      good = parse(argv[++i], threads);
    } else {
      good = false;
    }
    if (!good) {
      fmt::print(stderr, "{}", kUsage);
      return 2;
    }
  }
  std::vector<Family> wanted;
  for (const auto& families : {ieee_families(scale), conversion_families(scale),
                               narrow_families(scale), approximate_families(scale)}) {
    for (const Family& family : families) {
      if (family.name.find(only) != family.name.npos) wanted.push_back(family);
    }
  }
  fmt::print("CPU level {}, {} threads\n", heddle::interp::best_level().name, threads);
  return wanted.empty() || run(wanted, threads) ? 1 : 0;
}
