// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The client of serve.h: a process for one engine, started at the first command, and again after it
// died.
#pragma once

#include <string>

namespace heddle::bench {

struct Answer {
  bool ok = false;
  double seconds = 0;
  std::string reason;  ///< why the command failed
};

class Child {
 public:
  /// `traces`: keeps the driver's trace of launches.
  Child(std::string engine, int threads, bool little, bool traces = false);
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Answer ask(const std::string& command);
  /// Which of Heddle's engines ran all launches since the last call: "jit", "interp", "" if not the
  /// same.
  std::string engine_of_launches();

 private:
  void start();
  int end();

  const std::string engine_;
  const int threads_;
  const bool little_;
  int pid_ = -1;
  int to_ = -1, from_ = -1;
  int trace_ = -1;
};

}  // namespace heddle::bench
