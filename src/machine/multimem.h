// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that multimem addresses stand for (PTX ISA 8.2.3). The addresses are reserved without
// access: multimem operations look them up in this table, and any other access faults. So multimem
// costs other accesses nothing.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/types.h"
#include "machine/ranges.h"

namespace heddle::machine {

/// The greatest number of devices.
inline constexpr u32 kMostReplicas = 64;

/// The places in memory that each of `addresses` stands for, in the order in which they are reduced
/// and written: by device number.
struct Replicas {
  AddressRange addresses;
  u32 count = 0;  ///< 0: no memory; Multimem::why_missing() gives the reason
  bool is_writable = true;
  std::array<u64, kMostReplicas> base;  ///< host address of the first byte of each
};

class Multimem {
 public:
  /// A range of addresses with the same bases.
  struct Part {
    AddressRange addresses;
    std::vector<u64> bases = {};  ///< empty: the addresses have no memory
    bool is_writable = true;
    std::string why_missing = {};
  };

  /// Replaces the parts in `range`, which must not cut a part in two.
  void replace(AddressRange range, std::vector<Part> parts);

  /// Called with an address without memory, before the access traps: other processes may have bound
  /// memory since.
  std::function<void(u64 address)> on_missing;

  bool contains(u64 address) const;
  /// An address that is not a multimem address stands for itself.
  Replicas find(u64 address) const;
  /// As find(), but calls on_missing first if the address has no memory.
  Replicas find_again(u64 address) const;
  std::string why_missing(u64 address) const;

 private:
  const Part* part_at(u64 address) const;

  mutable std::shared_mutex mutex_;
  std::map<u64, Part> parts_;  // by address
};

}  // namespace heddle::machine
