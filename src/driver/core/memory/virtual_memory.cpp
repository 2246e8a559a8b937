// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See virtual_memory.h.
#include "driver/core/memory/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "driver/core/context/device.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/multicast.h"
#include "driver/core/process.h"

namespace heddle::driver {
namespace {

// The name of a file with physical memory, by which import() recognizes such a file. Linux shows
// the name of a memory file as the target of its link in /proc.
constexpr const char* kFileName = "heddle-memory";

bool is_memory_file(int file) {
  char target[64] = "";
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const auto length = readlink(link.c_str(), target, sizeof target - 1);
  return length > 0 && std::string_view(target, static_cast<std::size_t>(length))
                           .starts_with(std::string("/memfd:") + kFileName);
}

machine::Memory::Access strongest(const std::map<int, CUmemAccess_flags>& access) {
  unsigned all = 0;
  for (const auto& [device, flags] : access) all |= flags;
  if (all == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return machine::Memory::Access::write;
  return all ? machine::Memory::Access::read : machine::Memory::Access::none;
}

bool is_valid_access(const CUmemAccessDesc& what) {
  return what.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
         what.flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
         what.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

}  // namespace

PhysicalPtr Physical::create(Device* device, const CUmemAllocationProp& properties, u64 bytes) {
  if (device && !allocations().charge(*device, bytes)) return nullptr;
  const int file = memfd_create(kFileName, MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    if (file >= 0) close(file);
    if (device) allocations().discharge(*device, bytes);
    return nullptr;
  }
  return PhysicalPtr(new Physical(device, properties, bytes, file, device != nullptr));
}

PhysicalPtr Physical::import(int file) {
  struct stat status{};
  if (fstat(file, &status) != 0 || !is_memory_file(file)) return nullptr;
  const int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return nullptr;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return PhysicalPtr(new Physical(devices().front().get(), properties,
                                  static_cast<u64>(status.st_size), copy, false));
}

Physical::~Physical() {
  close(file_);
  if (counts_) allocations().discharge(*device_, size_);
}

const machine::AddressRange* VirtualMemory::reservation(u64 address) const {
  const auto after = reserved_.upper_bound(address);
  if (after == reserved_.begin()) return nullptr;
  const auto& candidate = std::prev(after)->second;
  return candidate.contains(address) ? &candidate : nullptr;
}

CUresult VirtualMemory::reserve(u64 bytes, u64 align, u64 hint, u64& out) {
  if (!bytes || bytes % machine::kPage || hint % machine::kPage || (align & (align - 1))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto base = device_memory().reserve(bytes, std::max(align, kGranularity), hint);
  if (!base.ok()) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::lock_guard lock(mutex_);
  reserved_[*base] = {*base, bytes};
  out = *base;
  return CUDA_SUCCESS;
}

CUresult VirtualMemory::free(u64 address, u64 bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = reserved_.find(address);
  if (found == reserved_.end() || found->second.size != bytes) return CUDA_ERROR_INVALID_VALUE;
  const auto mapping = mapped_.lower_bound(address);
  if (mapping != mapped_.end() && found->second.contains(mapping->first)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  reserved_.erase(found);
  device_memory().unreserve(address);
  return CUDA_SUCCESS;
}

bool VirtualMemory::can_map(u64 address, u64 bytes, u64 offset, u64 size) const {
  if (!bytes || (address | bytes | offset) % kGranularity || offset > size ||
      bytes > size - offset) {
    return false;
  }
  const auto* range = reservation(address);
  if (!range || !range->contains(address, bytes)) return false;
  const auto next = mapped_.lower_bound(address);
  if (next != mapped_.end() && next->first < address + bytes) return false;
  if (next == mapped_.begin()) return true;
  const auto& [base, before] = *std::prev(next);
  return address >= base + before.size;
}

CUresult VirtualMemory::map(u64 address, u64 bytes, u64 offset, const PhysicalPtr& memory) {
  const std::lock_guard lock(mutex_);
  if (!can_map(address, bytes, offset, memory->size())) return CUDA_ERROR_INVALID_VALUE;
  if (!device_memory().map({address, bytes}, memory->file(), offset)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  mapped_.emplace(address, Mapping{.size = bytes, .offset = offset, .memory = memory});
  return CUDA_SUCCESS;
}

CUresult VirtualMemory::map(u64 address, u64 bytes, u64 offset, const MulticastPtr& multicast) {
  const std::lock_guard lock(mutex_);
  if (!can_map(address, bytes, offset, multicast->size())) return CUDA_ERROR_INVALID_VALUE;
  multicast->map({address, bytes}, offset);
  mapped_.emplace(address, Mapping{.size = bytes, .offset = offset, .multicast = multicast});
  return CUDA_SUCCESS;
}

std::map<u64, VirtualMemory::Mapping>::iterator VirtualMemory::first_in(u64 address, u64 bytes) {
  const auto first = mapped_.find(address);
  u64 at = address;
  for (auto it = first; it != mapped_.end() && it->first == at && at < address + bytes; ++it) {
    at += it->second.size;
  }
  return bytes && at == address + bytes ? first : mapped_.end();
}

CUresult VirtualMemory::unmap(u64 address, u64 bytes) {
  const std::lock_guard lock(mutex_);
  auto it = first_in(address, bytes);
  if (it == mapped_.end()) return CUDA_ERROR_INVALID_VALUE;
  while (it != mapped_.end() && it->first < address + bytes) {
    if (it->second.multicast) it->second.multicast->unmap(it->first);
    allocations().release(it->first, {Allocation::Kind::mapped});
    it = mapped_.erase(it);
  }
  device_memory().unmap({address, bytes});
  return CUDA_SUCCESS;
}

CUresult VirtualMemory::set_access(u64 address, u64 bytes, const CUmemAccessDesc* what,
                                   std::size_t count) {
  if (!what || !count) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_valid_access(what[i])) return CUDA_ERROR_INVALID_VALUE;
    if (what[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
      if (!device(what[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
    } else if (what[i].location.type < CU_MEM_LOCATION_TYPE_HOST ||
               what[i].location.type > CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  const std::lock_guard lock(mutex_);
  auto it = first_in(address, bytes);
  if (it == mapped_.end()) return CUDA_ERROR_INVALID_VALUE;
  for (; it != mapped_.end() && it->first < address + bytes; ++it) {
    auto& [base, mapping] = *it;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& location = what[i].location;
      mapping.access[location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : kHost] =
          what[i].flags;
    }
    const auto access = strongest(mapping.access);
    if (mapping.multicast) {
      mapping.multicast->set_access(base, access);
      continue;
    }
    device_memory().protect({base, mapping.size}, access);
    allocations().release(base, {Allocation::Kind::mapped});
    if (access == machine::Memory::Access::none) continue;
    allocations().enter({.base = base,
                         .size = mapping.size,
                         .kind = Allocation::Kind::mapped,
                         .device = mapping.memory->device(),
                         .is_read_only = access == machine::Memory::Access::read});
  }
  return CUDA_SUCCESS;
}

CUresult VirtualMemory::get_access(u64 address, const CUmemLocation& location,
                                   unsigned long long& flags) const {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE && !device(location.id)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  const std::lock_guard lock(mutex_);
  const auto after = mapped_.upper_bound(address);
  if (after == mapped_.begin()) return CUDA_ERROR_INVALID_VALUE;
  const auto& [base, mapping] = *std::prev(after);
  if (address - base >= mapping.size) return CUDA_ERROR_INVALID_VALUE;
  const int key = location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : kHost;
  const auto found = mapping.access.find(key);
  flags = found == mapping.access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : found->second;
  return CUDA_SUCCESS;
}

VirtualMemory::Found VirtualMemory::locate(u64 address) const {
  const std::lock_guard lock(mutex_);
  const auto after = mapped_.upper_bound(address);
  if (after == mapped_.begin()) return {};
  const auto& [base, mapping] = *std::prev(after);
  const u64 inside = address - base;
  if (inside >= mapping.size) return {};
  return {mapping.memory, mapping.offset + inside, mapping.size - inside};
}

void VirtualMemory::refresh(u64 address) const {
  const std::lock_guard lock(mutex_);
  const auto after = mapped_.upper_bound(address);
  if (after == mapped_.begin()) return;
  const auto& [base, mapping] = *std::prev(after);
  if (mapping.multicast && address - base < mapping.size) mapping.multicast->refresh();
}

bool VirtualMemory::is_reserved(u64 address) const {
  const std::lock_guard lock(mutex_);
  return reservation(address) != nullptr;
}

VirtualMemory& virtual_memory() {
  static VirtualMemory& instance = *new VirtualMemory;
  return instance;
}

}  // namespace heddle::driver
