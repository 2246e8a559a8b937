// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers are the vendor's published limits per compute capability.
#include "machine/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/config.h"

namespace heddle::machine {
namespace {

constexpr u32 kKiB = 1024;

constexpr Profile kProfiles[] = {
    {.name = "heddle",
     .device_name = "Heddle",
     .target = {120, 0},
     .any_target = true,
     .multiprocessors = 48,
     .max_threads_per_block = 1024,
     .max_block = {1024, 1024, 64},
     .max_grid = {2147483647, 65535, 65535},
     .max_threads_per_multiprocessor = 1536,
     .max_blocks_per_multiprocessor = 24,
     .registers_per_block = 65536,
     .registers_per_multiprocessor = 65536,
     .shared_per_block = 48 * kKiB,
     .shared_per_block_optin = 227 * kKiB,
     .shared_per_multiprocessor = 228 * kKiB,
     .reserved_shared_per_block = kKiB,
     .constant_bytes = 64 * kKiB,
     .l2_bytes = 24 * 1024 * kKiB,
     .clock_khz = 2'000'000,
     .memory_clock_khz = 4'000'000,
     .memory_bus_bits = 256,
     .memory_bytes = 0},
    {.name = "h200",
     .device_name = "NVIDIA H200",
     .target = {90, 'a'},
     .any_target = false,
     .multiprocessors = 132,
     .max_threads_per_block = 1024,
     .max_block = {1024, 1024, 64},
     .max_grid = {2147483647, 65535, 65535},
     .max_threads_per_multiprocessor = 2048,
     .max_blocks_per_multiprocessor = 32,
     .registers_per_block = 65536,
     .registers_per_multiprocessor = 65536,
     .shared_per_block = 48 * kKiB,
     .shared_per_block_optin = 227 * kKiB,
     .shared_per_multiprocessor = 228 * kKiB,
     .reserved_shared_per_block = kKiB,
     .constant_bytes = 64 * kKiB,
     .l2_bytes = 60 * 1024 * kKiB,
     .clock_khz = 1'980'000,
     .memory_clock_khz = 3'201'000,
     .memory_bus_bits = 6144,
     .memory_bytes = 141 * kGiB},
    {.name = "a100",
     .device_name = "NVIDIA A100-SXM4-80GB",
     .target = {80, 0},
     .any_target = false,
     .multiprocessors = 108,
     .max_threads_per_block = 1024,
     .max_block = {1024, 1024, 64},
     .max_grid = {2147483647, 65535, 65535},
     .max_threads_per_multiprocessor = 2048,
     .max_blocks_per_multiprocessor = 32,
     .registers_per_block = 65536,
     .registers_per_multiprocessor = 65536,
     .shared_per_block = 48 * kKiB,
     .shared_per_block_optin = 163 * kKiB,
     .shared_per_multiprocessor = 164 * kKiB,
     .reserved_shared_per_block = kKiB,
     .constant_bytes = 64 * kKiB,
     .l2_bytes = 40 * 1024 * kKiB,
     .clock_khz = 1'410'000,
     .memory_clock_khz = 1'593'000,
     .memory_bus_bits = 5120,
     .memory_bytes = 80 * kGiB},
    {.name = "rtx4090",
     .device_name = "NVIDIA GeForce RTX 4090",
     .target = {89, 0},
     .any_target = false,
     .multiprocessors = 128,
     .max_threads_per_block = 1024,
     .max_block = {1024, 1024, 64},
     .max_grid = {2147483647, 65535, 65535},
     .max_threads_per_multiprocessor = 1536,
     .max_blocks_per_multiprocessor = 24,
     .registers_per_block = 65536,
     .registers_per_multiprocessor = 65536,
     .shared_per_block = 48 * kKiB,
     .shared_per_block_optin = 99 * kKiB,
     .shared_per_multiprocessor = 100 * kKiB,
     .reserved_shared_per_block = kKiB,
     .constant_bytes = 64 * kKiB,
     .l2_bytes = 72 * 1024 * kKiB,
     .clock_khz = 2'520'000,
     .memory_clock_khz = 10'501'000,
     .memory_bus_bits = 384,
     .memory_bytes = 24 * kGiB},
    {.name = "t4",
     .device_name = "Tesla T4",
     .target = {75, 0},
     .any_target = false,
     .multiprocessors = 40,
     .max_threads_per_block = 1024,
     .max_block = {1024, 1024, 64},
     .max_grid = {2147483647, 65535, 65535},
     .max_threads_per_multiprocessor = 1024,
     .max_blocks_per_multiprocessor = 16,
     .registers_per_block = 65536,
     .registers_per_multiprocessor = 65536,
     .shared_per_block = 48 * kKiB,
     .shared_per_block_optin = 64 * kKiB,
     .shared_per_multiprocessor = 64 * kKiB,
     .reserved_shared_per_block = 0,
     .constant_bytes = 64 * kKiB,
     .l2_bytes = 4 * 1024 * kKiB,
     .clock_khz = 1'590'000,
     .memory_clock_khz = 5'001'000,
     .memory_bus_bits = 256,
     .memory_bytes = 16 * kGiB},
    // Its 2-dimensional grids, its 512 threads a CTA and its arithmetic are those of sm_13.
    {.name = "c1060",
     .device_name = "Tesla C1060",
     .target = {13, 0},
     .any_target = false,
     .multiprocessors = 30,
     .max_threads_per_block = 512,
     .max_block = {512, 512, 64},
     .max_grid = {65535, 65535, 1},
     .max_threads_per_multiprocessor = 1024,
     .max_blocks_per_multiprocessor = 8,
     .registers_per_block = 16384,
     .registers_per_multiprocessor = 16384,
     .shared_per_block = 16 * kKiB,
     .shared_per_block_optin = 16 * kKiB,
     .shared_per_multiprocessor = 16 * kKiB,
     .reserved_shared_per_block = 0,
     .constant_bytes = 64 * kKiB,
     .l2_bytes = 0,
     .clock_khz = 1'296'000,
     .memory_clock_khz = 800'000,
     .memory_bus_bits = 512,
     .memory_bytes = 4 * kGiB},
};

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  if (name.empty()) return &kProfiles[0];
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  for (const Profile& profile : kProfiles) {
    if (std::equal(name.begin(), name.end(), profile.name.begin(), profile.name.end(), same))
      return &profile;
  }
  return nullptr;
}

Result<const Profile*> profile_of_environment() {
  const std::string& name = config().device;
  if (const Profile* const profile = find_profile(name)) return profile;
  std::string names;
  for (const Profile& known : kProfiles)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  return Error{fmt::format("HEDDLE_DEVICE={}: it is one of {}", name, names)};
}

bool is_sm_1x(const Profile& profile) { return profile.target.sm < 20; }

bool runs(const Profile& profile, isa::Target target) {
  return profile.any_target || isa::admits(target, profile.target);
}

}  // namespace heddle::machine
