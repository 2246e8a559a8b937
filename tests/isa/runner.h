// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds, runs and compares the kernels of cases on an engine.
#pragma once

#include <memory>
#include <set>
#include <span>

#include "jobs.h"
#include "machine/launch.h"

namespace heddle::isa_cases {

class Runner {
 public:
  explicit Runner(machine::Engine& engine);

  /// Prints kernels that do not build, trap or have wrong results.
  void run(const Batch& batch);

  std::size_t compared() const { return compared_; }  ///< registers
  const std::set<const Case*>& ran() const { return ran_; }
  const std::set<const Case*>& failed() const { return failed_; }

 private:
  void run(const Place& place, std::span<const Job> jobs);
  void run(const std::shared_ptr<const machine::Loaded>& loaded, const Job& job);
  void compare(const Job& job, u64 out);
  void compare_row(const Case& test, u64 out, std::string_view what, bool active);
  void fail(const Job& job, const std::string& messages);
  void fail(const Case& test, const std::string& why);

  machine::Engine& engine_;
  std::unique_ptr<machine::Memory> memory_;
  const machine::Profile& profile_;
  std::size_t compared_ = 0;
  std::set<const Case*> ran_, failed_;
};

}  // namespace heddle::isa_cases
