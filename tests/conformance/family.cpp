// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "family.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace heddle::conformance {
namespace {

constexpr u64 kChunk = 512;  // blocks that a thread takes at once
constexpr int kMostPrinted = 5;

}  // namespace

void Log::mismatch(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (printed_++ < kMostPrinted) fmt::print("  {}\n", text);
}

u64 run(const std::vector<Family>& families, unsigned threads) {
  u64 all_cases = 0, all_mismatches = 0;
  for (const Family& family : families) {
    Log log;
    std::atomic<u64> next = 0, cases = 0, mismatches = 0;
    const auto work = [&] {
      for (u64 first; (first = next.fetch_add(kChunk)) < family.blocks;) {
        const auto count = family.run(first, std::min(first + kChunk, family.blocks), log);
        cases += count.cases;
        mismatches += count.mismatches;
      }
    };
    std::vector<std::thread> pool;
    for (unsigned i = 1; i < threads; ++i) pool.emplace_back(work);
    work();
    for (std::thread& thread : pool) thread.join();
    fmt::print("{:<44}{:>14} cases {:>10} mismatches\n", family.name, cases.load(),
               mismatches.load());
    std::fflush(stdout);
    all_cases += cases;
    all_mismatches += mismatches;
  }
  fmt::print("{} families, {} cases, {} mismatches\n", families.size(), all_cases, all_mismatches);
  return all_mismatches;
}

std::string describe(const Instruction& instruction, std::string_view name, const Values* inputs,
                     u32 lane, u64 got, u64 expected) {
  std::string text(name);
  for (std::size_t i = 0; i < instruction.sources().size(); ++i) {
    text += fmt::format("{} 0x{:0{}x}", i ? "," : "", inputs[i][lane],
                        isa::type_info(instruction.sources()[i]).bits / 4);
  }
  const int digits = isa::type_info(instruction.result()).bits / 4;
  return text + fmt::format(": got 0x{:0{}x}, expected 0x{:0{}x}", got, digits, expected, digits);
}

}  // namespace heddle::conformance
