// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory multimem addresses stand for (PTX ISA 8.2.3). The addresses are reserved without
// access: only multimem operations, which ask here first, can do something with them, and every
// other access faults. So no other access pays for them.
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

/// As many as a machine has devices.
inline constexpr u32 kMostReplicas = 64;

/// The places in memory that each of `addresses` stands for. In the order in which they are reduced
/// and written: that of the devices' numbers.
struct Replicas {
  AddressRange addresses;
  u32 count = 0;  ///< 0: nothing, and Multimem::why_missing() says why
  bool is_writable = true;
  std::array<u64, kMostReplicas> base;  ///< host address of the first byte of each
};

class Multimem {
 public:
  /// Addresses that stand for the same places throughout.
  struct Part {
    AddressRange addresses;
    std::vector<u64> bases = {};  ///< empty: they cannot be used
    bool is_writable = true;
    std::string why_missing = {};
  };

  /// `parts` are from now on what there is in `range`, which cuts no part in two.
  void replace(AddressRange range, std::vector<Part> parts);

  /// Called with an address that nothing stands behind, before that is taken for a mistake: other
  /// processes change what there is.
  std::function<void(u64 address)> on_missing;

  bool contains(u64 address) const;
  /// An address that is no multimem address stands for itself.
  Replicas find(u64 address) const;
  /// The same, with on_missing.
  Replicas find_again(u64 address) const;
  std::string why_missing(u64 address) const;

 private:
  const Part* part_at(u64 address) const;

  mutable std::shared_mutex mutex_;
  std::map<u64, Part> parts_;  // by address
};

}  // namespace heddle::machine
