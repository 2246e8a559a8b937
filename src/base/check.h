// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_CHECK guards invariants that only a bug in Heddle can break; it stays on in release
// builds. A user's mistake never ends here: it becomes a diagnostic, a Trap or an Error.
#pragma once

namespace heddle {

/// Prints the broken invariant, this thread's WorkingOn texts, and how to report the bug; aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

/// While alive, names to `check_failed` the kernel or file that this thread works on. Nests.
class WorkingOn {
 public:
  explicit WorkingOn(const char* what);
  ~WorkingOn();
  WorkingOn(const WorkingOn&) = delete;
  WorkingOn& operator=(const WorkingOn&) = delete;

 private:
  const char* previous_;
};

}  // namespace heddle

#define HEDDLE_CHECK(condition) \
  (static_cast<bool>(condition) ? (void)0 : ::heddle::check_failed(#condition, __FILE__, __LINE__))
#define HEDDLE_UNREACHABLE() ::heddle::check_failed("unreachable", __FILE__, __LINE__)
