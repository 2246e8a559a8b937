// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device profiles: the limits and attributes of the GPU that Heddle stands in for. Each is a file,
// profiles/NAME.profile, compiled into the library (docs/add-a-device.md). HEDDLE_DEVICE chooses
// one by name; the default reports compute capability 12.0, for which most programs write PTX that
// is valid (docs/adr), and runs every target.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "isa/gate.h"
#include "isa/tensor_core.h"

namespace heddle::machine {

inline constexpr u64 kGiB = u64{1} << 30;

struct Profile {
  std::string_view name;         ///< what HEDDLE_DEVICE says: "h200"
  std::string_view device_name;  ///< the result of cuDeviceGetName
  isa::Target target;            ///< compute capability, with its suffix
  bool any_target;  ///< runs every target, and the known features of later PTX versions
  u32 multiprocessors;
  u32 cores_per_multiprocessor;  ///< units of f32
  u32 max_threads_per_block;
  u32 max_block[3];
  u32 max_grid[3];
  u32 max_threads_per_multiprocessor;
  u32 max_blocks_per_multiprocessor;
  u32 registers_per_block;
  u32 registers_per_multiprocessor;
  u32 shared_per_block;  ///< without opt-in
  u32 shared_per_block_optin;
  u32 shared_per_multiprocessor;
  u32 reserved_shared_per_block;
  u32 constant_bytes;
  u32 l2_bytes;
  u32 clock_khz;
  u32 memory_clock_khz;
  u32 memory_bus_bits;
  u64 memory_bytes;                 ///< 0: as much as the host has
  u32 pcie_generation, pcie_width;  ///< of the link to the host, the width in lanes; 0: no link
  isa::TensorCore tensor_core;
};

std::span<const Profile> profiles();
/// By name, case-insensitive; empty name: the default.
const Profile* find_profile(std::string_view name);
/// The profile that HEDDLE_DEVICE names, or the default one. The error lists the names.
Result<const Profile*> profile_of_environment();
/// A device that computes as those before PTX 2.0 did.
bool is_sm_1x(const Profile& profile);
/// True when the profile may run a module whose `.target` is `target`.
bool runs(const Profile& profile, isa::Target target);

}  // namespace heddle::machine
