// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory a program has asked for: by whom, on which device, of what kind. Nearly all of it,
// pinned and managed memory too, lies in the one machine::Memory of the process, so that one
// pointer serves the host and every device; registered memory is the program's own. Driver API
// 6.13, 6.17.
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
    graph,       ///< of a graph's allocation node
    array,       ///< behind a CUarray
    registered,  ///< the program's own, known to the driver
    mapped,      ///< mapped into a reserved range (virtual_memory.h)
    imported,    ///< of another process (ipc.h)
  };
  u64 base = 0;
  u64 size = 0;  ///< bytes, as asked for
  Kind kind = Kind::device;
  unsigned flags = 0;  ///< CU_MEMHOSTALLOC_* or CU_MEM_ATTACH_*
  Context* owner = nullptr;
  Device* device = nullptr;                    ///< that it counts against; null: none
  std::shared_ptr<MemoryPool> pool = nullptr;  ///< that it came from, if any
  u64 id = 0;     ///< never used again (CU_POINTER_ATTRIBUTE_BUFFER_ID)
  int file = -1;  ///< when it is shared with other processes (ipc.h)
  bool sync_memops = false;
  bool is_read_only = false;  ///< registered so, or mapped so

  /// A graph's allocation is of the kind that its node says.
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
  /// Takes memory. Nothing when the device, or the host, has not that much left.
  std::optional<u64> allocate(Allocation what);
  /// Keeps the books of memory that was had in another way. False when it overlaps with something.
  bool enter(Allocation what);
  /// Gives back what begins at `base` when it is of a kind in `kinds`; false when there is no such
  /// allocation.
  bool release(u64 base, std::initializer_list<Allocation::Kind> kinds);
  void release_all_of(const Context* owner);
  /// The allocation that holds `address`.
  std::optional<Allocation> find(u64 address) const;
  /// Runs `change(allocation)` on the one that holds `address`; false when there is none.
  bool change(u64 address, const std::function<void(Allocation&)>& change);
  /// Counts bytes that lie elsewhere against what a device has; false when it has not that much.
  bool charge(const Device& device, u64 bytes);
  void discharge(const Device& device, u64 bytes);
  /// Bytes allocated on a device.
  u64 used_on(const Device& device) const;

 private:
  std::map<u64, Allocation>::iterator forget(std::map<u64, Allocation>::iterator it);
  bool charge_locked(const Device& device, u64 bytes);

  mutable std::mutex mutex_;
  std::map<u64, Allocation> by_base_;
  std::map<const Device*, u64> used_;
  u64 next_id_ = 1;
};

/// What is known of the memory at an address: also of a module's variable, which the program did
/// not allocate.
std::optional<Allocation> describe_memory(u64 address);

/// False for an ordinary host address; true in the range of device memory, allocated or not.
bool is_device_address(u64 address);
/// True when all `bytes` from `address` are memory that a device may touch: a variable of a module,
/// or an allocation of any kind.
bool is_device_range(u64 address, u64 bytes);
/// The same, and it may be written.
bool is_writable_range(u64 address, u64 bytes);
/// True when the bytes may be copied: device memory, or memory that the driver knows nothing about.
bool is_copy_range(u64 address, u64 bytes);

/// Of the process; never destroyed.
Allocations& allocations();

}  // namespace heddle::driver
