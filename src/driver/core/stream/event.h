// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events: a mark in the work of a stream. Driver API 6.19.
#pragma once

#include <mutex>

#include "driver/core/stream/stream.h"

namespace heddle::driver {

class StreamCapture;
struct Edge;

class SharedMark;

class Event {
 public:
  /// `shared`: the state of an event that several processes may use, else null.
  Event(Context* context, unsigned flags, std::shared_ptr<SharedMark> shared = nullptr)
      : context_(context), flags_(flags), shared_(std::move(shared)) {}

  Context* context() const { return context_; }
  unsigned flags() const { return flags_; }

  /// Marks the work that is in `stream` now, and forgets the previous mark.
  void record(Stream& stream);
  /// Marks the end of a step of a graph's launch.
  void record(CompletionPtr done);
  /// Marks nodes of a graph, when the stream is captured.
  void record_captured(std::shared_ptr<StreamCapture> capture, std::vector<Edge> nodes);

  struct Recorded {
    CompletionPtr done;  ///< null: never recorded, or captured
    std::weak_ptr<Stream> stream;
    std::shared_ptr<StreamCapture> capture;          ///< null: not captured
    std::shared_ptr<const std::vector<Edge>> nodes;  ///< nodes of the capture
  };
  Recorded recorded() const;
  const std::shared_ptr<SharedMark>& shared() const { return shared_; }
  bool is_done() const;
  void synchronize() const;

 private:
  Context* context_;
  unsigned flags_;
  const std::shared_ptr<SharedMark> shared_;
  mutable std::mutex mutex_;
  Recorded recorded_;
};
using EventPtr = std::shared_ptr<Event>;

}  // namespace heddle::driver
