// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files, with a limit: a device or a pipe may have no end.
#pragma once

#include <string>

#include "base/result.h"
#include "base/types.h"

namespace heddle {

/// The limit, in bytes, for reading a file without a size: a pipe, a terminal, a device.
inline constexpr u64 kMostOfStream = u64{256} << 20;

/// The contents of `path`. The error names the file, and says when it has more than `most` bytes
/// (more than kMostOfStream, when it is no regular file).
Result<std::string> read_file(const std::string& path, u64 most = ~u64{0});
/// As read_file(), for a word of the command line: "-" is the standard input.
Result<std::string> read_input(const std::string& path, u64 most = ~u64{0});

/// The rest of an open file, under the same limits. The error is a clause without the file's name.
Result<std::string> read_rest(int file, u64 most = ~u64{0});

}  // namespace heddle
