// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory management: address ranges without memory, memory without addresses, and mappings
// of one to the other. Driver API 6.14. Physical memory is a file in memory, so it can be mapped at
// several addresses and shared with other processes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "driver/abi.h"
#include "machine/memory.h"

namespace heddle::driver {

struct Device;
class Multicast;
using MulticastPtr = std::shared_ptr<Multicast>;

/// Addresses and sizes are multiples of this, as on most GPUs.
inline constexpr u64 kGranularity = u64{2} << 20;

/// Memory without an address.
class Physical {
 public:
  /// Null when the device has too little memory left.
  static std::shared_ptr<Physical> create(Device* device, const CUmemAllocationProp& properties,
                                          u64 bytes);
  /// Imports memory from a descriptor of file(), perhaps of another process. The caller keeps the
  /// descriptor. Null when it does not name physical memory.
  static std::shared_ptr<Physical> import(int file);
  ~Physical();
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;

  Device* device() const { return device_; }
  const CUmemAllocationProp& properties() const { return properties_; }
  u64 size() const { return size_; }
  int file() const { return file_; }

  CUmemGenericAllocationHandle handle = 0;
  unsigned references = 1;  ///< of the handle, which is valid until the last reference is released

 private:
  Physical(Device* device, const CUmemAllocationProp& properties, u64 size, int file, bool counts)
      : device_(device), properties_(properties), size_(size), file_(file), counts_(counts) {}

  Device* const device_;  ///< null: memory of the host
  const CUmemAllocationProp properties_;
  const u64 size_;
  const int file_;
  const bool counts_;  ///< whether the memory counts against the device's
};
using PhysicalPtr = std::shared_ptr<Physical>;

class VirtualMemory {
 public:
  CUresult reserve(u64 bytes, u64 align, u64 hint, u64& out);
  CUresult free(u64 address, u64 bytes);
  CUresult map(u64 address, u64 bytes, u64 offset, const PhysicalPtr& memory);
  CUresult map(u64 address, u64 bytes, u64 offset, const MulticastPtr& multicast);
  /// Unmaps a range that consists of whole mappings.
  CUresult unmap(u64 address, u64 bytes);
  CUresult set_access(u64 address, u64 bytes, const CUmemAccessDesc* what, std::size_t count);
  CUresult get_access(u64 address, const CUmemLocation& location, unsigned long long& flags) const;

  struct Found {
    PhysicalPtr memory = nullptr;
    u64 offset = 0;  ///< in `memory`
    u64 room = 0;    ///< bytes from there to the end of the mapping
  };
  /// The memory that is mapped at `address`. Found::memory is null when there is none.
  Found locate(u64 address) const;
  /// Refreshes the multicast object that is mapped at `address`, if there is one.
  void refresh(u64 address) const;
  /// Whether the address lies in a reserved range.
  bool is_reserved(u64 address) const;

 private:
  struct Mapping {
    u64 size;
    u64 offset;  ///< in the object
    PhysicalPtr memory = nullptr;
    MulticastPtr multicast = nullptr;              ///< instead of `memory`
    std::map<int, CUmemAccess_flags> access = {};  // by device; the host is kHost
  };
  static constexpr int kHost = -1;

  const machine::AddressRange* reservation(u64 address) const;
  /// Whether the range is free, and an object of `size` bytes has the range that is to be mapped.
  bool can_map(u64 address, u64 bytes, u64 offset, u64 size) const;
  /// The first of the mappings that exactly fill a range; end() when they do not.
  std::map<u64, Mapping>::iterator first_in(u64 address, u64 bytes);

  mutable std::mutex mutex_;
  std::map<u64, machine::AddressRange> reserved_;
  std::map<u64, Mapping> mapped_;
};

/// The address ranges of the process, which are never destroyed.
VirtualMemory& virtual_memory();

}  // namespace heddle::driver
