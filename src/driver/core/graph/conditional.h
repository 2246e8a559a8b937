// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditional variables: conditional nodes read them, and kernels set them with
// cudaGraphSetConditional. Driver API 6.24 (cuGraphConditionalHandleCreate). A handle is a number
// that kernels get as an argument, so a variable keeps its handle as long as a graph or a plan uses
// it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

class Conditional {
 public:
  /// `start`: the variable's value at the beginning of each launch; none: it keeps its value.
  static std::shared_ptr<Conditional> create(std::optional<unsigned> start);
  ~Conditional();

  CUgraphConditionalHandle handle() const { return handle_; }
  unsigned value() const { return value_.load(); }
  void set(unsigned value) { value_ = value; }
  void begin() {
    if (start_) value_ = *start_;
  }

  std::atomic<bool> is_used{false};  ///< a node reads the variable

 private:
  Conditional(CUgraphConditionalHandle handle, std::optional<unsigned> start)
      : handle_(handle), start_(start) {}

  const CUgraphConditionalHandle handle_;
  const std::optional<unsigned> start_;
  std::atomic<unsigned> value_{0};
};

/// Sets a variable, as cudaGraphSetConditional does. False when there is no such handle.
bool set_conditional(u64 handle, u32 value);

}  // namespace heddle::driver
