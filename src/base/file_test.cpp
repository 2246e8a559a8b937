// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace heddle {
namespace {

/// A sparse file with `size` zeros.
class Sparse {
 public:
  explicit Sparse(off_t size) {
    const int file = mkstemp(path);
    good = file >= 0 && ftruncate(file, size) == 0;
    close(file);
  }
  ~Sparse() { unlink(path); }
  char path[32] = "/tmp/heddle_file_XXXXXX";
  bool good;
};

std::string message(const Result<std::string>& result) {
  return result.ok() ? "" : result.error().message;
}

TEST(ReadFile, AFileMayHaveAsMuchAsTheLimit) {
  const Sparse file(1000);
  ASSERT_TRUE(file.good);
  EXPECT_EQ(read_file(file.path, 1000)->size(), 1000u);
  EXPECT_EQ(message(read_file(file.path, 999)),
            std::string("cannot read ") + file.path + ": more than 999 bytes");
}

TEST(ReadFile, AHugeFileIsRefusedBeforeItIsRead) {
  const Sparse file(off_t{1} << 40);
  if (!file.good) GTEST_SKIP() << "no sparse files here";
  EXPECT_EQ(message(read_file(file.path, 1 << 20)),
            std::string("cannot read ") + file.path + ": more than 1048576 bytes");
}

TEST(ReadFile, WhatHasNoSizeHasALimit) {
  EXPECT_EQ(message(read_file("/dev/zero", 100)), "cannot read /dev/zero: more than 100 bytes");
  EXPECT_EQ(message(read_file("/dev/zero")), "cannot read /dev/zero: more than 268435456 bytes");
  EXPECT_EQ(*read_file("/dev/null"), "");
}

TEST(ReadFile, WhatCannotBeReadIsNamed) {
  EXPECT_EQ(message(read_file("/nonexistent")),
            "cannot read /nonexistent: No such file or directory");
  EXPECT_EQ(message(read_file("/")), "cannot read /: Is a directory");
}

}  // namespace
}  // namespace heddle
