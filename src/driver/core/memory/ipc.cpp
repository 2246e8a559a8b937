// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ipc.h.
#include "driver/core/memory/ipc.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/tables.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/memory_pool.h"
#include "driver/core/process.h"

namespace heddle::driver {
namespace {

constexpr u64 kIpcMagic = 0x68656464'6c652e31;  // "heddle.1"
constexpr std::size_t kMarkBytes = 4096;

struct Imports {
  struct Import {
    u64 inode;
    unsigned count;
    machine::AddressRange range;
  };
  std::mutex mutex;
  std::map<u64, Import> by_base;
};

Imports& imports() {
  static Imports& instance = *new Imports;
  return instance;
}

}  // namespace

SharedHandle handle_of(int file, SharedHandle::Kind kind) {
  struct stat status{};
  fstat(file, &status);
  return {.magic = kIpcMagic,
          .process = getpid(),
          .file = file,
          .inode = status.st_ino,
          .size = static_cast<u64>(status.st_size),
          .kind = kind};
}

int open_shared(const SharedHandle& handle, SharedHandle::Kind kind) {
  if (handle.magic != kIpcMagic || handle.kind != kind) return -1;
  const std::string path =
      "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status{};
  if (file < 0) return -1;
  if (fstat(file, &status) == 0 && status.st_ino == handle.inode &&
      static_cast<u64>(status.st_size) >= handle.size) {
    return file;
  }
  close(file);
  return -1;
}

CUresult export_memory(u64 address, SharedHandle& out) {
  const auto found = allocations().find(address);
  if (!found || found->kind != Allocation::Kind::device) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  int file = found->file;
  if (file < 0) {
    // No work may write to the memory while it is copied into the file.
    for (const auto& context : context_tables().contexts.all()) context->synchronize();
    file = device_memory().share(found->base);
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    allocations().change(found->base, [&](Allocation& each) { each.file = file; });
  }
  out = handle_of(file);
  out.offset = address - found->base;
  out.device = found->device ? found->device->ordinal : -1;
  if (found->pool) {
    out.kind = SharedHandle::Kind::pool_memory;
    out.pool = found->pool->id();
  }
  return CUDA_SUCCESS;
}

namespace {

/// `as`: the allocation in this process; its place and kind are set here.
CUresult map_import(const SharedHandle& handle, SharedHandle::Kind kind, Allocation as, u64& out) {
  const int file = open_shared(handle, kind);
  if (file < 0) return CUDA_ERROR_INVALID_HANDLE;
  Imports& all = imports();
  const std::lock_guard lock(all.mutex);
  for (auto& [base, import] : all.by_base) {
    if (import.inode != handle.inode) continue;
    close(file);
    ++import.count;
    out = base + handle.offset;
    return CUDA_SUCCESS;
  }
  auto& memory = device_memory();
  // One page more is reserved and stays unmapped, so that accesses beyond the end fail.
  const auto base = memory.reserve(machine::round_up(handle.size, machine::kPage) + machine::kPage,
                                   machine::kPage, 0);
  if (!base.ok()) {
    close(file);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const machine::AddressRange range{*base, handle.size};
  const bool mapped =
      memory.map(range, file, 0) && memory.protect(range, machine::Memory::Access::write);
  close(file);
  if (!mapped) {
    memory.unreserve(*base);
    return CUDA_ERROR_MAP_FAILED;
  }
  if (as.pool) as.pool->take(handle.size);
  as.base = *base;
  as.size = handle.size;
  as.kind = Allocation::Kind::imported;
  allocations().enter(as);
  all.by_base[*base] = {handle.inode, 1, range};
  out = *base + handle.offset;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult import_memory(const SharedHandle& handle, Device& device, u64& out) {
  Device* const named = heddle::driver::device(handle.device);
  return map_import(handle, SharedHandle::Kind::memory, {.device = named ? named : &device}, out);
}

CUresult import_memory(const SharedHandle& handle, const std::shared_ptr<MemoryPool>& pool,
                       u64& out) {
  if (handle.kind != SharedHandle::Kind::pool_memory || handle.pool != pool->id()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return map_import(handle, SharedHandle::Kind::pool_memory,
                    {.device = pool->device(), .pool = pool}, out);
}

CUresult close_imported(u64 address) {
  Imports& all = imports();
  const std::lock_guard lock(all.mutex);
  const auto found = allocations().find(address);
  if (!found || found->kind != Allocation::Kind::imported) return CUDA_ERROR_INVALID_VALUE;
  const auto import = all.by_base.find(found->base);
  if (import == all.by_base.end()) return CUDA_ERROR_INVALID_VALUE;
  if (--import->second.count) return CUDA_SUCCESS;
  allocations().release(found->base, {Allocation::Kind::imported});
  device_memory().unreserve(found->base);
  all.by_base.erase(import);
  return CUDA_SUCCESS;
}

std::shared_ptr<SharedMark> SharedMark::create() {
  const int file = memfd_create("heddle-event", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  if (ftruncate(file, kMarkBytes) != 0) {
    close(file);
    return nullptr;
  }
  const auto made = import(handle_of(file, SharedHandle::Kind::event));
  close(file);
  return made;
}

std::shared_ptr<SharedMark> SharedMark::import(const SharedHandle& handle) {
  const int file = open_shared(handle, SharedHandle::Kind::event);
  if (file < 0) return nullptr;
  void* at = mmap(nullptr, kMarkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) {
    close(file);
    return nullptr;
  }
  return std::shared_ptr<SharedMark>(new SharedMark(file, static_cast<Words*>(at)));
}

SharedMark::~SharedMark() {
  munmap(words_, kMarkBytes);
  close(file_);
}

SharedHandle SharedMark::handle() const { return handle_of(file_, SharedHandle::Kind::event); }

void SharedMark::finish(u64 number) {
  u64 done = words_->done.load();
  while (done < number && !words_->done.compare_exchange_weak(done, number)) {
  }
}

void SharedMark::wait(u64 number) const {
  while (!is_done(number) && !exiting()) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace heddle::driver
