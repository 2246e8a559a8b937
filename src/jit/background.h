// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that compiles beside running kernels, and how compilations end when the process does.
//
// The process ends whenever it likes: exit() runs the destructors of LLVM's library while threads
// may be in it. So a handler of atexit, which comes before those destructors, has compilations
// end: the thread in the background stops for good between two passes, others finish, and none
// begins any more.
#pragma once

#include <functional>

namespace heddle::jit {

/// Runs `work` soon, one after the other, on the thread that is for this.
void in_background(std::function<void()> work);

/// Waits until nothing is left to do. For tests.
void wait_for_background();

/// While alive, and if it may, the thread compiles.
class Compilation {
 public:
  Compilation();
  ~Compilation();
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  explicit operator bool() const { return may_; }

 private:
  bool may_;
};

/// To be called when the compiler's library has been loaded.
void end_compilations_at_exit();

/// In a compilation, between two steps, with no lock held. On the thread in the background it does
/// not return when the process ends.
void may_end_here();

}  // namespace heddle::jit
