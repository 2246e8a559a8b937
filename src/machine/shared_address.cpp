// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/shared_address.h"

#include <fmt/format.h>

#include "machine/engine.h"

namespace heddle::machine {

std::string describe_shared_address(u64 address, u32 rank, const Launch& launch) {
  const u64 owner = address >> kRankShift;
  if (owner == rank || owner >= launch.cluster.volume())
    return fmt::format("the CTA has {} bytes of shared memory", launch.shared_bytes);
  return fmt::format(
      "this is shared memory of CTA {} of the cluster, which CTA {} reaches by instructions with "
      ".shared::cluster only",
      owner, rank);
}

}  // namespace heddle::machine
