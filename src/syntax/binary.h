// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binary files that people confuse with PTX, or that contain PTX.
#pragma once

#include <string>
#include <string_view>

namespace heddle::syntax {

/// The kind of a binary file: "a gzip file, not PTX text", with a help if there is one; `path` is
/// the file's name in the help. Empty for text.
std::string about_binary(std::string_view bytes, std::string_view path);

}  // namespace heddle::syntax
