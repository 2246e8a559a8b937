// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files out.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace heddle::cli {

/// The error names the file.
Result<bool> write_file(const std::string& path, std::string_view contents);
/// Puts `contents` in the place of an existing file, all or nothing.
Result<bool> replace_file(const std::string& path, std::string_view contents);

}  // namespace heddle::cli
