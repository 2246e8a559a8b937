// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See devices.h.
#include "machine/devices.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/config.h"

namespace heddle::machine {
namespace {

u64 host_bytes() {
  return static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<Devices> devices_of_environment() {
  const auto profile = profile_of_environment();
  if (!profile.ok()) return profile.error();
  const u64 bytes = (*profile)->memory_bytes;
  return Devices{*profile, config().devices, bytes ? bytes : host_bytes()};
}

std::array<u8, 16> uuid_of(const Profile& profile, u32 ordinal) {
  std::array<u8, 16> uuid{};
  std::memcpy(uuid.data(), "heddle", 6);
  std::memcpy(uuid.data() + 6, profile.name.data(), std::min<std::size_t>(profile.name.size(), 8));
  uuid[14] = static_cast<u8>(profile.target.sm);
  uuid[15] = static_cast<u8>(ordinal);
  return uuid;
}

std::optional<PciAddress> parse_pci_address(const char* text) {
  PciAddress at;
  if (std::sscanf(text, "%x:%x:%x.%x", &at.domain, &at.bus, &at.device, &at.function) >= 3)
    return at;
  at = {};
  if (std::sscanf(text, "%x:%x.%x", &at.bus, &at.device, &at.function) >= 2) return at;
  return std::nullopt;
}

}  // namespace heddle::machine
