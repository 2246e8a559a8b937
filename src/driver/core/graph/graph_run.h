// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch of an executable graph: steps run as soon as what they wait for is done, independent
// ones beside each other on a few threads. Driver API 6.24 (cuGraphLaunch).
#pragma once

#include <memory>
#include <unordered_map>

#include "driver/core/graph/graph_exec.h"

namespace heddle::driver {

/// What the calls before a launch decide for it: the work that its event nodes wait for, and the
/// marks that they leave.
struct LaunchEvents {
  std::unordered_map<const Step*, CompletionPtr> wait;
  std::unordered_map<const Step*, std::shared_ptr<Completion>> record;
};

/// Events waited for and recorded by a launch that is asked for now.
LaunchEvents take_events(const Plan& plan);

/// Runs the plan, and returns when all of it is done. Work of a context that has failed is skipped.
void run(const Plan& plan, const LaunchEvents& events, const Context& context);

}  // namespace heddle::driver
