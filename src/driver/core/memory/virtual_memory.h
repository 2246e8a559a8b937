// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory management: address ranges without memory, memory without addresses, and mappings
// of one to the other. Driver API 6.14. Memory is a file in memory, so it can be mapped in several
// places and handed to other processes.
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

/// What everything here is a multiple of: as on most GPUs.
inline constexpr u64 kGranularity = u64{2} << 20;

/// Memory without an address.
class Physical {
 public:
  /// Null when the device has not that much.
  static std::shared_ptr<Physical> create(Device* device, const CUmemAllocationProp& properties,
                                          u64 bytes);
  /// From a file descriptor of create(), perhaps of another process; the descriptor stays the
  /// caller's. Null when it is none.
  static std::shared_ptr<Physical> import(int file);
  ~Physical();
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;

  Device* device() const { return device_; }
  const CUmemAllocationProp& properties() const { return properties_; }
  u64 size() const { return size_; }
  int file() const { return file_; }

  CUmemGenericAllocationHandle handle = 0;
  unsigned references = 1;  ///< of the handle, which lives until the last one is given back

 private:
  Physical(Device* device, const CUmemAllocationProp& properties, u64 size, int file, bool counts)
      : device_(device), properties_(properties), size_(size), file_(file), counts_(counts) {}

  Device* const device_;  ///< null: memory of the host
  const CUmemAllocationProp properties_;
  const u64 size_;
  const int file_;
  const bool counts_;  ///< against what the device has
};
using PhysicalPtr = std::shared_ptr<Physical>;

class VirtualMemory {
 public:
  CUresult reserve(u64 bytes, u64 align, u64 hint, u64& out);
  CUresult free(u64 address, u64 bytes);
  CUresult map(u64 address, u64 bytes, u64 offset, const PhysicalPtr& memory);
  CUresult map(u64 address, u64 bytes, u64 offset, const MulticastPtr& multicast);
  /// Whole mappings only.
  CUresult unmap(u64 address, u64 bytes);
  CUresult set_access(u64 address, u64 bytes, const CUmemAccessDesc* what, std::size_t count);
  CUresult get_access(u64 address, const CUmemLocation& location, unsigned long long& flags) const;

  struct Found {
    PhysicalPtr memory = nullptr;
    u64 offset = 0;  ///< in `memory`
    u64 room = 0;    ///< bytes from there to the end of the mapping
  };
  /// Which memory is mapped at `address`; null when none is.
  Found locate(u64 address) const;
  /// Asks the multicast object that is mapped at `address`, if one is, for news.
  void refresh(u64 address) const;
  /// True inside of a reserved range.
  bool is_reserved(u64 address) const;

 private:
  struct Mapping {
    u64 size;
    u64 offset;  ///< in the object
    PhysicalPtr memory = nullptr;
    MulticastPtr multicast = nullptr;              ///< in its place
    std::map<int, CUmemAccess_flags> access = {};  // by device; the host is kHost
  };
  static constexpr int kHost = -1;

  const machine::AddressRange* reservation(u64 address) const;
  /// Free for a mapping of an object of `size` bytes.
  bool can_map(u64 address, u64 bytes, u64 offset, u64 size) const;
  /// The mappings that exactly fill a range; empty when there are gaps or parts.
  std::map<u64, Mapping>::iterator first_in(u64 address, u64 bytes);

  mutable std::mutex mutex_;
  std::map<u64, machine::AddressRange> reserved_;
  std::map<u64, Mapping> mapped_;
};

/// Of the process; never destroyed.
VirtualMemory& virtual_memory();

}  // namespace heddle::driver
