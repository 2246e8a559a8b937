// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and events of other processes on this machine. Driver API 6.13 (cuIpc*), 6.15 (exported
// pools). A handle names a process and one of its open files, which another process opens through
// /proc. So both processes must belong to the same user, and the exporting process must still run.
#pragma once

#include <atomic>
#include <memory>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

struct Device;
class MemoryPool;

/// The contents of a CUipcMemHandle, CUipcEventHandle or CUmemPoolPtrExportData, which have 64
/// bytes.
struct SharedHandle {
  /// The kind of the shared object. A handle of another kind is not accepted.
  enum class Kind : u32 { memory, pool_memory, event };

  u64 magic = 0;
  int process = 0;
  int file = -1;
  u64 inode = 0;  ///< of the file, because the process may have reused its descriptor
  u64 size = 0;
  u64 offset = 0;  ///< of the address in the allocation
  int device = 0;
  Kind kind = Kind::memory;
  u64 pool = 0;  ///< MemoryPool::id(), for memory from a pool
};
static_assert(sizeof(SharedHandle) <= CU_IPC_HANDLE_SIZE);

/// Makes the handle of a file, which this process must keep open.
SharedHandle handle_of(int file, SharedHandle::Kind kind = SharedHandle::Kind::memory);
/// A descriptor of the file that the handle names, or -1.
int open_shared(const SharedHandle& handle, SharedHandle::Kind kind = SharedHandle::Kind::memory);

/// Makes the allocation that holds `address` shared.
CUresult export_memory(u64 address, SharedHandle& out);
/// Maps the memory of a handle. The same handle gives the same address, and imports are counted.
/// The memory belongs to `pool`; without a pool, to the device that the handle names, or to
/// `device` when this process does not have that one.
CUresult import_memory(const SharedHandle& handle, Device& device, u64& out);
CUresult import_memory(const SharedHandle& handle, const std::shared_ptr<MemoryPool>& pool,
                       u64& out);
/// Undoes one import.
CUresult close_imported(u64 address);

/// The state of an event that processes share: the number of its records, and the last of them that
/// is done.
class SharedMark {
 public:
  static std::shared_ptr<SharedMark> create();
  static std::shared_ptr<SharedMark> import(const SharedHandle& handle);
  ~SharedMark();
  SharedMark(const SharedMark&) = delete;
  SharedMark& operator=(const SharedMark&) = delete;

  SharedHandle handle() const;
  u64 record() { return words_->recorded.fetch_add(1) + 1; }
  u64 recorded() const { return words_->recorded.load(); }
  void finish(u64 number);
  bool is_done(u64 number) const { return words_->done.load() >= number; }
  void wait(u64 number) const;

 private:
  struct Words {
    std::atomic<u64> recorded, done;
  };
  explicit SharedMark(int file, Words* words) : file_(file), words_(words) {}

  const int file_;
  Words* const words_;
};

}  // namespace heddle::driver
