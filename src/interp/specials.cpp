// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/specials.h"

#include <cstring>

#include "interp/op.h"

namespace heddle::interp {
namespace {

using isa::SpecialRegister;
using machine::Dim3;

u32 component_of(const Dim3& dim, u32 component, u32 fourth) {
  const u32 values[] = {dim.x, dim.y, dim.z, fourth};
  return values[component];
}

}  // namespace

Scope scope_of(SpecialRegister reg) {
  switch (reg) {
    case SpecialRegister::tid:
    case SpecialRegister::laneid:
    case SpecialRegister::warpid:
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_gt:
    case SpecialRegister::lanemask_ge:
      return Scope::warp;
    case SpecialRegister::ctaid:
    case SpecialRegister::clusterid:
    case SpecialRegister::cluster_ctaid:
    case SpecialRegister::cluster_ctarank:
      return Scope::cta;
    case SpecialRegister::clock:
    case SpecialRegister::clock_hi:
    case SpecialRegister::clock64:
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
    case SpecialRegister::globaltimer_hi:
      return Scope::instant;
    default:
      return Scope::launch;
  }
}

void fill_special(const WarpIdentity& identity, SpecialRegister reg, u32 component, u32 bytes,
                  u8* out) {
  if (bytes == 0) {  // %is_explicit_cluster
    std::memset(out, identity.launch->explicit_cluster ? 0xff : 0, sizeof(u32));
    return;
  }
  const Dim3& block = identity.launch->config->block;
  const u64 uniform = uniform_value(identity, reg, component);
  const bool by_lane = reg == SpecialRegister::tid || reg == SpecialRegister::laneid ||
                       (reg >= SpecialRegister::lanemask_eq && reg <= SpecialRegister::lanemask_gt);
  if (!by_lane && bytes == 4) {
    const u32 value = static_cast<u32>(uniform);
    for (u32 lane = 0; lane < kLanes; ++lane) std::memcpy(out + lane * 4, &value, 4);
    return;
  }
  for (u32 lane = 0; lane < kLanes; ++lane) {
    u64 value = uniform;
    switch (reg) {
      case SpecialRegister::tid: {
        const u32 thread = identity.warp * kLanes + lane;
        const Dim3 tid{thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
        value = component_of(tid, component, 0);
        break;
      }
      case SpecialRegister::laneid:
        value = lane;
        break;
      case SpecialRegister::lanemask_eq:
        value = 1u << lane;
        break;
      case SpecialRegister::lanemask_lt:
        value = (1u << lane) - 1;
        break;
      case SpecialRegister::lanemask_le:
        value = (1u << lane) | ((1u << lane) - 1);
        break;
      case SpecialRegister::lanemask_gt:
        value = ~((1u << lane) | ((1u << lane) - 1));
        break;
      case SpecialRegister::lanemask_ge:
        value = ~((1u << lane) - 1);
        break;
      default:
        break;
    }
    std::memcpy(out + lane * bytes, &value, bytes);
  }
}

}  // namespace heddle::interp
