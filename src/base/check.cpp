// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace heddle {
namespace {
thread_local const char* working_on = nullptr;
}

WorkingOn::WorkingOn(const char* what) : previous_(working_on) { working_on = what; }
WorkingOn::~WorkingOn() { working_on = previous_; }

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr,
               "heddle: internal error: %s\n  at %s:%d\n%s%s%s"
               "  this is a bug in Heddle; please report it with the PTX that led here\n",
               condition, file, line, working_on ? "  while working on " : "",
               working_on ? working_on : "", working_on ? "\n" : "");
  std::abort();
}

}  // namespace heddle
