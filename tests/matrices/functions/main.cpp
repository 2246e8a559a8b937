// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_matrix_functions: the functions of matrix products (machine/warp_functions.h)
// against a scalar model, bit by bit. HEDDLE_CPU chooses the CPU level. Exit status 1 when an
// instruction differs.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/cpu_level.h"
#include "call.h"

namespace heddle::matrices {
namespace {

constexpr const char* kUsage =
    R"(usage: heddle_matrix_functions [--count N] [--only TEXT] [--seed N] [--part N OF]
       N elements of D of each instruction and device (default: 10000); only instructions whose
       name has TEXT; the Nth of OF parts
)";

struct Options {
  u64 count = 10000, seed = 1;
  u32 part = 0, parts = 1;
  std::string_view only;
};

/// A line of patterns.txt.
struct Row {
  u32 sm = 0;  ///< the first device that has it; 0: all compute it alike
  std::string pattern;
};
std::vector<Row> rows() {
  std::vector<Row> all;
  std::ifstream file(HEDDLE_MATRIX_PATTERNS);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string first;
    Row& row = all.emplace_back();
    words >> first >> row.pattern;
    if (first != "all") row.sm = static_cast<u32>(std::stoul(first));
  }
  return all;
}

/// Compares about `count` elements; false: one differs.
bool compare(const Instruction& instruction, const Device& device, const Options& options) {
  const isa::TensorCore core = core_of(device);
  const u32 size = instruction.m * instruction.n;
  const bool tensor = instruction.unit == Instruction::Unit::tcgen05;
  std::optional<Caller> caller;
  if (!tensor) caller.emplace(instruction);
  Random random(options.seed);
  u64 seen = 0;
  for (u64 tile = 0; seen < options.count || tile < 2 * kInputs; ++tile) {
    const auto inputs = static_cast<Inputs>(tile % kInputs);
    std::vector<Case> cases;
    std::vector<std::vector<u64>> wanted;
    for (u32 q = 0; q < instruction.products(); ++q) {
      cases.push_back(make_case(instruction, inputs, random));
      wanted.push_back(multiply(instruction, device, cases.back().operands));
    }
    const auto report = [&](std::string_view what) {
      fmt::print("{} on {}: tile {}, inputs {}: {}\n", instruction.mnemonic, device.name, tile,
                 static_cast<u32>(inputs), what);
      return false;
    };
    const auto got = tensor ? call_tensor(instruction, core, cases[0].operands, random)
                            : caller->call(core, cases, random);
    if (!got) return report("a register of an inactive lane has changed, or an access failed");
    for (const Caller::Result& one : *got) {
      const u64 want = wanted[one.product][one.row * instruction.n + one.column];
      if (one.code != want)
        return report(fmt::format("row {} column {}: {:#x}, should be {:#x}", one.row, one.column,
                                  one.code, want));
    }
    seen += u64{size} * instruction.products();
  }
  return true;
}

int run(const Options& options) {
  u32 instructions = 0, compared = 0, failed = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (const Row& row : rows()) {
    for (const std::string& mnemonic : expand(row.pattern)) {
      if (mnemonic.find(options.only) == mnemonic.npos) continue;
      if (instructions++ % options.parts != options.part) continue;
      Instruction instruction = find_instruction(mnemonic);
      if (instruction.unit == Instruction::Unit::wgmma) instruction.m = 16;  // of a warp
      for (const Device& device : devices()) {
        if (device.sm < row.sm || (row.sm == 0 && &device != &devices().back())) continue;
        ++compared;
        failed += compare(instruction, device, options) ? 0 : 1;
      }
    }
  }
  constexpr const char* kLevels[] = {"baseline", "v3", "v4"};
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{}: {} instructions on their devices, {} elements each; {} differ; {:.1f} s\n",
             kLevels[static_cast<u32>(usable_cpu_level())], compared, options.count, failed,
             took.count());
  return failed != 0 || compared == 0 ? 1 : 0;
}

}  // namespace
}  // namespace heddle::matrices

int main(int argc, char** argv) {
  heddle::matrices::Options options;
  const auto number = [&](int at) { return std::strtoull(argv[at], nullptr, 10); };
  for (int at = 1; at < argc; ++at) {
    const std::string_view name = argv[at];
    if (name == "--count" && at + 1 < argc) {
      options.count = number(++at);
    } else if (name == "--seed" && at + 1 < argc) {
      options.seed = number(++at);
    } else if (name == "--only" && at + 1 < argc) {
      options.only = argv[++at];
    } else if (name == "--part" && at + 2 < argc) {
      options.part = static_cast<heddle::u32>(number(at + 1)) - 1;
      options.parts = static_cast<heddle::u32>(number(at + 2));
      at += 2;
    } else {
      fmt::print(stderr, "{}", heddle::matrices::kUsage);
      return 2;
    }
  }
  return heddle::matrices::run(options);
}
