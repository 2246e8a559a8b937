// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs a job: native code, Heddle through libcuda.so.1 (HEDDLE_ENGINE says which of its
// engines), pocl.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "jobs/job.h"

namespace heddle::bench {

class Engine {
 public:
  virtual ~Engine() = default;
  /// Takes the job and what its arrays hold; the job before it is over. "", or why it cannot.
  virtual std::string prepare(const Job& job) = 0;
  /// Runs it `times` times, one after the other, and waits for the last. "", or what went wrong.
  virtual std::string run(int times) = 0;
  virtual std::string read(int array, void* to) = 0;
};

std::unique_ptr<Engine> native_engine(int threads);
std::unique_ptr<Engine> cuda_engine();
/// Null where there is no pocl.
std::unique_ptr<Engine> pocl_engine();

/// The engine of that name: native, jit, interp or pocl; or null.
std::unique_ptr<Engine> make_engine(std::string_view name, int threads);

}  // namespace heddle::bench
