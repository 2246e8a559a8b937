// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "base/config.h"

namespace heddle::jit {
namespace {

constexpr std::string_view kSuffix = ".code", kUnfinished = "new-";
/// A kernel's file is a thousandth of this size.
constexpr off_t kLargestFile = 64 << 20;
/// A file that is used gets a new time of use once in so many seconds.
constexpr time_t kMark = 3600;
/// After so many seconds, temporary files are taken for those of writers that died.
constexpr time_t kLeftBehind = 3600;

struct File {
  explicit File(int number) : number(number) {}
  ~File() {
    if (number >= 0) close(number);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const int number;
};

bool is_name_of_ours(std::string_view name) {
  return name.ends_with(kSuffix) || name.starts_with(kUnfinished);
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string read_all(int file, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t count = read(file, bytes.data() + have, size - have);
    if (count <= 0) return {};
    have += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace

/// Two keys with one hash overwrite each other's file: Entry::key tells them apart.
std::string Cache::path_of(const std::string& key) const {
  return fmt::format("{}/{:016x}{}", folder_, std::hash<std::string>()(key), kSuffix);
}

std::optional<Entry> Cache::find(const std::string& key) {
  const File file(open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info;
  if (file.number < 0 || fstat(file.number, &info) != 0) return std::nullopt;
  // The file's code is executed, so it must belong to a user who may run code as this user anyway.
  if (!S_ISREG(info.st_mode) || (info.st_uid != geteuid() && info.st_uid != 0) ||
      (info.st_mode & (S_IWGRP | S_IWOTH)) || info.st_size > kLargestFile)
    return std::nullopt;
  auto entry = read_entry(read_all(file.number, static_cast<std::size_t>(info.st_size)));
  if (!entry || entry->key != key) return std::nullopt;
  if (std::time(nullptr) - info.st_mtime > kMark) futimens(file.number, nullptr);
  return entry;
}

void Cache::put(const Entry& entry) {
  const std::string bytes = write_entry(entry);
  if (bytes.empty()) return;
  std::error_code failed;
  if (!std::filesystem::is_directory(folder_, failed)) {
    std::filesystem::create_directories(std::filesystem::path(folder_).parent_path(), failed);
    mkdir(folder_.c_str(), 0700);
  }
  std::string unfinished = fmt::format("{}/{}XXXXXX", folder_, kUnfinished);
  {
    const File file(mkostemp(unfinished.data(), O_CLOEXEC));
    if (file.number < 0) return;
    if (!write_all(file.number, bytes)) {
      unlink(unfinished.c_str());
      return;
    }
  }
  if (rename(unfinished.c_str(), path_of(entry.key).c_str()) != 0) unlink(unfinished.c_str());
  // Listing the folder takes longer than writing a file, so it is not done for each file.
  const u64 written = written_.fetch_add(bytes.size()) + bytes.size();
  if (!evicted_.exchange(true) || written > most_ / 16) evict();
}

void Cache::evict() {
  written_ = 0;
  DIR* const folder = opendir(folder_.c_str());
  if (!folder) return;
  struct Kept {
    s64 used;  ///< ns
    u64 bytes;
    std::string name;
  };
  std::vector<Kept> all;
  u64 sum = 0;
  const time_t now = std::time(nullptr);
  while (const dirent* one = readdir(folder)) {
    struct stat info;
    if (!is_name_of_ours(one->d_name) ||
        fstatat(dirfd(folder), one->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode))
      continue;
    if (std::string_view(one->d_name).starts_with(kUnfinished)) {
      if (now - info.st_mtime > kLeftBehind) unlinkat(dirfd(folder), one->d_name, 0);
      continue;
    }
    all.push_back({s64{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
                   static_cast<u64>(info.st_size), one->d_name});
    sum += all.back().bytes;
  }
  if (sum > most_) {
    std::ranges::sort(all, {}, &Kept::used);
    // Deletes a little more than needed, so that the next file does not start this again.
    for (const Kept& file : all) {
      if (sum <= most_ - most_ / 8) break;
      unlinkat(dirfd(folder), file.name.c_str(), 0);  // another process may have been first
      sum -= file.bytes;
    }
  }
  closedir(folder);
}

Cache* cache_of_environment() {
  static Cache* const cache = [] {
    const Config& asked = config();
    return asked.cache && !asked.cache_folder.empty()
               ? new Cache(asked.cache_folder, asked.cache_bytes)
               : nullptr;
  }();
  return cache;
}

}  // namespace heddle::jit
