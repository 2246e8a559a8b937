// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See conditional.h.
#include "driver/core/graph/conditional.h"

#include <map>
#include <mutex>

#include "driver/core/table.h"

namespace heddle::driver {
namespace {

struct Handles {
  std::mutex mutex;
  std::map<u64, std::weak_ptr<Conditional>> all;
};

Handles& handles() {
  static Handles& instance = *new Handles;
  return instance;
}

}  // namespace

std::shared_ptr<Conditional> Conditional::create(std::optional<unsigned> start) {
  std::shared_ptr<Conditional> made(new Conditional(next_handle(), start));
  const std::lock_guard lock(handles().mutex);
  handles().all[made->handle_] = made;
  return made;
}

Conditional::~Conditional() {
  const std::lock_guard lock(handles().mutex);
  handles().all.erase(handle_);
}

bool set_conditional(u64 handle, u32 value) {
  std::shared_ptr<Conditional> conditional;
  {
    const std::lock_guard lock(handles().mutex);
    const auto found = handles().all.find(handle);
    if (found != handles().all.end()) conditional = found->second.lock();
  }
  if (conditional) conditional->set(value);
  return conditional != nullptr;
}

}  // namespace heddle::driver
