// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs subjects on a device.
#pragma once

#include "device.h"
#include "recording.h"
#include "subject.h"

namespace heddle::golden {

/// Appends a record for each subject; for sweeps through 2^32 inputs only with each `stride`-th
/// group. If the device cannot load or does not support a subject, its record says that it did not
/// run. Returns "", or the error: it concerns the last record, and perhaps the device, which is
/// unusable after a fault. A subject whose results the host knows must give these.
std::string record(Device& device, std::span<const Subject> subjects, u32 stride,
                   Recording& recording);

/// The results of `count` inputs of a sweep, from the input `first` on; both are multiples of
/// 65,536, and `count` is not 2^32. Only for subjects with one result for each input.
Result<std::vector<u8>> sweep(Device& device, const Subject& subject, u32 first, u64 count);

/// The PTX modules of the subjects, for other tools.
std::vector<std::string> modules_of(std::span<const Subject> subjects);

}  // namespace heddle::golden
