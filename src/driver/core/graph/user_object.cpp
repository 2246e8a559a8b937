// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See user_object.h.
#include "driver/core/graph/user_object.h"

#include "driver/core/context/call.h"
#include "driver/core/graph/tables.h"
#include "driver/core/stream/background.h"

namespace heddle::driver {

CUuserObject UserObject::create(void* data, CUhostFn destroy, unsigned count) {
  UserObjectPtr object(new UserObject(data, destroy, count));
  object->handle_ = graph_tables().user_objects.add(object);
  return object->handle_;
}

void UserObject::retain(u64 count) {
  const std::lock_guard lock(mutex_);
  count_ += count;
}

bool UserObject::release(u64 count) {
  {
    const std::lock_guard lock(mutex_);
    if (count > count_) return false;
    count_ -= count;
    if (count_) return true;
  }
  graph_tables().user_objects.remove(handle_);
  in_background([destroy = destroy_, data = data_] {
    const InCallback scope;
    destroy(data);
  });
  return true;
}

UserReferences& UserReferences::operator=(const UserReferences& other) {
  if (this == &other) return *this;
  for (const auto& [object, count] : other.held_) object->retain(count);
  clear();
  held_ = other.held_;
  return *this;
}

bool UserReferences::release(const UserObjectPtr& object, u64 count) {
  const auto found = held_.find(object);
  if (found == held_.end() || found->second < count) return false;
  found->second -= count;
  if (!found->second) held_.erase(found);
  return object->release(count);
}

void UserReferences::clear() {
  for (const auto& [object, count] : held_) object->release(count);
  held_.clear();
}

}  // namespace heddle::driver
