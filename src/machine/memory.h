// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory. Generic addresses are host addresses: all memory of kernels lies in ranges that
// are reserved at start and committed by page as they are allocated. So comparisons tell an
// address's state space (PTX ISA 5.1, 6.4.1.1), and a stray access hits an uncommitted page. The
// low range lies below 4 GiB, for modules with 32-bit addresses; allocations come from there while
// it lasts.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "machine/host_ranges.h"
#include "machine/multimem.h"
#include "machine/ranges.h"
#include "machine/texture_objects.h"

namespace heddle::machine {

/// One reserved range and its parts.
struct Region {
  AddressRange all;
  AddressRange shared;    ///< shared memory windows: kSharedSlot bytes for each resident CTA
  AddressRange local;     ///< local memory of resident CTAs
  AddressRange heap;      ///< allocations, module variables, parameter blocks, code addresses
  AddressRange reserved;  ///< addresses that programs reserve and map themselves
  AddressRange opaque;    ///< handles of textures, samplers and surfaces; without memory
};

/// The address space for the shared memory of one resident CTA; more than the shared memory of any
/// device.
inline constexpr u64 kSharedSlot = 256 * 1024;

/// The unit in which memory is committed.
inline constexpr u64 kPage = 4096;

class Memory {
 public:
  /// Reserves the ranges. `device_bytes`: the memory of the device; allocations beyond it fail. 0:
  /// as much as the host has.
  static Result<std::unique_ptr<Memory>> create(u64 device_bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// `bytes` > 0 zeroed bytes, aligned to at least 256 and `align`. `low`: below 4 GiB or fail.
  Result<u64> allocate(u64 bytes, u64 align = 256, bool low = false);
  /// False when `address` is not the start of a live allocation.
  bool release(u64 address);

  /// The live allocation that holds `address`.
  std::optional<AddressRange> find(u64 address) const;
  /// The live allocation closest to `address`, for messages.
  std::optional<AddressRange> nearest(u64 address) const;
  /// True when `bytes` from `address` lie inside one live allocation.
  bool is_valid(u64 address, u64 bytes) const;

  /// The low region (below 4 GiB; size 0 when it could not be reserved) and the high region.
  const Region& low() const { return low_; }
  const Region& high() const { return high_; }

  /// The host's memory that the program has registered.
  HostRanges& registered() { return registered_; }
  const HostRanges& registered() const { return registered_; }

  /// The range around a generic address that a kernel may access: a region (pages outside of
  /// allocations fault), or a range of registered memory. Empty: the kernel may not access the
  /// address.
  AddressRange accessible(u64 address) const {
    if (low_.all.contains(address)) return low_.all;
    if (high_.all.contains(address)) return high_.all;
    return registered_.find(address);
  }
  /// Whether all of `bytes` from the generic address `address` is accessible.
  bool is_accessible(u64 address, u64 bytes) const {
    return accessible(address).contains(address, bytes);
  }

  // Address space without memory, for programs that map memory themselves (driver API 6.14). Whole
  // pages; mappings are shared memory of a file. Far more than any memory: reserving costs nothing.
  /// At `hint` when that is free. Fails when there is no room.
  Result<u64> reserve(u64 bytes, u64 align, u64 hint);
  bool unreserve(u64 address);
  /// The reserved range that holds `address`.
  std::optional<AddressRange> reservation(u64 address) const;
  enum class Access : u8 { none, read, write };
  bool map(AddressRange to, int file, u64 offset);  ///< without access at first
  bool protect(AddressRange what, Access access);
  void unmap(AddressRange what);
  /// Turns the allocation that begins at `address` into a mapping of a file, and returns the file,
  /// which belongs to the caller. The memory must not be written meanwhile. -1: the host refuses.
  int share(u64 address);

  /// The multimem addresses, and the memory that they stand for.
  Multimem& multimem() { return multimem_; }
  const Multimem& multimem() const { return multimem_; }

  /// The textures, samplers and surfaces, and the variables of these types.
  TextureObjects& textures() { return *textures_; }
  const TextureObjects& textures() const { return *textures_; }

  u64 total_bytes() const { return device_bytes_; }
  u64 used_bytes() const;

  /// Windows for resident CTAs. take_shared(): `bytes` committed bytes of shared memory, not
  /// zeroed, in each of `count` neighbouring slots, and an accessible page on either side of each,
  /// for vector accesses. take_local(): `bytes` of local memory, zeroed.
  Result<u64> take_shared(const Region& region, u64 bytes, u32 count = 1);
  /// The arguments are those of take_shared().
  void give_shared(const Region& region, u64 base, u64 bytes, u32 count = 1);
  Result<u64> take_local(const Region& region, u64 bytes);
  void give_local(const Region& region, u64 base);
  /// A launch's parameter block.
  Result<u64> take_params(u64 bytes, bool low);
  void give_params(u64 base, u64 bytes, bool low);

 private:
  Memory() = default;
  /// A window that a thread gave back and can take again without the lock, for small launches. The
  /// word holds the window's base and, in the low bits, the number of its pages; 0: none.
  struct alignas(64) Kept {
    std::atomic<u64> window{0};
  };
  Kept& kept_here();
  void put_away(u64 window);
  const Ranges& heap_of(u64 address) const {
    return low_.all.contains(address) ? low_heap_ : high_heap_;
  }
  Ranges& heap_of(u64 address) { return low_.all.contains(address) ? low_heap_ : high_heap_; }

  mutable std::mutex mutex_;
  Region low_, high_;
  Ranges low_heap_{kPage, kPage}, high_heap_{kPage, kPage};  // a guard page after each piece
  Ranges low_local_{kPage, kPage}, high_local_{kPage, kPage};
  Ranges reserved_{kPage, 0};  // without guard pages: the program may join neighbouring ranges
  std::unordered_map<u64, u64> committed_;  // shared windows: committed bytes of each slot
  std::vector<u64> free_params_[2];         // free blocks of a page; [below 4 GiB]
  std::map<u32, std::vector<u64>> free_low_shared_,
      free_high_shared_;  // free slots, by count
  u64 next_low_shared_ = 0, next_high_shared_ = 0;
  std::array<Kept, 32> kept_;
  std::set<u64> shared_;  ///< allocations that are mappings of files
  HostRanges registered_;
  Multimem multimem_;
  std::unique_ptr<TextureObjects> textures_;
  u64 device_bytes_ = 0;
  u64 used_ = 0;
};

}  // namespace heddle::machine
