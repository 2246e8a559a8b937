// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a grid: checks the launch against the device profile, spreads the CTAs over the host's
// threads, keeps more than one CTA resident on a thread when they wait for each other, stops at the
// first trap.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "machine/engine.h"

namespace heddle::machine {

/// Why a launch was refused before any thread ran.
struct LaunchError {
  enum class Reason : u8 {
    invalid_value,
    invalid_cluster,
    out_of_resources,
    out_of_memory,
    not_supported
  } reason;
  std::string message;
};

/// Empty: finished. Blocks until the grid is done.
using LaunchResult = std::variant<std::monostate, Trap, LaunchError>;

LaunchResult launch(const Profile& profile, const Program& program, const Loaded& loaded,
                    ir::FunctionId entry, const LaunchConfig& config);

/// Whether what runs of it shall come to an end: its time limit is over, it is cancelled, or there
/// was a trap elsewhere. What may take long asks again and again.
bool is_over(const Launch& launch);

/// Why a launch cannot be split into clusters as it and its kernel say, or an empty string.
std::string refuse_cluster(const Profile& profile, const ir::Function& kernel,
                           const LaunchConfig& config);

/// Why the device cannot run a grid of this shape of the kernel; none: it can. What the parameters
/// are does not matter.
std::optional<LaunchError> refuse(const Profile& profile, const Loaded& loaded,
                                  ir::FunctionId entry, const LaunchConfig& config);

/// Number of host threads that grids run on: HEDDLE_THREADS, else the processors this process may
/// use.
u32 worker_count();

}  // namespace heddle::machine
