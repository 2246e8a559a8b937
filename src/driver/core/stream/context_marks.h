// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of many streams at once: of a context or a green context. Driver API 6.8
// (cuCtxRecordEvent), 6.35 (cuGreenCtxRecordEvent).
#pragma once

#include <vector>

#include "driver/core/context/context.h"
#include "driver/core/stream/event.h"

namespace heddle::driver {

/// Marks what is in all of `streams`.
CUresult record_all(Context& context, const std::vector<StreamPtr>& streams, Event& event);
/// Makes what comes in each of `streams` wait for the event, which is of no capture.
CUresult wait_in_all(const std::vector<StreamPtr>& streams, const Event& event);

}  // namespace heddle::driver
