// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files in and out.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace heddle::cli {

/// The contents of a file; "-" is the standard input. The error names the file.
Result<std::string> read_file(const std::string& path);
Result<bool> write_file(const std::string& path, std::string_view contents);
/// Puts `contents` in the place of an existing file, all or nothing.
Result<bool> replace_file(const std::string& path, std::string_view contents);

}  // namespace heddle::cli
