// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User objects: resources of a program that live as long as its graphs. Driver API 6.24
// (cuUserObjectCreate).
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

class UserObject : public std::enable_shared_from_this<UserObject> {
 public:
  /// Makes a user object with `count` references, which the caller holds.
  static CUuserObject create(void* data, CUhostFn destroy, unsigned count);

  void retain(u64 count);
  /// When the last reference is released, a thread of the driver calls the program's function.
  /// False when there are fewer than `count` references.
  bool release(u64 count);

 private:
  UserObject(void* data, CUhostFn destroy, unsigned count)
      : data_(data), destroy_(destroy), count_(count) {}

  void* const data_;
  const CUhostFn destroy_;
  CUuserObject handle_ = nullptr;
  std::mutex mutex_;
  u64 count_;
};
using UserObjectPtr = std::shared_ptr<UserObject>;

/// References to user objects. A copy holds the same number of references in addition.
class UserReferences {
 public:
  UserReferences() = default;
  ~UserReferences() { clear(); }
  UserReferences(const UserReferences& other) { *this = other; }
  UserReferences& operator=(const UserReferences& other);

  /// Takes over `count` references that the caller has.
  void add(const UserObjectPtr& object, u64 count) { held_[object] += count; }
  /// False when this holds fewer than `count` references.
  bool release(const UserObjectPtr& object, u64 count);

 private:
  void clear();
  std::map<UserObjectPtr, u64> held_;
};

}  // namespace heddle::driver
