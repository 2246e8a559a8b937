// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that people take for PTX, or that hold it somewhere inside.
#pragma once

#include <string>
#include <string_view>

namespace heddle::syntax {

/// What `bytes` are when they are no text: "a gzip file, not PTX text", with what helps behind it
/// where something does; `path` is the file's name there. Empty for text.
std::string about_binary(std::string_view bytes, std::string_view path);

}  // namespace heddle::syntax
