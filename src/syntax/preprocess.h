// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files to text that the parser can read. A module that uses #include, #define or #if goes through
// the C preprocessor that is installed, as PTX ISA 4.1 has it; its line markers lead diagnostics
// back to the file that a person wrote.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "diag/source.h"

namespace heddle::syntax {

/// Bytes of a text, at most: its places have 32 bits.
inline constexpr u64 kMostText = 0xffff'fff0;

/// Reads `path` ("-": standard input). The error names what is no text by what it is
/// (about_binary()).
Result<std::string> load_text(const std::string& path);

/// Does `text` hold a line that only a C preprocessor understands?
bool needs_preprocessing(std::string_view text);

/// `source` after the preprocessor (cpp, gcc, clang or cc, the first that is on PATH); returned as
/// it is when it needs none. It gets 30 seconds, 1 GiB of memory and kMostOfStream bytes. Includes
/// are looked for beside the source's path first. The error carries the preprocessor's own
/// messages.
Result<diag::Source> preprocess(diag::Source source);

}  // namespace heddle::syntax
