// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texture, sampler and surface objects of a device (isa/texture.h): those that programs create,
// and the variables of opaque types (PTX ISA 5.3). A handle is an address without memory, so that a
// load from it is a fault. A handle whose object is gone is given out again only after all others.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "isa/texture.h"
#include "machine/ranges.h"

namespace heddle::machine {

using TextureObject = isa::TextureObject;

class TextureObjects {
 public:
  /// Handles lie in these ranges of addresses; one of them, below 4 GiB, may be empty.
  TextureObjects(AddressRange low, AddressRange high);
  ~TextureObjects();
  TextureObjects(const TextureObjects&) = delete;
  TextureObjects& operator=(const TextureObjects&) = delete;

  const isa::TextureHandles& handles() const { return handles_; }

  /// Gives out `count` neighbouring handles, all of the same object, and returns the first; 0:
  /// there are no more. `low`: below 4 GiB. `count` is greater than 1 for arrays of opaque
  /// variables.
  u64 add(const TextureObject& object, bool low = false, u64 count = 1);
  /// Replaces the object of a handle. Instructions that run at the same time use either of both.
  void set(u64 handle, const TextureObject& object);
  void remove(u64 handle);
  /// The object of a handle, or null. It stays valid until 1,000 other objects have been removed or
  /// replaced.
  const TextureObject* find(u64 handle) const { return handles_.find(handle); }

  /// Memory is released: objects that have texels in it are found no more, and variables are no
  /// longer bound.
  void forget(AddressRange memory);

 private:
  /// The slots of one range, and which of its handles are free.
  struct Slots {
    AddressRange range;
    u64 fresh = 0;         ///< handles before this one have been given out
    std::deque<u64> free;  ///< indices, the one that was removed first in front
  };
  void replace(u64 handle, std::unique_ptr<const TextureObject> object);
  u64 take(Slots& slots, u64 count);

  std::mutex mutex_;
  isa::TextureHandles handles_;
  std::array<Slots, 2> slots_;
  std::map<u64, std::unique_ptr<const TextureObject>> objects_;  ///< by handle
  /// An instruction may still be using an object that has been removed.
  std::deque<std::unique_ptr<const TextureObject>> removed_;
};

/// The bytes from the first texel to the end of the last one; empty: the object has no memory.
AddressRange memory_of(const TextureObject& object);

}  // namespace heddle::machine
