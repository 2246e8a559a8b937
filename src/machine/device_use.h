// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the processes of a user use of Heddle's devices: a table in shared memory with a row for
// each process that has called cuInit. The driver writes the row of its process, the management
// library reads all.
//
// A row belongs to the process that holds a lock on it. The kernel takes the lock from a process
// that ends, however it ends, so no row outlives its process and nobody cleans up. Where there is
// no shared memory (/dev/shm), nothing is written, and no process is seen.
#pragma once

#include <vector>

#include "base/types.h"
#include "machine/profile.h"

namespace heddle::machine {

/// What a process uses of one device.
struct DeviceUse {
  u32 pid;
  u64 bytes;    ///< memory that is allocated
  u32 kernels;  ///< grids that run at this moment
};

/// Enters this process into the table, with devices of the profile. The other writers have no
/// effect before.
void enter_device_table(const Profile& profile);
/// From now on the process counts among those that use the device.
void show_use_of_device(u32 ordinal);
void show_bytes_in_use(u32 ordinal, u64 bytes);

/// While alive, one more grid runs on the device.
class ShownKernel {
 public:
  explicit ShownKernel(u32 ordinal);
  ~ShownKernel();
  ShownKernel(const ShownKernel&) = delete;
  ShownKernel& operator=(const ShownKernel&) = delete;

 private:
  const u32 ordinal_;
};

/// The processes of this user that use the device with this ordinal of the profile, this process
/// included.
std::vector<DeviceUse> uses_of_device(const Profile& profile, u32 ordinal);

}  // namespace heddle::machine
