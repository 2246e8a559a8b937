// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory pools of the stream-ordered allocator. Driver API 6.15. Memory is allocated at the call,
// and freed when the stream reaches the free operation. So a pool is mostly a counter, and reserves
// no unused memory.
#pragma once

#include <map>
#include <mutex>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

struct Device;

/// CUDA_SUCCESS for file descriptors, CUDA_ERROR_NOT_SUPPORTED for other types of handles between
/// processes, CUDA_ERROR_INVALID_VALUE when there is no such type.
CUresult check_handle_type(CUmemAllocationHandleType type);

/// Location and type of a pool's memory. For managed memory, the preferred location.
struct PoolPlace {
  CUmemLocation location;
  CUmemAllocationType type = CU_MEM_ALLOCATION_TYPE_PINNED;

  bool is_managed() const { return type == CU_MEM_ALLOCATION_TYPE_MANAGED; }
  /// The device whose memory the pool counts against; null: none.
  Device* device() const;
  /// CUDA_SUCCESS when the location can have pools, or the error.
  CUresult check() const;
};

/// The pools of a place, guarded by the mutex.
struct PoolSlots {
  /// `default_pool` is null until its first use. `current_pool`, from which allocations come, is
  /// null when it is the default one.
  CUmemoryPool default_pool = nullptr, current_pool = nullptr;
  std::mutex mutex;
};
/// The pools of a place. All NUMA nodes of the host share theirs.
PoolSlots& pool_slots(const PoolPlace& place);

class MemoryPool {
 public:
  /// Whether the pool belongs to this process alone, can be shared with other processes, or belongs
  /// to another process.
  enum class Origin { own, exported, imported };

  /// `max_bytes` 0: no limit.
  static CUmemoryPool create(const PoolPlace& place, u64 max_bytes, Origin origin);
  /// Imports a pool of another process from a descriptor of export_file(). Null when the descriptor
  /// is not one, or when this process does not have the pool's device.
  static CUmemoryPool import(int file);

  const PoolPlace& place() const { return place_; }
  Device* device() const { return device_; }
  CUmemoryPool handle() const { return handle_; }
  /// A number that is the same in all processes.
  u64 id() const { return id_; }

  Origin origin() const { return origin_; }
  /// A new file descriptor that names the pool; -1 on an error of the host.
  int export_file() const;

  static constexpr int kHost = -1;  ///< the host's number among the devices
  /// Whether a device always has access: the memory is its own, or managed.
  bool is_open_to(int device) const;
  CUmemAccess_flags access(int device);
  void set_access(int device, CUmemAccess_flags flags);

  /// Counts `bytes` as used; false when they exceed the pool's size.
  bool take(u64 bytes);
  void give(u64 bytes);

  /// The value of an attribute, or CUDA_ERROR_INVALID_VALUE. Values are int or u64 as the API says.
  CUresult get(CUmemPool_attribute attribute, void* value);
  CUresult set(CUmemPool_attribute attribute, const void* value);

 private:
  MemoryPool(const PoolPlace& place, u64 max_bytes, Origin origin, u64 id)
      : place_(place), device_(place.device()), max_bytes_(max_bytes), origin_(origin), id_(id) {}
  static CUmemoryPool create(const PoolPlace& place, u64 max_bytes, Origin origin, u64 id);

  const PoolPlace place_;
  Device* const device_;
  const u64 max_bytes_;
  const Origin origin_;
  const u64 id_;
  CUmemoryPool handle_ = nullptr;
  std::mutex mutex_;
  std::map<int, CUmemAccess_flags> access_;
  u64 used_ = 0, used_high_ = 0;
  u64 release_threshold_ = 0;
  int follow_events_ = 1, opportunistic_ = 1, internal_dependencies_ = 1;
};

}  // namespace heddle::driver
