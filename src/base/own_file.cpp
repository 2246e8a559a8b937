// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/own_file.h"

#include <charconv>
#include <fstream>
#include <string>

#include "base/types.h"

namespace heddle {

namespace fs = std::filesystem;

fs::path file_of_code(const void* address) {
  const u64 wanted = reinterpret_cast<u64>(address);
  std::ifstream maps("/proc/self/maps");
  // proc(5): begin-end permissions offset device inode path
  for (std::string line; std::getline(maps, line);) {
    const char* const last = line.data() + line.size();
    u64 begin = 0, end = 0;
    const auto dash = std::from_chars(line.data(), last, begin, 16);
    if (dash.ptr == last || std::from_chars(dash.ptr + 1, last, end, 16).ec != std::errc())
      continue;
    if (wanted < begin || wanted >= end) continue;
    const std::size_t path = line.find('/');
    return path == std::string::npos ? fs::path() : fs::path(line.substr(path));
  }
  return {};
}

fs::path library_folder() {
  const fs::path folder =
      file_of_code(reinterpret_cast<const void*>(&library_folder)).parent_path();
  return folder.filename() == "bin" ? folder.parent_path() / "lib" : folder;
}

}  // namespace heddle
