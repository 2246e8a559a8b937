// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs subjects on a device.
#pragma once

#include "device.h"
#include "recording.h"
#include "subject.h"

namespace heddle::golden {

/// Appends a record for each subject; of sweeps through 2^32 inputs only each `stride`-th group. Of
/// what the device cannot load or does not support the record says that it did not run. "", or what
/// went wrong: with the last record, then, and perhaps with the device, which computes nothing
/// after a fault. A subject whose results the host knows must give these.
std::string record(Device& device, std::span<const Subject> subjects, u32 stride,
                   Recording& recording);

/// The results of `count` inputs of a sweep, from the input `first` on, as they are; both are
/// multiples of 65,536, and `count` is not 2^32. Only subjects with one result for each input.
Result<std::vector<u8>> sweep(Device& device, const Subject& subject, u32 first, u64 count);

/// The PTX modules in which they run, for other tools.
std::vector<std::string> modules_of(std::span<const Subject> subjects);

}  // namespace heddle::golden
