// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measurements, as a table for people and as JSON (scripts/bench_chart.py).
#pragma once

#include <string>
#include <vector>

namespace heddle::bench {

struct Measured {
  std::string engine;
  std::string instead;  ///< why there are no times
  double first = 0;     ///< seconds of the first run, compilation included
  double seconds = 0;   ///< of a run, with all threads: the median over the rounds
  double ratio = 0;     ///< to native: the median of the rounds' ratios
  double speedup = 0;   ///< over one thread, likewise; 0: not measured
};

struct Row {
  std::string job, work;
  std::vector<Measured> engines;
};

/// A line of the table; the engines are those of every row.
std::string heading(const std::vector<std::string>& engines, int threads);
std::string line(const Row& row);

struct Conditions {
  int rounds, threads;
  bool little;
  double load;  ///< of the machine, before
};
bool write_json(const std::string& path, const Conditions& conditions,
                const std::vector<Row>& rows);

}  // namespace heddle::bench
