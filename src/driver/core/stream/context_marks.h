// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events over all streams of a context or a green context. Driver API 6.8 (cuCtxRecordEvent), 6.35
// (cuGreenCtxRecordEvent).
#pragma once

#include <vector>

#include "driver/core/context/context.h"
#include "driver/core/stream/event.h"

namespace heddle::driver {

/// Records the event after the work that is in `streams` now.
CUresult record_all(Context& context, const std::vector<StreamPtr>& streams, Event& event);
/// Makes later work in each of `streams` wait for the event, which must not belong to a capture.
CUresult wait_in_all(const std::vector<StreamPtr>& streams, const Event& event);

}  // namespace heddle::driver
