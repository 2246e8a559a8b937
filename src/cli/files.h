// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes whole files.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace heddle::cli {

/// The error names the file.
Result<bool> write_file(const std::string& path, std::string_view contents);
/// Replaces an existing file by `contents`, atomically.
Result<bool> replace_file(const std::string& path, std::string_view contents);

}  // namespace heddle::cli
