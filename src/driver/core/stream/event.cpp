// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See event.h.
#include "driver/core/stream/event.h"

#include "driver/core/graph/graph.h"
#include "driver/core/memory/ipc.h"
#include "driver/core/stream/capture.h"
#include "driver/core/stream/stream.h"

namespace heddle::driver {

void Event::record(Stream& stream) {
  CompletionPtr done;
  if (shared_) {
    done = stream.enqueue_brief(
        [shared = shared_, number = shared_->record()] { shared->finish(number); });
  } else {
    done = stream.mark();
  }
  const std::lock_guard lock(mutex_);
  recorded_ = {std::move(done), stream.weak_from_this(), nullptr, nullptr};
}

void Event::record(CompletionPtr done) {
  const std::lock_guard lock(mutex_);
  recorded_ = {std::move(done), {}, nullptr, nullptr};
}

void Event::record_captured(StreamCapturePtr capture, Edges nodes) {
  const std::lock_guard lock(mutex_);
  recorded_ = {nullptr, {}, std::move(capture), std::make_shared<const Edges>(std::move(nodes))};
}

Event::Recorded Event::recorded() const {
  const std::lock_guard lock(mutex_);
  return recorded_;
}

bool Event::is_done() const {
  if (shared_) return shared_->is_done(shared_->recorded());
  const auto done = recorded().done;
  return !done || done->is_done();
}

void Event::synchronize() const {
  if (shared_) return shared_->wait(shared_->recorded());
  const auto mark = recorded();
  if (!mark.done) return;
  if (const auto stream = mark.stream.lock()) {
    stream->wait(*mark.done);  // may execute the stream's work on this thread
  } else {
    mark.done->wait();
  }
}

}  // namespace heddle::driver
