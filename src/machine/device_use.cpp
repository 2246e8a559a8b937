// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See device_use.h.
#include "machine/device_use.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "base/config.h"

namespace heddle::machine {
namespace {

/// A row of the table fills a page of the file, so that a process maps its own row alone.
struct Row {
  struct Use {
    std::atomic<u32> used;  ///< whether the process counts among those that use the device
    std::atomic<u32> kernels;
    std::atomic<u64> bytes;
  };
  std::atomic<u32> pid;
  char profile[28];  ///< of the process's devices; not terminated if it is as long as that
  Use devices[kMaxDevices];
};
constexpr u64 kRowBytes = 4096;
static_assert(sizeof(Row) <= kRowBytes);
static_assert(std::atomic<u64>::is_always_lock_free);
constexpr u64 kMaxRows = 4096;  ///< more processes are not seen

/// The number is the version of the layout.
std::string table_name() { return fmt::format("/heddle-{}-1", getuid()); }

/// The file of the table, if it is this user's and nobody else may write it. -1: there is none.
int open_table(int flags) {
  const int file = shm_open(table_name().c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return -1;
  struct stat about;
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == getuid() &&
      !(about.st_mode & (S_IWGRP | S_IWOTH)))
    return file;
  close(file);
  return -1;
}

/// The lock of a row. It belongs to the open file, not to the process: the other library of this
/// process sees it, and closing another descriptor of the file does not release it.
struct flock lock_of(u64 row) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(row * kRowBytes);
  lock.l_len = kRowBytes;
  return lock;
}

/// A child that was forked keeps its parent's lock, so the process itself must be alive as well.
bool is_owned(int file, u64 row, u32 pid) {
  struct flock lock = lock_of(row);
  return pid && fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK &&
         (kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
}

/// The row of this process; null: it is not in the table.
std::atomic<Row*> own_row{nullptr};

Row* take_row(int file) {
  for (u64 i = 0; i < kMaxRows; ++i) {
    struct flock lock = lock_of(i);
    if (fcntl(file, F_OFD_SETLK, &lock) != 0) {
      if (errno == EAGAIN || errno == EACCES) continue;  // another process has the row
      return nullptr;
    }
    // The page must exist: a write into a hole of a full file system is a SIGBUS.
    if (posix_fallocate(file, lock.l_start, kRowBytes) != 0) return nullptr;
    void* const page =
        mmap(nullptr, kRowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, lock.l_start);
    return page == MAP_FAILED ? nullptr : static_cast<Row*>(page);
  }
  return nullptr;
}

}  // namespace

void enter_device_table(const Profile& profile) {
  const int file = open_table(O_RDWR | O_CREAT);  // stays open: it holds the lock
  if (file < 0) return;
  Row* const row = take_row(file);
  if (!row) {
    close(file);
    return;
  }
  row->pid = 0;  // the process that had the row before
  std::memset(row->profile, 0, sizeof row->profile);
  std::memcpy(row->profile, profile.name.data(),
              std::min(profile.name.size(), sizeof row->profile));
  for (Row::Use& use : row->devices) use.used = 0, use.kernels = 0, use.bytes = 0;
  row->pid = static_cast<u32>(getpid());
  own_row = row;
}

void show_use_of_device(u32 ordinal) {
  if (Row* const row = own_row.load(std::memory_order_relaxed)) row->devices[ordinal].used = 1;
}

void show_bytes_in_use(u32 ordinal, u64 bytes) {
  if (Row* const row = own_row.load(std::memory_order_relaxed))
    row->devices[ordinal].bytes.store(bytes, std::memory_order_relaxed);
}

ShownKernel::ShownKernel(u32 ordinal) : ordinal_(ordinal) {
  if (Row* const row = own_row.load(std::memory_order_relaxed))
    row->devices[ordinal_].kernels.fetch_add(1, std::memory_order_relaxed);
}

ShownKernel::~ShownKernel() {
  if (Row* const row = own_row.load(std::memory_order_relaxed))
    row->devices[ordinal_].kernels.fetch_sub(1, std::memory_order_relaxed);
}

std::vector<DeviceUse> uses_of_device(const Profile& profile, u32 ordinal) {
  const int file = open_table(O_RDONLY);
  if (file < 0) return {};
  std::vector<DeviceUse> uses;
  const auto row = std::make_unique<Row>();
  const std::string_view wanted = profile.name.substr(0, sizeof row->profile);
  for (u64 i = 0; i < kMaxRows; ++i) {
    const auto at = static_cast<off_t>(i * kRowBytes);
    if (pread(file, static_cast<void*>(row.get()), sizeof(Row), at) != sizeof(Row)) break;
    const std::string_view name(row->profile, strnlen(row->profile, sizeof row->profile));
    const Row::Use& use = row->devices[ordinal];
    if (name == wanted && use.used && is_owned(file, i, row->pid))
      uses.push_back({row->pid, use.bytes, use.kernels});
  }
  close(file);
  return uses;
}

}  // namespace heddle::machine
