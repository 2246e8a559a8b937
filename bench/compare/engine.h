// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engines that run jobs: native code, Heddle through libcuda.so.1 (HEDDLE_ENGINE chooses its
// engine), pocl.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "jobs/job.h"

namespace heddle::bench {

class Engine {
 public:
  virtual ~Engine() = default;
  /// Prepares a job with the contents of its arrays, in place of the previous job. "", or the
  /// reason for a failure.
  virtual std::string prepare(const Job& job) = 0;
  /// Runs the job `times` times, one after the other, and waits for the last. "", or the reason for
  /// a failure.
  virtual std::string run(int times) = 0;
  virtual std::string read(int array, void* to) = 0;
};

std::unique_ptr<Engine> native_engine(int threads);
std::unique_ptr<Engine> cuda_engine();
/// Null if pocl is not installed.
std::unique_ptr<Engine> pocl_engine();

/// The engine of that name: native, jit, interp or pocl; or null.
std::unique_ptr<Engine> make_engine(std::string_view name, int threads);

}  // namespace heddle::bench
