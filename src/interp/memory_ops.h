// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics of a warp (PTX ISA 9.7.9, 9.7.13). Every lane's address is checked against the window it may
// reach and for alignment before the access; pages inside the window that belong to no allocation raise SIGSEGV, which the
// CTA turns into a trap. Contiguous and uniform accesses, nearly all there are, get their own short loops.
#pragma once

#include <atomic>
#include <cstring>

#include "interp/lane.h"
#include "isa/sem/atom.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

/// Flags of memory Ops.
enum MemoryFlags : u8 {
  kOrdered = 1,  ///< volatile, relaxed, acquire, release: each lane's access is one atomic access
};

/// The addresses of a warp access, as host addresses; `uniform`: all equal to lane[0].
struct Addresses {
  alignas(64) u64 lane[kLanes];
  bool uniform;
};

/// Forms the addresses of the Op's memory operand and checks each active lane's `bytes` (a power of two times the vector
/// length) against window and alignment. Traps when a lane is wrong.
inline void form_addresses(Warp& warp, const Op& op, u32 bytes, u32 alignment, Addresses& out) {
  const u64 offset = op.offset;
  out.uniform = false;
  switch (op.base) {
    case AddressBase::reg64: {
      const u64* __restrict from = warp.at<const u64>(op.src[0]);
      for (u32 i = 0; i < kLanes; ++i) out.lane[i] = from[i] + offset;
      break;
    }
    case AddressBase::reg32: {
      const u32* __restrict from = warp.at<const u32>(op.src[0]);
      for (u32 i = 0; i < kLanes; ++i) out.lane[i] = static_cast<u32>(from[i] + static_cast<u32>(offset));
      break;
    }
    case AddressBase::absolute:
    case AddressBase::params:
    case AddressBase::frame: {
      const u64 base = op.base == AddressBase::params ? warp.params : op.base == AddressBase::frame ? warp.frame_local : 0;
      for (u32 i = 0; i < kLanes; ++i) out.lane[i] = base + offset;
      out.uniform = op.window != Window::local;
      break;
    }
  }
  u64 bad = 0;
  if (op.window == Window::generic) {
    const u64 low = warp.low_base, low_room = warp.low_size - bytes;
    const u64 high = warp.high_base, high_room = warp.high_size - bytes;
    for (u32 i = 0; i < kLanes; ++i) {
      const u64 address = out.lane[i];
      const bool wrong = (address & (alignment - 1)) || (address - high > high_room && address - low > low_room);
      bad |= wrong && (warp.mask & kBit[i]) ? 1 : 0;
    }
  } else {
    const u64 size = op.window == Window::shared ? warp.shared_size : warp.local_stride;
    const u64 base = op.window == Window::shared ? warp.shared_base : warp.local_base;
    const u64 stride = op.window == Window::shared ? 0 : warp.local_stride;
    const bool none_fits = size < bytes;
    const u64 room = size - bytes;
    for (u32 i = 0; i < kLanes; ++i) {
      const u64 address = out.lane[i];
      const bool wrong = (address & (alignment - 1)) || address > room || none_fits;
      bad |= wrong && (warp.mask & kBit[i]) ? 1 : 0;
      out.lane[i] = address + base + stride * i;
    }
  }
  if (bad) [[unlikely]] {
    trap_on_address(warp, op, bytes, alignment);
  }
}

/// True when active lanes access consecutive pieces of `stride` bytes: all lanes must be active.
inline bool contiguous(const Warp& warp, const Addresses& addresses, u64 stride) {
  if (warp.mask != kAllLanes) return false;
  u64 different = 0;
  const u64 first = addresses.lane[0];
  for (u32 i = 0; i < kLanes; ++i) different |= addresses.lane[i] ^ (first + stride * i);
  return different == 0;
}

template <class T>
T load_one(u64 address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}
template <class T>
void store_one(u64 address, T value) {
  std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
}

/// An access that other threads may race with (8.2): stronger than asked, which the model allows and x86 gives for free.
template <class T>
T load_ordered(u64 address) {
  if constexpr (sizeof(T) <= 8) {
    return __atomic_load_n(reinterpret_cast<const T*>(address), __ATOMIC_ACQUIRE);
  } else {
    return {load_ordered<u64>(address), load_ordered<u64>(address + 8)};
  }
}
template <class T>
void store_ordered(u64 address, T value) {
  if constexpr (sizeof(T) <= 8) {
    __atomic_store_n(reinterpret_cast<T*>(address), value, __ATOMIC_RELEASE);
  } else {
    store_ordered<u64>(address, value.lo);
    store_ordered<u64>(address + 8, value.hi);
  }
}

/// ld of `op.count` elements of T a lane (bits; the decoder widens).
template <class T>
void load(Warp& warp, const Op& op) {
  const u32 count = op.count;
  Addresses addresses;
  form_addresses(warp, op, sizeof(T) * count, sizeof(T) * count, addresses);
  if (addresses.uniform && !(op.flags & kOrdered)) {
    for (u32 e = 0; e < count; ++e) {
      const T value = load_one<T>(addresses.lane[0] + e * sizeof(T));
      Sink<T> sink(warp, op.list[e]);
      for (u32 i = 0; i < kLanes; ++i) sink.template set<false>(i, value);
    }
    return;
  }
  if (!(op.flags & kOrdered) && contiguous(warp, addresses, sizeof(T) * count)) {
    const T* __restrict from = reinterpret_cast<const T*>(addresses.lane[0]);
    if (count == 1) {
      std::memcpy(warp.at<T>(op.list[0]), from, sizeof(T) * kLanes);
    } else {
      for (u32 e = 0; e < count; ++e) {
        T* __restrict to = warp.at<T>(op.list[e]);
        for (u32 i = 0; i < kLanes; ++i) to[i] = from[i * count + e];
      }
    }
    return;
  }
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 i = static_cast<u32>(std::countr_zero(rest));
    for (u32 e = 0; e < count; ++e) {
      const u64 address = addresses.lane[i] + e * sizeof(T);
      warp.at<T>(op.list[e])[i] = op.flags & kOrdered ? load_ordered<T>(address) : load_one<T>(address);
    }
  }
}

template <class T>
void store(Warp& warp, const Op& op) {
  const u32 count = op.count;
  Addresses addresses;
  form_addresses(warp, op, sizeof(T) * count, sizeof(T) * count, addresses);
  if (!(op.flags & kOrdered) && contiguous(warp, addresses, sizeof(T) * count)) {
    T* __restrict to = reinterpret_cast<T*>(addresses.lane[0]);
    if (count == 1) {
      std::memcpy(to, warp.at<const T>(op.list[0]), sizeof(T) * kLanes);
    } else {
      for (u32 e = 0; e < count; ++e) {
        const T* __restrict from = warp.at<const T>(op.list[e]);
        for (u32 i = 0; i < kLanes; ++i) to[i * count + e] = from[i];
      }
    }
    return;
  }
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 i = static_cast<u32>(std::countr_zero(rest));
    for (u32 e = 0; e < count; ++e) {
      const u64 address = addresses.lane[i] + e * sizeof(T);
      const T value = warp.at<const T>(op.list[e])[i];
      if (op.flags & kOrdered) {
        store_ordered<T>(address, value);
      } else {
        store_one<T>(address, value);
      }
    }
  }
}

// --- atomics (9.7.13.5, 9.7.13.6) --------------------------------------------------------------------------------------

/// One read-modify-write on memory that other host threads may touch. Returns the old value.
template <sem::Atomop kOp, class T>
T atom_global(u64 address, T b, T c, bool ftz) {
  using Word = sem::AtomWord<sizeof(T)>;
  Word* at = reinterpret_cast<Word*>(address);
  if constexpr (kOp == sem::Atomop::add && std::integral<T>) {
    return static_cast<T>(__atomic_fetch_add(at, static_cast<Word>(b), __ATOMIC_SEQ_CST));
  } else if constexpr (kOp == sem::Atomop::exch) {
    return std::bit_cast<T>(__atomic_exchange_n(at, std::bit_cast<Word>(b), __ATOMIC_SEQ_CST));
  } else {
    Word old = __atomic_load_n(at, __ATOMIC_RELAXED);
    for (;;) {
      const Word next = std::bit_cast<Word>(sem::atom_apply<kOp, T>(std::bit_cast<T>(old), b, c, ftz));
      if (__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        return std::bit_cast<T>(old);
      }
    }
  }
}

/// atom and red: lanes one after the other, in lane order. src[1] = b, src[2] = c; dst[0] takes the old value.
/// A CTA runs on one host thread, so shared memory needs no locked access.
template <sem::Atomop kOp, class T>
void atom(Warp& warp, const Op& op) {
  Addresses addresses;
  form_addresses(warp, op, sizeof(T) * op.count, sizeof(T) * op.count, addresses);
  const bool shared = op.window == Window::shared;
  // The first element's operands follow the list of destinations: dst..., b..., c...
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 i = static_cast<u32>(std::countr_zero(rest));
    for (u32 e = 0; e < op.count; ++e) {
      const u64 address = addresses.lane[i] + e * sizeof(T);
      const T b = warp.at<const T>(op.list[op.count + e])[i];
      const T c = warp.at<const T>(op.list[2 * op.count + e])[i];
      T old;
      if (shared) {
        old = load_one<T>(address);
        store_one<T>(address, sem::atom_apply<kOp, T>(old, b, c, false));
      } else {
        old = atom_global<kOp, T>(address, b, c, !warp.in_shared_window(address));
      }
      warp.at<T>(op.list[e])[i] = old;
    }
  }
}

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
