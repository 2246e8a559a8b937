// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interned text: equal strings get equal ids, so names compare and hash as integers.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace heddle {

using NameId = Id<struct NameTag>;

class Names {
 public:
  Names() = default;
  Names(Names&&) noexcept = default;
  Names& operator=(Names&&) noexcept = default;  // a copy would hold views of the original

  /// The id of `text`; the text is copied on first sight.
  NameId intern(std::string_view text);
  /// The id of `text` when it was interned before, else none.
  NameId find(std::string_view text) const;
  std::string_view operator[](NameId id) const { return texts_[id.value]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::size_t slot_of(std::string_view text, u64 hash) const;
  void grow();
  std::string_view keep(std::string_view text);

  std::vector<std::string_view> texts_;
  struct Slot {
    u64 hash = 0;
    u32 size = 0;
    u32 entry = 0;  ///< id + 1; 0: free
  };
  std::vector<Slot> slots_;  // open addressing; size is a power of two
  std::deque<std::string> chunks_;
};

}  // namespace heddle
