// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder in which Heddle is installed, found from the running code.
#pragma once

#include <filesystem>

namespace heddle {

/// The absolute path of the file (program or library) that the code at `address` was mapped from.
/// The path comes from /proc: the name by which the file was started or loaded may be relative to a
/// folder that was the current one then, or have no folder, for a program that was found through
/// PATH. Empty: there is no /proc, or the code is not from a file.
std::filesystem::path file_of_code(const void* address);

/// The folder of Heddle's libraries: <prefix>/lib for a program in <prefix>/bin, and a library's
/// own folder. Empty: not known.
std::filesystem::path library_folder();

}  // namespace heddle
