// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel uses of its device: the attributes of functions (driver API 6.22), and what the
// assembler says of a kernel (`ptxas -v`).
#pragma once

#include "ir/module.h"
#include "machine/profile.h"

namespace heddle::machine {

struct KernelResources {
  u32 registers = 0;       ///< of a thread
  u32 barriers = 0;        ///< of a CTA, at most 16
  u64 shared_bytes = 0;    ///< of a CTA, without dynamic shared memory
  u64 local_bytes = 0;     ///< of a thread
  u64 constant_bytes = 0;  ///< of the module
  u64 parameter_bytes = 0;
};
KernelResources resources_of(const ir::Module& module, ir::FunctionId kernel,
                             const Profile& profile);

/// Heddle's kernels are not limited by registers. The number never exceeds the one with which a
/// block of maximum size runs.
u32 registers_of(const ir::Function& kernel, const Profile& profile);

/// The sizes of the variables of that space together.
u64 bytes_in(const std::vector<ir::Variable>& variables, ir::Space space);

}  // namespace heddle::machine
