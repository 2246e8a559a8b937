// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels on disk, for later processes: a folder with a file for each (entry.h). Any
// number of processes use it at once: files are complete when they appear, by renaming, and may
// disappear at any time. A file with any error counts as missing.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "jit/entry.h"

namespace heddle::jit {

class Cache {
 public:
  /// The folder is created, for this user alone, with the first file.
  Cache(std::string folder, u64 most_bytes) : folder_(std::move(folder)), most_(most_bytes) {}

  /// The entry that was put under this key.
  std::optional<Entry> find(const std::string& key);
  void put(const Entry& entry);
  /// Deletes the least recently used files until the others fit.
  void evict();

  const std::string& folder() const { return folder_; }

 private:
  std::string path_of(const std::string& key) const;

  const std::string folder_;
  const u64 most_;
  std::atomic<u64> written_{0};  ///< since evict()
  std::atomic<bool> evicted_{false};
};

/// The cache that the environment names: HEDDLE_CACHE=0 for none, HEDDLE_CACHE_DIR,
/// HEDDLE_CACHE_SIZE in MB. Null: none.
Cache* cache_of_environment();

}  // namespace heddle::jit
