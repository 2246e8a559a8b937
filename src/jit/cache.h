// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels on disk, for later processes: a folder with a file for each (entry.h). Any
// number of processes use it at once: files come by renaming, whole, and go at any time. Whatever
// is wrong with one means that it is not there.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "jit/entry.h"

namespace heddle::jit {

class Cache {
 public:
  /// The folder is made, for this user alone, when something is first written.
  Cache(std::string folder, u64 most_bytes) : folder_(std::move(folder)), most_(most_bytes) {}

  /// What was put under this very key.
  std::optional<Entry> find(const std::string& key);
  void put(const Entry& entry);
  /// Until the files fit: those that were not used for longest go.
  void evict();

  const std::string& folder() const { return folder_; }

 private:
  std::string path_of(const std::string& key) const;

  const std::string folder_;
  const u64 most_;
  std::atomic<u64> written_{0};  ///< since evict()
  std::atomic<bool> evicted_{false};
};

/// As the environment says: HEDDLE_CACHE=0 for none, HEDDLE_CACHE_DIR, HEDDLE_CACHE_SIZE in MB.
/// Null: none.
Cache* cache_of_environment();

}  // namespace heddle::jit
