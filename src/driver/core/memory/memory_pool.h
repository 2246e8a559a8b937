// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory pools of the stream-ordered allocator. Driver API 6.15. Memory is taken when it is asked
// for and goes back when the stream reaches the free, so a pool is mostly a counter: nothing is
// reserved beyond what is in use.
#pragma once

#include <map>
#include <mutex>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

struct Device;

/// Of a type of handles between processes: files are supported; CUDA_ERROR_INVALID_VALUE: no such.
CUresult check_handle_type(CUmemAllocationHandleType type);

/// Where a pool's memory is, or is preferred to be, and of which kind it is.
struct PoolPlace {
  CUmemLocation location;
  CUmemAllocationType type = CU_MEM_ALLOCATION_TYPE_PINNED;

  bool is_managed() const { return type == CU_MEM_ALLOCATION_TYPE_MANAGED; }
  /// That the memory counts against; null: none.
  Device* device() const;
  /// Whether there can be a pool.
  CUresult check() const;
};

/// Which pools a place has. Guarded by the mutex.
struct PoolSlots {
  /// Where allocations come from; null: not asked for yet, or the default one.
  CUmemoryPool default_pool = nullptr, current_pool = nullptr;
  std::mutex mutex;
};
/// All memory of the host is alike; its nodes are names.
PoolSlots& pool_slots(const PoolPlace& place);

class MemoryPool {
 public:
  /// Whether other processes may have the pool, or it is another one's.
  enum class Origin { own, exported, imported };

  /// `max_bytes` 0: as much as there is.
  static CUmemoryPool create(const PoolPlace& place, u64 max_bytes, Origin origin);
  /// The one of another process that a descriptor of export_file() stands for; null when it is
  /// none, or of a device that this process has not.
  static CUmemoryPool import(int file);

  const PoolPlace& place() const { return place_; }
  Device* device() const { return device_; }
  CUmemoryPool handle() const { return handle_; }
  /// A number that it has in all processes.
  u64 id() const { return id_; }

  Origin origin() const { return origin_; }
  /// A new file descriptor that stands for the pool; -1: the host refuses.
  int export_file() const;

  static constexpr int kHost = -1;  ///< stands for the host among devices
  /// Whether a device always has access: where the memory is, and everywhere when it is managed.
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
