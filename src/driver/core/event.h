// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events: a mark in a stream's work. Driver API 6.19.
#pragma once

#include <mutex>

#include "driver/core/stream.h"

namespace heddle::driver {

class Event {
 public:
  Event(Context* context, unsigned flags) : context_(context), flags_(flags) {}

  Context* context() const { return context_; }
  unsigned flags() const { return flags_; }

  /// Captures everything that is in `stream` now, instead of what was captured before.
  void record(Stream& stream);

  struct Capture {
    CompletionPtr done;  ///< null: never recorded
    std::weak_ptr<Stream> stream;
  };
  Capture captured() const;
  bool is_done() const;
  void synchronize() const;

 private:
  Context* context_;
  unsigned flags_;
  mutable std::mutex mutex_;
  Capture captured_;
};
using EventPtr = std::shared_ptr<Event>;

}  // namespace heddle::driver
