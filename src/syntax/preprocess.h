// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads files as text for the parser. A module that uses #include, #define or #if goes through the
// installed C preprocessor, as PTX ISA 4.1 says; its line markers map diagnostics back to the
// original file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "diag/source.h"

namespace heddle::syntax {

/// The largest text in bytes: places have 32 bits.
inline constexpr u64 kMostText = 0xffff'fff0;

/// Reads `path` ("-": standard input). The error names what is no text by what it is
/// (about_binary()).
Result<std::string> load_text(const std::string& path);

/// Whether `text` has a line that needs a C preprocessor.
bool needs_preprocessing(std::string_view text);

/// `source` after the preprocessor (cpp, gcc, clang or cc, the first that is on PATH); unchanged
/// when it needs none. The preprocessor is limited to 30 seconds, 1 GiB of memory and kMostOfStream
/// bytes of output. It searches includes in the source's folder first. The error contains the
/// preprocessor's own messages.
Result<diag::Source> preprocess(diag::Source source);

}  // namespace heddle::syntax
