// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Litmus tests of the memory consistency model (PTX ISA 8): a few threads with a few instructions
// each, and the forbidden outcomes. README.md describes the notation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace heddle::litmus {

/// A condition on a register, `r0=1`, or on the final value of a variable, `x!=2`.
struct Condition {
  std::string name;
  bool equal;
  u64 value;
};
/// An outcome: all conditions hold.
using Outcome = std::vector<Condition>;

/// `for $W in weak relaxed`: the test is run with each of the words.
struct Choice {
  std::string name;
  std::vector<std::string> words;
};

struct Test {
  std::string where;  ///< file:line
  std::string name, title;
  std::vector<std::vector<std::string>> threads;  ///< the instructions of each
  std::vector<Outcome> forbidden, weak, only;
  std::vector<Choice> choices;
  std::vector<std::string> places, spaces, scopes;  ///< empty: all that make sense
  std::map<std::string, u32> barriers;              ///< barrier objects and their counts
  u32 slot = 4;                                     ///< bytes of a variable
};

Result<std::vector<Test>> read_tests(const std::string& path);

/// One way to run a test.
struct Variant {
  std::string place;   ///< the placement of its threads: warp, cta, cluster, grid, split
  std::string space;   ///< the state space of its variables, and the addressing mode
  std::string scope;   ///< for instructions without a scope; empty: there are no such instructions
  std::string choice;  ///< "W=weak"
};

/// A test in one variant as a kernel that runs it many times.
struct Kernel {
  Variant variant;
  std::string text;
  u32 grid, cluster, block;
  u64 instances;                   ///< the number of runs of the test per launch
  u64 memory_bytes;                ///< of the variables, when they are in global memory
  std::vector<std::string> names;  ///< of the results: the u64 numbers [name][instance]
};

/// Every variant of the test. `rounds`: the greatest number of rounds of each set of threads.
std::vector<Kernel> kernels(const Test& test, u32 rounds);

bool holds(const Outcome& outcome, const std::vector<std::string>& names,
           const std::vector<u64>& values);
std::string print(const Outcome& outcome);

}  // namespace heddle::litmus
