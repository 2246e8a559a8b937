// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a grid: checks the launch against the device profile, spreads the CTAs over the host's
// threads, keeps more than one CTA resident on a thread when they wait for each other, stops at the
// first trap.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "machine/engine.h"

namespace heddle::machine {

/// Why a launch was refused before any thread ran.
struct LaunchError {
  enum class Reason : u8 {
    invalid_value,
    invalid_cluster,
    too_large_to_cooperate,  ///< not all CTAs of a cooperative launch can be resident
    out_of_memory,
    not_supported
  } reason;
  std::string message;  ///< names the kernel, what is wrong and what is possible
};

/// Limits that the host sets for a launch, beside those of the device and of the kernel's text.
struct LaunchLimits {
  std::optional<u32> dynamic_shared = std::nullopt;  ///< bytes that the host let the kernel have
  std::optional<u64> resident =
      std::nullopt;         ///< CTAs of a cooperative launch that can be resident
  bool empty_grid = false;  ///< no CTA may be asked for: others know that it does not run
};

/// A launch that the device can run. What its members refer to must outlive it.
class CheckedLaunch {
 public:
  const Profile& profile() const { return *profile_; }
  const Loaded& loaded() const { return *loaded_; }
  ir::FunctionId entry() const { return entry_; }
  const LaunchShape& shape() const { return shape_; }

 private:
  friend Result<CheckedLaunch, LaunchError> check_launch(const Profile&, const Loaded&,
                                                         ir::FunctionId, const LaunchShape&,
                                                         const LaunchLimits&);
  CheckedLaunch(const Profile& profile, const Loaded& loaded, ir::FunctionId entry,
                const LaunchShape& shape)
      : profile_(&profile), loaded_(&loaded), entry_(entry), shape_(shape) {}

  const Profile* profile_;
  const Loaded* loaded_;
  ir::FunctionId entry_;
  LaunchShape shape_;
};

/// The one place where a launch is validated.
Result<CheckedLaunch, LaunchError> check_launch(const Profile& profile, const Loaded& loaded,
                                                ir::FunctionId entry, const LaunchShape& shape,
                                                const LaunchLimits& limits = {});

/// Why a launch cannot be split into clusters as it and its kernel say, or an empty string.
std::string refuse_cluster(const Profile& profile, const ir::Function& kernel,
                           const LaunchShape& shape);

/// Empty: finished. Blocks until the grid is done.
using LaunchResult = std::variant<std::monostate, Trap, LaunchError>;

LaunchResult launch(const CheckedLaunch& checked, const Program& program, RunOptions options);
/// check_launch() and launch().
LaunchResult launch(const Profile& profile, const Program& program, const Loaded& loaded,
                    ir::FunctionId entry, const LaunchConfig& config);

/// Whether the launch's CTAs shall stop: its time limit is over, it is cancelled, or another CTA
/// trapped. Long operations poll this.
bool is_over(const Launch& launch);

/// Number of host threads that grids run on: HEDDLE_THREADS, else the processors this process may
/// use.
u32 worker_count();

}  // namespace heddle::machine
