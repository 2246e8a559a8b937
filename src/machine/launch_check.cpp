// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/launch_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/launch.h"

namespace heddle::machine {

GridShape shape_of(const ir::Function& kernel, const LaunchShape& asked) {
  const auto& required = kernel.req_nctapercluster;
  GridShape shape{asked.grid, {}, asked.cluster || required[0]};
  if (asked.cluster)
    shape.cluster = *asked.cluster;
  else if (required[0])
    shape.cluster = {required[0], std::max(required[1], 1u), std::max(required[2], 1u)};
  if (kernel.blocks_are_clusters) {  // the host counts clusters (11.8.1)
    shape.grid.x *= shape.cluster.x;
    shape.grid.y *= shape.cluster.y;
    shape.grid.z *= shape.cluster.z;
  }
  return shape;
}

namespace {

/// Why the device cannot run the launch's clusters (11.7), or an empty string.
std::string why_no_clusters(const Profile& profile, const ir::Function& kernel,
                            const LaunchShape& asked, const GridShape& shape) {
  if (!shape.explicit_cluster) {
    return kernel.explicit_cluster
               ? "the kernel says .explicitcluster, and the launch names no cluster size"
               : "";
  }
  const Dim3& cluster = shape.cluster;
  const auto text = [](const Dim3& d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); };
  if (!cluster.x || !cluster.y || !cluster.z)
    return fmt::format("a cluster of {} CTAs", text(cluster));
  if (cluster.volume() > 1 && profile.target.sm < kFirstClusterTarget)
    return fmt::format("{} has no clusters", profile.device_name);
  const auto& required = kernel.req_nctapercluster;
  const Dim3 named{required[0], std::max(required[1], 1u), std::max(required[2], 1u)};
  if (required[0] && cluster != named) {
    return fmt::format("clusters of {} CTAs, but the kernel says .reqnctapercluster {}",
                       text(cluster), text(named));
  }
  if (shape.grid.x % cluster.x || shape.grid.y % cluster.y || shape.grid.z % cluster.z) {
    return fmt::format("a grid of {} CTAs is no whole number of clusters of {}", text(shape.grid),
                       text(cluster));
  }
  const u32 most = asked.large_clusters ? kLargestCluster : kPortableCluster;
  if (cluster.volume() > most)
    return fmt::format("clusters of {} CTAs, at most {} possible", cluster.volume(), most);
  if (kernel.max_clusterrank && cluster.volume() > kernel.max_clusterrank) {
    return fmt::format("clusters of {} CTAs, but the kernel says .maxclusterrank {}",
                       cluster.volume(), kernel.max_clusterrank);
  }
  return {};
}

/// Why the device cannot run the launch; empty: it can.
std::optional<LaunchError> refuse(const Profile& profile, const ir::Function& kernel,
                                  const SharedLayout& layout, const LaunchShape& asked,
                                  const LaunchLimits& limits) {
  using Reason = LaunchError::Reason;
  const auto because = [&]<class... Args>(Reason reason, fmt::format_string<Args...> why,
                                          Args&&... args) {
    return LaunchError{reason, fmt::format("kernel '{}': {}", kernel.name,
                                           fmt::format(why, std::forward<Args>(args)...))};
  };
  const GridShape shape = shape_of(kernel, asked);
  const u32 block[] = {asked.block.x, asked.block.y, asked.block.z};
  const u32 grid[] = {shape.grid.x, shape.grid.y, shape.grid.z};
  for (int i = 0; i < 3; ++i) {
    const char axis = static_cast<char>('x' + i);
    if (block[i] == 0 || block[i] > profile.max_block[i])
      return because(Reason::invalid_value, "block.{} is {}, must be 1 to {}", axis, block[i],
                     profile.max_block[i]);
    if ((grid[i] == 0 && !limits.empty_grid) || grid[i] > profile.max_grid[i])
      return because(Reason::invalid_value, "grid.{} is {}, must be 1 to {}", axis, grid[i],
                     profile.max_grid[i]);
    if (kernel.req_ntid[0] && block[i] != std::max(kernel.req_ntid[i], 1u))
      return because(Reason::invalid_value, "block.{} is {}, but the kernel says .reqntid {}", axis,
                     block[i], std::max(kernel.req_ntid[i], 1u));
  }
  const u64 threads = asked.block.volume();
  if (threads > profile.max_threads_per_block)
    return because(Reason::invalid_value, "{} threads a block, at most {} possible", threads,
                   profile.max_threads_per_block);
  if (kernel.max_ntid[0]) {
    const u64 most = u64{kernel.max_ntid[0]} * std::max(kernel.max_ntid[1], 1u) *
                     std::max(kernel.max_ntid[2], 1u);
    if (threads > most)
      return because(Reason::invalid_value, "{} threads a block, but the kernel says .maxntid {}",
                     threads, most);
  }
  const u64 shared = u64{layout.static_bytes} + asked.dynamic_shared;
  if (shared > profile.shared_per_block_optin)
    return because(Reason::invalid_value, "{} bytes of shared memory a block, at most {} possible",
                   shared, profile.shared_per_block_optin);
  if (auto why = why_no_clusters(profile, kernel, asked, shape); !why.empty())
    return because(Reason::invalid_cluster, "{}", why);
  if (limits.dynamic_shared && asked.dynamic_shared > *limits.dynamic_shared)
    return because(Reason::invalid_value,
                   "{} bytes of dynamic shared memory a block, at most {} possible; "
                   "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES "
                   "(cudaFuncAttributeMaxDynamicSharedMemorySize) changes that",
                   asked.dynamic_shared, *limits.dynamic_shared);
  if (asked.cooperative && limits.resident && shape.grid.volume() > *limits.resident)
    return because(Reason::too_large_to_cooperate,
                   "a cooperative launch of {} blocks, at most {} can be resident",
                   shape.grid.volume(), *limits.resident);
  return std::nullopt;
}

}  // namespace

std::string refuse_cluster(const Profile& profile, const ir::Function& kernel,
                           const LaunchShape& shape) {
  return why_no_clusters(profile, kernel, shape, shape_of(kernel, shape));
}

Result<CheckedLaunch, LaunchError> check_launch(const Profile& profile, const Loaded& loaded,
                                                ir::FunctionId entry, const LaunchShape& shape,
                                                const LaunchLimits& limits) {
  const ir::Function& kernel = loaded.module().functions[entry.value];
  if (auto error = refuse(profile, kernel, loaded.shared_layout(entry), shape, limits))
    return std::move(*error);
  return CheckedLaunch(profile, loaded, entry, shape);
}

}  // namespace heddle::machine
