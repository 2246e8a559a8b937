// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch of an executable graph. A step runs as soon as the steps it depends on are done;
// independent steps run in parallel, on a few threads. Driver API 6.24 (cuGraphLaunch).
#pragma once

#include <memory>
#include <unordered_map>

#include "driver/core/graph/graph_exec.h"

namespace heddle::driver {

/// The completions of a launch's event nodes, fixed by the program's calls before it: the work that
/// wait nodes wait for, and the records that other calls can wait for.
struct LaunchEvents {
  std::unordered_map<const Step*, CompletionPtr> wait;
  std::unordered_map<const Step*, std::shared_ptr<Completion>> record;
};

/// The events that a launch at this point waits for and records.
LaunchEvents take_events(const Plan& plan);

/// Runs the plan, and returns when all steps are done. Work of a context that has failed is
/// skipped.
void run(const Plan& plan, const LaunchEvents& events, const Context& context);

}  // namespace heddle::driver
