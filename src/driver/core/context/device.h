// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device: a profile of the machine, its share of the memory, its engine, its primary context.
// Devices are made by cuInit and live as long as the process. Driver API 6.5, 6.7.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "driver/abi.h"
#include "driver/core/memory/memory_pool.h"
#include "machine/engine.h"
#include "machine/profile.h"

namespace heddle::driver {

class Context;

struct Device {
  Device(int ordinal, const machine::Profile& profile, u64 memory_bytes,
         std::unique_ptr<machine::Engine> engine, CUuuid uuid)
      : ordinal(ordinal),
        profile(profile),
        memory_bytes(memory_bytes),
        engine(std::move(engine)),
        uuid(uuid) {}

  const int ordinal;
  const machine::Profile& profile;
  const u64 memory_bytes;
  const std::unique_ptr<machine::Engine> engine;
  const CUuuid uuid;

  /// The primary context. The first retain makes it; the last release empties it and keeps the
  /// object, so that its handle stays the same.
  struct Primary {
    std::shared_ptr<Context> context;
    unsigned retained = 0;
    unsigned flags = 0;
  } primary;
  std::mutex primary_mutex;

  int major() const { return profile.target.sm / 10; }
  int minor() const { return profile.target.sm % 10; }
};

/// The value of a device attribute; nothing when there is no such attribute.
std::optional<int> device_attribute(const Device& device, CUdevice_attribute attribute);

}  // namespace heddle::driver
