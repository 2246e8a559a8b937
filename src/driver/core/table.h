// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live objects by handle. A handle is a number in the type of a pointer, which is never used twice
// and never dereferenced. (Handles of textures and surfaces are addresses that kernels know, and
// are used again after all others.) So a lookup finds no object for a handle that is stale, made up
// or of another kind.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace heddle::driver {

/// A number that no handle of any kind had before. Small ones are reserved: the API uses 1 and 2 as
/// stream handles.
std::uintptr_t next_handle();

template <class Handle, class Object>
class Table {
 public:
  using Pointer = std::shared_ptr<Object>;

  Handle add(Pointer object) {
    Handle handle;
    if constexpr (std::is_pointer_v<Handle>) {
      handle = reinterpret_cast<Handle>(next_handle());
    } else {
      handle = next_handle();
    }
    const std::lock_guard lock(mutex_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  /// Adds an object whose handle comes from elsewhere, and is in no table.
  void add(Handle handle, Pointer object) {
    const std::lock_guard lock(mutex_);
    objects_.insert_or_assign(handle, std::move(object));
  }

  /// The object of a handle; null when there is none.
  Pointer find(Handle handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  /// Removes the object, so that its handle is stale, and returns it. Null when there was none.
  Pointer remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    auto object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  /// All objects in the table.
  std::vector<Pointer> all() const {
    std::vector<Pointer> found;
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, object] : objects_) found.push_back(object);
    return found;
  }

  /// Removes every object that satisfies `which`, and returns the objects: their destructors must
  /// not run under the table's lock.
  template <class Which>
  std::vector<Pointer> remove_if(Which which) {
    std::vector<Pointer> removed;
    const std::lock_guard lock(mutex_);
    for (auto it = objects_.begin(); it != objects_.end();) {
      if (which(*it->second)) {
        removed.push_back(std::move(it->second));
        it = objects_.erase(it);
      } else {
        ++it;
      }
    }
    return removed;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Handle, Pointer> objects_;
};

}  // namespace heddle::driver
