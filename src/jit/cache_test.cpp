// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heddle::jit {
namespace {

namespace fs = std::filesystem;

constexpr u64 kPlenty = 1 << 30;

/// A temporary folder, deleted after the test.
class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    std::string name = testing::TempDir() + "heddle-cache-XXXXXX";
    base_ = mkdtemp(name.data());
    folder = base_ / "below" / "cache";
  }
  ~CacheTest() override { fs::remove_all(base_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    std::error_code none;
    for (const auto& one : fs::directory_iterator(folder, none)) all.push_back(one.path());
    return all;
  }
  void write(const fs::path& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
  }
  /// Sets the time of last use, in seconds before now.
  static void age(const fs::path& file, time_t seconds) {
    const timespec times[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }

  fs::path folder;

 private:
  fs::path base_;
};

/// An image that does not compress, so that the size of its file is known.
Entry entry_of(const std::string& key, std::size_t bytes = 10) {
  Image image;
  u64 random = std::hash<std::string>()(key);
  while (image.code.size() < bytes) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    image.code.push_back(static_cast<u8>(random >> 56));
  }
  return {key, std::move(image)};
}

std::vector<u8> code_of(const Entry& entry) { return std::get_if<Image>(&entry.content)->code; }

bool has(Cache& cache, const std::string& key) { return cache.find(key).has_value(); }

TEST_F(CacheTest, FindsWhatWasPut) {
  Cache cache(folder, kPlenty);
  EXPECT_FALSE(has(cache, "one"));
  EXPECT_FALSE(fs::exists(folder)) << "made when it is needed";
  cache.put(entry_of("one"));
  cache.put({"two", Refusal{"why"}});
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  Cache other(folder, kPlenty);
  EXPECT_EQ(code_of(*other.find("one")), code_of(entry_of("one")));
  EXPECT_EQ(std::get_if<Refusal>(&other.find("two")->content)->message, "why");
  EXPECT_FALSE(has(other, "three"));
  EXPECT_EQ(files().size(), 2u) << "nothing unfinished is left";
}

TEST_F(CacheTest, TakesOnlyWhatIsSound) {
  Cache cache(folder, kPlenty);
  cache.put(entry_of("key"));
  const fs::path file = files().at(0);
  const auto put_again = [&] { cache.put(entry_of("key")); };

  EXPECT_TRUE(has(cache, "key"));
  fs::resize_file(file, 20);
  EXPECT_FALSE(has(cache, "key")) << "cut off";
  put_again();
  EXPECT_TRUE(has(cache, "key")) << "replaced";

  write(file, write_entry(entry_of("another key")));
  EXPECT_FALSE(has(cache, "key")) << "another kernel whose name is the same";
  put_again();

  for (const mode_t others : {0620, 0602}) {
    ASSERT_EQ(chmod(file.c_str(), others), 0);
    EXPECT_FALSE(has(cache, "key")) << "others may write it";
    put_again();
  }
  EXPECT_TRUE(has(cache, "key"));

  fs::rename(file, folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", file);
  EXPECT_FALSE(has(cache, "key")) << "a link";
  put_again();
  EXPECT_TRUE(has(cache, "key"));

  if (geteuid() == 0) {
    ASSERT_EQ(chown(file.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(has(cache, "key")) << "of another user";
  }
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(has(cache, "key")) << "a folder";
  put_again();
  EXPECT_FALSE(has(cache, "key"));
  EXPECT_EQ(files().size(), 2u) << "what could not be renamed is gone";
}

TEST_F(CacheTest, AFolderThatCannotBeMade) {
  fs::create_directories(folder.parent_path());
  std::ofstream(folder) << "a file";
  Cache cache(folder, kPlenty);
  cache.put(entry_of("key"));
  EXPECT_FALSE(has(cache, "key"));
}

TEST_F(CacheTest, WhatWasNotUsedForLongestGoes) {
  constexpr u64 kMost = 100'000;
  Cache cache(folder, kMost);
  std::vector<std::string> keys;
  for (int i = 0; i < 8; ++i) {
    keys.push_back(fmt::format("kernel {}", i));
    cache.put(entry_of(keys.back(), 10'000));
  }
  // In the order of keys, not of the folder.
  for (int i = 0; i < 8; ++i) {
    for (const fs::path& file : files()) {
      std::ifstream in(file, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      if (read_entry(bytes)->key == keys[static_cast<std::size_t>(i)]) age(file, 10'000 * (8 - i));
    }
  }
  write("notes.txt", "of the user");
  write("new-dead", "of a writer that died");
  write("new-alive", "of one that lives");
  age(folder / "notes.txt", 1'000'000);
  age(folder / "new-dead", 100'000);
  EXPECT_TRUE(has(cache, keys[0])) << "used: the newest now";
  for (int i = 0; i < 3; ++i) cache.put(entry_of(fmt::format("later {}", i), 10'000));
  EXPECT_TRUE(has(cache, keys[0]));
  EXPECT_FALSE(has(cache, keys[1]));
  EXPECT_TRUE(has(cache, keys[7]));
  EXPECT_TRUE(has(cache, "later 2"));
  EXPECT_TRUE(fs::exists(folder / "notes.txt"));
  EXPECT_FALSE(fs::exists(folder / "new-dead"));
  EXPECT_TRUE(fs::exists(folder / "new-alive"));
}

// The cache is small, so files are deleted while others read them.
TEST_F(CacheTest, ManyProcesses) {
  constexpr int kProcesses = 6, kRounds = 300, kKeys = 20;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      int found = 0;
      Cache cache(folder, 30'000);
      for (int round = 0; round < kRounds; ++round) {
        const std::string key = fmt::format("kernel {}", (round * 7 + process) % kKeys);
        const auto entry = cache.find(key);
        if (!entry) {
          cache.put(entry_of(key, 3000));
          found += has(cache, key);  // other threads may have put ten since, but not each time
        } else if (code_of(*entry) != code_of(entry_of(key, 3000))) {
          _exit(1);
        } else {
          ++found;
        }
      }
      _exit(found ? 0 : 2);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  u64 sum = 0;
  for (const fs::path& file : files()) sum += fs::file_size(file);
  EXPECT_LT(sum, 30'000u * 3) << "each process may write a little before it looks";
}

}  // namespace
}  // namespace heddle::jit
