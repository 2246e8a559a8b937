// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/own_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heddle {
namespace {

namespace fs = std::filesystem;

TEST(OwnFile, CodeOfThisProgramIsOfThisProgram) {
  const fs::path file = file_of_code(reinterpret_cast<const void*>(&library_folder));
  EXPECT_EQ(file, fs::read_symlink("/proc/self/exe"));
}

TEST(OwnFile, CodeOfALibraryIsOfThatLibrary) {
  const fs::path file = file_of_code(reinterpret_cast<const void*>(&std::strtol));
  EXPECT_TRUE(file.is_absolute());
  EXPECT_TRUE(file.filename().string().starts_with("libc")) << file;
}

TEST(OwnFile, MemoryWithoutAFileHasNone) {
  const int here = 0;
  EXPECT_EQ(file_of_code(&here), fs::path());
}

TEST(OwnFile, LibrariesOfAProgramInBinAreInLib) {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  if (program.parent_path().filename() != "bin") GTEST_SKIP() << program;
  EXPECT_EQ(library_folder(), program.parent_path().parent_path() / "lib");
}

}  // namespace
}  // namespace heddle
