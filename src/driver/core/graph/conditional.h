// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that conditional nodes look at, and that kernels set with cudaGraphSetConditional.
// Driver API 6.24 (cuGraphConditionalHandleCreate). A handle is a number that kernels get as an
// argument, so it means the same in every launch, as long as a graph or a plan needs it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

class Conditional {
 public:
  /// `start`: the value that each launch begins with; none: the one that it has.
  static std::shared_ptr<Conditional> create(std::optional<unsigned> start);
  ~Conditional();

  CUgraphConditionalHandle handle() const { return handle_; }
  unsigned value() const { return value_.load(); }
  void set(unsigned value) { value_ = value; }
  void begin() {
    if (start_) value_ = *start_;
  }

  std::atomic<bool> is_used{false};  ///< by a node

 private:
  Conditional(CUgraphConditionalHandle handle, std::optional<unsigned> start)
      : handle_(handle), start_(start) {}

  const CUgraphConditionalHandle handle_;
  const std::optional<unsigned> start_;
  std::atomic<unsigned> value_{0};
};

/// What cudaGraphSetConditional does. False when the handle means nothing.
bool set_conditional(u64 handle, u32 value);

}  // namespace heddle::driver
