// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/special_values.h"

#include <chrono>

namespace heddle::machine {
namespace {

using isa::SpecialRegister;

constexpr u32 kLanes = 32;

u32 component_of(const Dim3& dim, u32 component, u32 fourth) {
  const u32 values[] = {dim.x, dim.y, dim.z, fourth};
  return values[component];
}

u64 nanoseconds() {
  return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count());
}

/// The device's clock: host time at the clock rate of the profile.
u64 cycles(const Profile& profile) {
  const u64 ns = static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                      std::chrono::steady_clock::now().time_since_epoch())
                                      .count());
  return ns / 1000 * (profile.clock_khz / 1000) + ns % 1000 * (profile.clock_khz / 1000) / 1000;
}

/// Shared memory is allocated in units of this many bytes (10.37, %total_smem_size).
constexpr u32 kSharedUnit = 128;

/// By component.
Dim3 divide(const Dim3& a, const Dim3& b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
Dim3 cta_in_cluster(const WarpIdentity& identity) {
  const Dim3& cluster = identity.launch->cluster;
  return {identity.cta.x % cluster.x, identity.cta.y % cluster.y, identity.cta.z % cluster.z};
}

}  // namespace

u64 uniform_value(const WarpIdentity& identity, SpecialRegister reg, u32 component) {
  const Launch& launch = *identity.launch;
  const LaunchConfig& config = *launch.config;
  switch (reg) {
    case SpecialRegister::ntid:
      return component_of(config.block, component, 1);
    case SpecialRegister::ctaid:
      return component_of(identity.cta, component, 0);
    case SpecialRegister::nctaid:
      return component_of(launch.grid, component, 1);
    case SpecialRegister::clusterid:
      return component_of(divide(identity.cta, launch.cluster), component, 0);
    case SpecialRegister::nclusterid:
      return component_of(divide(launch.grid, launch.cluster), component, 0);
    case SpecialRegister::cluster_ctaid:
      return component_of(cta_in_cluster(identity), component, 0);
    case SpecialRegister::cluster_nctaid:
      return component_of(launch.cluster, component, 0);
    case SpecialRegister::cluster_ctarank: {
      const Dim3 cta = cta_in_cluster(identity);
      return cta.x + launch.cluster.x * (cta.y + u64{launch.cluster.y} * cta.z);
    }
    case SpecialRegister::cluster_nctarank:
      return launch.cluster.volume();
    case SpecialRegister::is_explicit_cluster:
      return launch.explicit_cluster;
    case SpecialRegister::warpid:
      return identity.warp;
    case SpecialRegister::nwarpid:
      return launch.profile->max_threads_per_multiprocessor / kLanes;
    case SpecialRegister::smid:
      return identity.worker % launch.profile->multiprocessors;
    case SpecialRegister::nsmid:
      return launch.profile->multiprocessors;
    case SpecialRegister::gridid:
      return launch.grid_id;
    case SpecialRegister::envreg1:
      return launch.grid_workspace >> 32;
    case SpecialRegister::envreg2:
      return static_cast<u32>(launch.grid_workspace);
    case SpecialRegister::total_smem_size:
      return (launch.shared_bytes + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
    case SpecialRegister::aggr_smem_size:
      return (launch.shared_bytes + kSharedUnit - 1) / kSharedUnit * kSharedUnit +
             launch.profile->reserved_shared_per_block;
    case SpecialRegister::dynamic_smem_size:
      return config.dynamic_shared;
    case SpecialRegister::clock:
      return static_cast<u32>(cycles(*launch.profile));
    case SpecialRegister::clock_hi:
      return cycles(*launch.profile) >> 32;
    case SpecialRegister::clock64:
      return cycles(*launch.profile);
    case SpecialRegister::globaltimer:
      return nanoseconds();
    case SpecialRegister::globaltimer_lo:
      return static_cast<u32>(nanoseconds());
    case SpecialRegister::globaltimer_hi:
      return nanoseconds() >> 32;
    // Counters and driver-set registers, which Heddle does not set; no reserved shared memory, no
    // graph.
    default:
      return 0;
  }
}

}  // namespace heddle::machine
