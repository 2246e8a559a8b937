// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See event.h.
#include "driver/core/event.h"

namespace heddle::driver {

void Event::record(Stream& stream) {
  auto done = stream.enqueue([] {});
  const std::lock_guard lock(mutex_);
  captured_ = {std::move(done), stream.weak_from_this()};
}

Event::Capture Event::captured() const {
  const std::lock_guard lock(mutex_);
  return captured_;
}

bool Event::is_done() const {
  const auto done = captured().done;
  return !done || done->is_done();
}

void Event::synchronize() const {
  const auto capture = captured();
  if (!capture.done) return;
  if (const auto stream = capture.stream.lock()) {
    stream->wait(*capture.done);  // helps
  } else {
    capture.done->wait();
  }
}

}  // namespace heddle::driver
