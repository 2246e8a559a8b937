// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process of one engine. Each engine needs its own process, because the driver reads its
// environment once. The process answers commands, one line each:
//   check JOB    prepares and runs it once, and compares with native code: "ok SECONDS" of that run
//   prepare JOB  "ok"
//   run TIMES    "ok SECONDS" of one run
// or "no REASON".
#pragma once

#include <string>

namespace heddle::bench {

/// Answers commands until the end of stdin.
int serve(const std::string& engine, int threads, bool little);

}  // namespace heddle::bench
