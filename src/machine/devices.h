// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that a program sees, and the names by which it tells them apart. The driver makes the
// devices; the management library (libnvidia-ml.so.1) only describes them, in processes without a
// driver, too. Both take what they say from here.
#pragma once

#include <array>
#include <optional>

#include "base/result.h"
#include "base/types.h"
#include "machine/profile.h"

namespace heddle::machine {

/// All devices have one profile. No device is a count of 0, which a wrong HEDDLE_DEVICES gives.
struct Devices {
  const Profile* profile;
  u32 count;
  u64 memory_bytes;  ///< of each device
};

/// The devices that HEDDLE_DEVICE and HEDDLE_DEVICES ask for. The error says why there is no such
/// profile.
Result<Devices> devices_of_environment();

/// The UUID depends only on the profile and the ordinal, because programs compare the UUIDs of
/// several processes.
std::array<u8, 16> uuid_of(const Profile& profile, u32 ordinal);

/// Where a device is on the PCI bus: each device has a bus of its own, in domain 0.
struct PciAddress {
  u32 domain = 0, bus = 0, device = 0, function = 0;
  bool operator==(const PciAddress&) const = default;
};
constexpr PciAddress pci_address_of(u32 ordinal) { return {.bus = ordinal + 1}; }
/// Parses [domain:]bus:device[.function], all hexadecimal. Nothing: the text is not of that form.
std::optional<PciAddress> parse_pci_address(const char* text);

}  // namespace heddle::machine
