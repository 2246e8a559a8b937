// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where Heddle is installed, as seen by the code that runs.
#pragma once

#include <filesystem>

namespace heddle {

/// The absolute path of the file (program or library) that the code at `address` was mapped from.
/// The host's kernel says so: what the file was called by when it was started or loaded may be
/// relative to a folder that was the current one then, or hold no folder at all, as for a program
/// that was found through PATH. Empty: there is no /proc, or no file.
std::filesystem::path file_of_code(const void* address);

/// The folder of Heddle's libraries: <prefix>/lib for a program in <prefix>/bin, and a library's
/// own folder. Empty: not known.
std::filesystem::path library_folder();

}  // namespace heddle
