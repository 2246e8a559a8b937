// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multicast objects: memory of several devices behind one address. Driver API 6.16. An object is
// mapped as memory is (virtual_memory.h), but its addresses lead nowhere: machine::Multimem knows
// which places they stand for, and only multimem operations ask.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "driver/abi.h"
#include "driver/core/virtual_memory.h"
#include "machine/memory.h"

namespace heddle::driver {

/// A device's memory that is to be bound: part of `memory`, or what lies at `address`.
struct MulticastSource {
  Device* device = nullptr;
  PhysicalPtr memory = nullptr;
  u64 offset = 0;   ///< in `memory`
  u64 address = 0;  ///< without `memory`
};

class Multicast {
 public:
  explicit Multicast(const CUmulticastObjectProp& properties) : properties_(properties) {}
  Multicast(const Multicast&) = delete;
  Multicast& operator=(const Multicast&) = delete;

  u64 size() const { return properties_.size; }

  CUresult add(Device& device);
  /// Until all devices have been added. Says on stderr what it waits for when that takes long.
  void wait_for_team(const char* caller);

  CUresult bind(u64 offset, u64 bytes, const MulticastSource& source);
  /// Exactly what was bound. Waits until nothing that runs can use it.
  CUresult unbind(Device& device, u64 offset, u64 bytes);

  // Addresses that stand for [offset, offset + bytes).
  void map(machine::AddressRange addresses, u64 offset);
  void set_access(u64 address, machine::Memory::Access access);
  void unmap(u64 address);

 private:
  /// The driver's own addresses of bound memory.
  class View;
  struct Binding {
    u64 bytes;
    u64 base;  ///< address of its first byte
    std::shared_ptr<View> view = nullptr;
  };
  using Bindings = std::map<u64, Binding>;  // by offset

  struct Mapping {
    machine::AddressRange addresses;
    u64 offset;
    machine::Memory::Access access = machine::Memory::Access::none;
  };

  bool in_object(u64 offset, u64 bytes) const;
  machine::Multimem::Part part(const Mapping& mapping, u64 begin, u64 end) const;
  void publish(const Mapping& mapping) const;
  void publish_all() const;

  const CUmulticastObjectProp properties_;
  mutable std::mutex mutex_;
  std::condition_variable complete_;
  std::map<int, Bindings> team_;     // by device
  std::map<u64, Mapping> mappings_;  // by address
};

}  // namespace heddle::driver
