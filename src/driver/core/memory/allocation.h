// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocations of a program, with their contexts, devices and kinds. Nearly all of them, also
// pinned and managed memory, lie in the one machine::Memory of the process, so that one pointer
// serves the host and every device. Registered memory is the program's own. Driver API 6.13, 6.17.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

class Context;
struct Device;
class MemoryPool;

struct Allocation {
  enum class Kind {
    device,
    host,
    managed,
    graph,       ///< allocated by a graph's node
    array,       ///< memory of a CUarray
    registered,  ///< the program's own memory, registered with the driver
    mapped,      ///< mapped into a reserved range (virtual_memory.h)
    imported,    ///< memory of another process (ipc.h)
  };
  u64 base = 0;
  u64 size = 0;  ///< bytes that the program asked for
  Kind kind = Kind::device;
  unsigned flags = 0;  ///< CU_MEMHOSTALLOC_* or CU_MEM_ATTACH_*
  Context* owner = nullptr;
  Device* device = nullptr;                    ///< whose memory it counts against; null: none
  std::shared_ptr<MemoryPool> pool = nullptr;  ///< the pool that it came from, if any
  u64 id = 0;     ///< never used again (CU_POINTER_ATTRIBUTE_BUFFER_ID)
  int file = -1;  ///< of memory that is shared with other processes (ipc.h); -1: none
  bool sync_memops = false;
  bool is_read_only = false;  ///< registered or mapped read-only

  /// The node of a graph's allocation says whether the memory is managed.
  bool is_managed() const {
    return kind == Kind::managed || (kind == Kind::graph && flags == CU_MEM_ATTACH_GLOBAL);
  }
  bool is_host() const {
    const bool pooled = pool || kind == Kind::graph;
    return kind == Kind::host || kind == Kind::registered || (pooled && !device && !is_managed());
  }
};

class Allocations {
 public:
  /// Allocates memory. Nothing when the device or the host has too little memory left.
  std::optional<u64> allocate(Allocation what);
  /// Records memory that was not allocated here. False when it overlaps with another allocation.
  bool enter(Allocation what);
  /// Frees the allocation that begins at `base` when its kind is one of `kinds`. False when there
  /// is no such allocation.
  bool release(u64 base, std::initializer_list<Allocation::Kind> kinds);
  void release_all_of(const Context* owner);
  /// The allocation that holds `address`.
  std::optional<Allocation> find(u64 address) const;
  /// Runs `change(allocation)` on the allocation that holds `address`. False when there is none.
  bool change(u64 address, const std::function<void(Allocation&)>& change);
  /// Counts bytes that are allocated elsewhere against the device's memory. False when the device
  /// has too little memory left.
  bool charge(const Device& device, u64 bytes);
  void discharge(const Device& device, u64 bytes);
  /// Bytes allocated on a device.
  u64 used_on(const Device& device) const;

 private:
  std::map<u64, Allocation>::iterator forget(std::map<u64, Allocation>::iterator it);
  bool charge_locked(const Device& device, u64 bytes);
  void uncharge_locked(const Device& device, u64 bytes);

  mutable std::mutex mutex_;
  std::map<u64, Allocation> by_base_;
  std::map<const Device*, u64> used_;
  u64 next_id_ = 1;
};

/// Describes the memory at an address: an allocation, or a module's variable.
std::optional<Allocation> describe_memory(u64 address);

/// Whether the address lies in the range of device memory, allocated or not. Addresses of ordinary
/// host memory do not.
bool is_device_address(u64 address);
/// Whether a device may access all `bytes` from `address`: they lie in a variable of a module, or
/// in an allocation of any kind.
bool is_device_range(u64 address, u64 bytes);
/// Whether a device may also write all the bytes.
bool is_writable_range(u64 address, u64 bytes);
/// Whether the bytes may be copied: they are device memory, or memory that the driver does not
/// know.
bool is_copy_range(u64 address, u64 bytes);

/// The allocations of the process, which are never destroyed.
Allocations& allocations();

}  // namespace heddle::driver
