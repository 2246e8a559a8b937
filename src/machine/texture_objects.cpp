// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/texture_objects.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/check.h"

namespace heddle::machine {
namespace {

constexpr std::size_t kMostRemoved = 1000;
using Slot = std::atomic<const TextureObject*>;

bool overlap(AddressRange a, AddressRange b) {
  return a.size && b.size && a.base < b.end() && b.base < a.end();
}

}  // namespace

AddressRange memory_of(const TextureObject& object) {
  if (!object.bound || object.kind == TextureObject::Kind::sampler) return {};
  u64 first = ~u64{0}, end = 0;
  for (u32 i = 0; i < object.texture.levels; ++i) {
    const isa::TextureLevel& level = object.texture.level[i];
    first = std::min(first, level.base);
    end = std::max(end, level.base + level.slice * std::max(level.depth, object.texture.layers));
  }
  return end > first ? AddressRange{first, end - first} : AddressRange{};
}

TextureObjects::TextureObjects(AddressRange low, AddressRange high) {
  const std::array<AddressRange, 2> ranges = {low, high};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const u64 count = ranges[i].size / isa::TextureHandles::kStep;
    slots_[i].range = ranges[i];
    // calloc() commits no memory for slots that nobody uses; a null pointer is all zeros.
    static_assert(std::is_trivially_destructible_v<Slot>);
    handles_.ranges[i] = {ranges[i].base, count,
                          static_cast<Slot*>(std::calloc(count, sizeof(Slot)))};
    HEDDLE_CHECK(handles_.ranges[i].objects || !count);
  }
}

TextureObjects::~TextureObjects() {
  for (const auto& range : handles_.ranges) std::free(range.objects);
}

u64 TextureObjects::take(Slots& slots, u64 count) {
  const u64 most = slots.range.size / isa::TextureHandles::kStep;
  u64 index = slots.fresh;
  if (count <= most - slots.fresh) {
    slots.fresh += count;
  } else if (count == 1 && !slots.free.empty()) {
    index = slots.free.front();
    slots.free.pop_front();
  } else {
    return 0;
  }
  return slots.range.base + index * isa::TextureHandles::kStep;
}

u64 TextureObjects::add(const TextureObject& object, bool low, u64 count) {
  const std::lock_guard lock(mutex_);
  const u64 first = take(slots_[low ? 0 : 1], count);
  for (u64 i = 0; first && i < count; ++i)
    replace(first + i * isa::TextureHandles::kStep, std::make_unique<const TextureObject>(object));
  return first;
}

void TextureObjects::set(u64 handle, const TextureObject& object) {
  const std::lock_guard lock(mutex_);
  replace(handle, std::make_unique<const TextureObject>(object));
}

void TextureObjects::remove(u64 handle) {
  const std::lock_guard lock(mutex_);
  replace(handle, nullptr);
  for (Slots& slots : slots_) {
    if (slots.range.contains(handle))
      slots.free.push_back((handle - slots.range.base) / isa::TextureHandles::kStep);
  }
}

void TextureObjects::replace(u64 handle, std::unique_ptr<const TextureObject> object) {
  Slot* const slot = handles_.slot(handle);
  HEDDLE_CHECK(slot);
  slot->store(object.get(), std::memory_order_release);
  auto& place = objects_[handle];
  if (place) removed_.push_back(std::move(place));
  if (removed_.size() > kMostRemoved) removed_.pop_front();
  if (object)
    place = std::move(object);
  else
    objects_.erase(handle);
}

void TextureObjects::forget(AddressRange memory) {
  const std::lock_guard lock(mutex_);
  std::vector<u64> gone;
  for (const auto& [handle, object] : objects_) {
    if (overlap(memory_of(*object), memory)) gone.push_back(handle);
  }
  for (const u64 handle : gone) {
    const TextureObject& old = *objects_[handle];
    // The handle of an object of the driver belongs to the program until that destroys it.
    TextureObject unbound{.kind = old.kind, .sampler = old.sampler, .name = old.name};
    replace(handle, std::make_unique<const TextureObject>(unbound));
  }
}

}  // namespace heddle::machine
