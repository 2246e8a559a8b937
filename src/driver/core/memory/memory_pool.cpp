// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See memory_pool.h.
#include "driver/core/memory/memory_pool.h"

#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "driver/core/context/device.h"
#include "driver/core/memory/tables.h"
#include "driver/core/process.h"

namespace heddle::driver {
namespace {

struct PoolFile {
  u64 magic;
  u64 id;
  CUmemLocation location;
};
constexpr u64 kPoolMagic = 0x68656464'6c652e33;  // "heddle.3"

template <class T>
CUresult write(void* out, T value) {
  std::memcpy(out, &value, sizeof value);
  return CUDA_SUCCESS;
}

template <class T>
CUresult read(T& value, const void* in) {
  std::memcpy(&value, in, sizeof value);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult check_handle_type(CUmemAllocationHandleType type) {
  switch (type) {
    case CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
      return CUDA_SUCCESS;
    case CU_MEM_HANDLE_TYPE_WIN32:
    case CU_MEM_HANDLE_TYPE_WIN32_KMT:
    case CU_MEM_HANDLE_TYPE_FABRIC:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

Device* PoolPlace::device() const {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? driver::device(location.id) : nullptr;
}

CUresult PoolPlace::check() const {
  if (type != CU_MEM_ALLOCATION_TYPE_PINNED && !is_managed()) return CUDA_ERROR_INVALID_VALUE;
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return device() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    case CU_MEM_LOCATION_TYPE_HOST:
      return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      return location.id >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_MEM_LOCATION_TYPE_NONE:
      return is_managed() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

PoolSlots& pool_slots(const PoolPlace& place) {
  static std::mutex mutex;
  static auto& slots = *new std::map<std::array<int, 3>, PoolSlots>;
  const auto& [type, id] = place.location;
  const bool numbered =
      type == CU_MEM_LOCATION_TYPE_DEVICE || type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
  const std::lock_guard lock(mutex);
  return slots[{place.type, type, numbered ? id : 0}];
}

CUmemoryPool MemoryPool::create(const PoolPlace& place, u64 max_bytes, Origin origin) {
  u64 id = 0;
  if (getrandom(&id, sizeof id, 0) != sizeof id)
    id = static_cast<u64>(getpid()) << 32 ^ next_handle();
  return create(place, max_bytes, origin, id);
}

CUmemoryPool MemoryPool::create(const PoolPlace& place, u64 max_bytes, Origin origin, u64 id) {
  std::shared_ptr<MemoryPool> pool(new MemoryPool(place, max_bytes, origin, id));
  pool->handle_ = memory_tables().pools.add(pool);
  return pool->handle_;
}

int MemoryPool::export_file() const {
  const int file = memfd_create("heddle-pool", MFD_CLOEXEC);
  const PoolFile content{kPoolMagic, id_, place_.location};
  if (file >= 0 && pwrite(file, &content, sizeof content, 0) == sizeof content) return file;
  if (file >= 0) close(file);
  return -1;
}

CUmemoryPool MemoryPool::import(int file) {
  PoolFile content{};
  const bool whole = pread(file, &content, sizeof content, 0) == sizeof content;
  const PoolPlace place{content.location};
  if (!whole || content.magic != kPoolMagic || place.check()) return nullptr;
  return create(place, 0, Origin::imported, content.id);
}

bool MemoryPool::is_open_to(int device) const {
  return place_.is_managed() || device == (device_ ? device_->ordinal : kHost);
}

CUmemAccess_flags MemoryPool::access(int device) {
  if (is_open_to(device)) return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const std::lock_guard lock(mutex_);
  return access_[device];
}

void MemoryPool::set_access(int device, CUmemAccess_flags flags) {
  const std::lock_guard lock(mutex_);
  access_[device] = flags;
}

bool MemoryPool::take(u64 bytes) {
  const std::lock_guard lock(mutex_);
  if (max_bytes_ && bytes > max_bytes_ - used_) return false;
  used_ += bytes;
  used_high_ = std::max(used_high_, used_);
  return true;
}

void MemoryPool::give(u64 bytes) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
}

CUresult MemoryPool::get(CUmemPool_attribute attribute, void* value) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(mutex_);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return write(value, follow_events_);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      return write(value, opportunistic_);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return write(value, internal_dependencies_);
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return write(value, release_threshold_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return write(value, used_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return write(value, used_high_);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult MemoryPool::set(CUmemPool_attribute attribute, const void* value) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(mutex_);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return read(follow_events_, value);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      return read(opportunistic_, value);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return read(internal_dependencies_, value);
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return read(release_threshold_, value);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: {
      // A high-water mark can only be reset to 0.
      u64 zero = 0;
      read(zero, value);
      if (zero) return CUDA_ERROR_INVALID_VALUE;
      used_high_ = used_;
      return CUDA_SUCCESS;
    }
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace heddle::driver
