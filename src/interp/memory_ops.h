// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics of a warp (PTX ISA 9.7.9, 9.7.13). Before the access, every lane's
// address is checked against its window, and for alignment. Pages inside the window that belong to
// no allocation raise SIGSEGV, which the CTA turns into a trap. Contiguous and uniform accesses,
// the most frequent ones, have short loops of their own.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>

#include "interp/affine_access.h"
#include "interp/lane.h"
#include "machine/read_modify_write.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

/// The lanes' addresses, counted from the start of the window that they belong to.
struct Addresses {
  alignas(64) u64 lane[kLanes];
};

/// The window of an access: legal addresses are [0, size) from `base` plus `stride` per lane. The
/// generic window is special: base 0, and two legal ranges.
struct WindowShape {
  u64 base, stride, size;
};
inline WindowShape shape_of(const Warp& warp, Window window) {
  switch (window) {
    case Window::shared:
      return {warp.shared_base, 0, warp.shared_size};
    case Window::local:
      return {warp.local_base, warp.local_stride, warp.local_stride};
    case Window::param:
      return {warp.params, 0, warp.params_size};
    default:
      return {0, 0, 0};
  }
}

/// Whether all lanes access the same address: no register is added to it, and the window is not per
/// thread.
inline bool is_uniform(const Op& op) {
  return op.base == AddressBase::absolute && op.window != Window::local;
}
inline u64 uniform_address(const Warp& warp, const Op& op) {
  return op.offset + (op.base == AddressBase::frame ? warp.frame_local : 0);
}

inline void form_lanes(const Warp& warp, const Op& op, Addresses& out) {
  const u64 offset = op.offset;
  if (op.base == AddressBase::reg64) {
    const u64* from = warp.at<const u64>(op.src[0]);
    for (u32 i = 0; i < kLanes; ++i) out.lane[i] = from[i] + offset;
  } else if (op.base == AddressBase::reg32) {
    const u32* from = warp.at<const u32>(op.src[0]);
    for (u32 i = 0; i < kLanes; ++i)
      out.lane[i] = static_cast<u32>(from[i] + static_cast<u32>(offset));
  } else {
    const u64 address = uniform_address(warp, op);
    for (u32 i = 0; i < kLanes; ++i) out.lane[i] = address;
  }
}

/// Whether `bytes` from `address` lie in the window, aligned.
inline bool is_legal(const Warp& warp, Window window, const WindowShape& shape, u64 address,
                     u64 bytes, u64 alignment) {
  if (address & (alignment - 1)) return false;
  if (window != Window::generic) return address < shape.size && bytes <= shape.size - address;
  return (address - warp.high_base < warp.high_size &&
          bytes <= warp.high_size - (address - warp.high_base)) ||
         (address - warp.low_base < warp.low_size &&
          bytes <= warp.low_size - (address - warp.low_base));
}

/// Traps when an active lane's access is not legal; then makes the addresses host addresses.
inline void check_lanes(Warp& warp, const Op& op, u64 bytes, u64 alignment, Addresses& addresses) {
  const WindowShape shape = shape_of(warp, op.window);
  const u32 mask = warp.mask;
  u64 bad = 0;
  if (op.window == Window::generic) {
    const u64 low = warp.low_base, low_room = warp.low_size - bytes;
    const u64 high = warp.high_base, high_room = warp.high_size - bytes;
    for (u32 i = 0; i < kLanes; ++i) {
      const u64 address = addresses.lane[i];
      const u64 outside =
          static_cast<u64>(address - high > high_room) & static_cast<u64>(address - low > low_room);
      const u64 wrong = outside | (address & (alignment - 1));
      bad |= (mask & kBit[i]) != 0 ? wrong : 0;
    }
  } else {
    const u64 room = shape.size - bytes;
    const u64 none_fits = shape.size < bytes;
    for (u32 i = 0; i < kLanes; ++i) {
      const u64 address = addresses.lane[i];
      const u64 wrong = static_cast<u64>(address > room) | none_fits | (address & (alignment - 1));
      bad |= (mask & kBit[i]) != 0 ? wrong : 0;
    }
  }
  if (bad) [[unlikely]] {
    check_each_lane(warp, op, static_cast<u32>(bytes), static_cast<u32>(alignment));
  }
  if (op.window != Window::generic) {
    for (u32 i = 0; i < kLanes; ++i) addresses.lane[i] += shape.base + shape.stride * i;
  }
}

/// Whether each lane is its predecessor plus `step`, which is `bytes` or 0. The same code does
/// both.
template <class A>
bool steps_by(const A* lanes, A bytes, A step) {
  const A first = lanes[0], keep = step ? ~A{0} : A{0};
  A different = 0;
  for (u32 i = 0; i < kLanes; ++i)
    different |= lanes[i] ^ static_cast<A>(first + (bytes * static_cast<A>(i) & keep));
  return !different;
}
template <class A>
bool steps_by(const A* lanes, A bytes) {
  return steps_by(lanes, bytes, bytes);
}

/// If all lanes are active and access consecutive pieces of `kBytes` bytes, and all accesses are
/// legal: the host address of the first piece. Otherwise 0.
template <u32 kBytes>
[[gnu::always_inline]] inline u64 contiguous(const Warp& warp, const Op& op) {
  if (warp.mask != kAllLanes || op.window == Window::local) return 0;
  u64 first;
  if (op.base == AddressBase::reg64) {
    const u64* from = warp.at<const u64>(op.src[0]);
    if (!steps_by<u64>(from, kBytes)) return 0;
    first = from[0] + op.offset;
  } else if (op.base == AddressBase::reg32) {
    const u32* from = warp.at<const u32>(op.src[0]);
    if (!steps_by<u32>(from, kBytes)) return 0;
    first = static_cast<u32>(from[0] + static_cast<u32>(op.offset));
  } else {
    return 0;
  }
  const WindowShape shape = shape_of(warp, op.window);
  if (!is_legal(warp, op.window, shape, first, kBytes * kLanes, kBytes)) return 0;
  return first + shape.base;
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

/// The FullHandler of a Handler. It notes the warp and the instruction that a trap names.
template <Handler kRun>
[[gnu::flatten]] const Op* full_access(Gang& gang, const Op* op) {
  gang.op = op;
  for (u32 k = 0; k < gang.count; ++k) {
    gang.current = k;
    kRun(*gang.warps[k], *op);
  }
  ++op;
  HEDDLE_GO_ON(gang, op);
}

/// Copies consecutive pieces of memory into registers, and back.
template <class T, u32 kCount>
[[gnu::always_inline]] inline void load_consecutive(u8* frame, const Place* list, u64 first) {
  const T* __restrict from = reinterpret_cast<const T*>(first);
  if constexpr (kCount == 1) {
    std::memcpy(frame + list[0], from, sizeof(T) * kLanes);
    return;
  }
  for (u32 e = 0; e < kCount; ++e) {
    T* __restrict to = reinterpret_cast<T*>(frame + list[e]);
    HEDDLE_LANES_INDEPENDENT
    for (u32 i = 0; i < kLanes; ++i) to[i] = from[i * kCount + e];
  }
}
template <class T, u32 kCount>
[[gnu::always_inline]] inline void store_consecutive(const u8* frame, const Place* list,
                                                     u64 first) {
  T* __restrict to = reinterpret_cast<T*>(first);
  if constexpr (kCount == 1) {
    std::memcpy(to, frame + list[0], sizeof(T) * kLanes);
    return;
  }
  for (u32 e = 0; e < kCount; ++e) {
    const T* __restrict from = reinterpret_cast<const T*>(frame + list[e]);
    for (u32 i = 0; i < kLanes; ++i) to[i * kCount + e] = from[i];
  }
}

/// The general case of load(), lane by lane. It is a function of its own, so that the short loops
/// stay short.
template <class T, u32 kCount>
[[gnu::noinline]] void load_lanes(Warp& warp, const Op& op) {
  constexpr u32 kBytes = sizeof(T) * kCount;
  const bool ordered = op.flags & kOrdered;
  Addresses addresses;
  form_lanes(warp, op, addresses);
  check_lanes(warp, op, kBytes, kBytes, addresses);
  if (!ordered && warp.mask == kAllLanes) {
    for (u32 e = 0; e < kCount; ++e) {
      T* to = warp.at<T>(op.list[e]);
      for (u32 i = 0; i < kLanes; ++i) to[i] = load_one<T>(addresses.lane[i] + e * sizeof(T));
    }
    return;
  }
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 i = static_cast<u32>(std::countr_zero(rest));
    std::array<T, kCount> elements;
    if (ordered)
      machine::load_ordered(addresses.lane[i], elements.data(), kBytes);
    else
      std::memcpy(elements.data(), reinterpret_cast<const void*>(addresses.lane[i]), kBytes);
    for (u32 e = 0; e < kCount; ++e) warp.at<T>(op.list[e])[i] = elements[e];
  }
}

/// ld of kCount elements of T a lane, as bits; the decoder adds conversions.
template <class T, u32 kCount>
void load(Warp& warp, const Op& op) {
  constexpr u32 kBytes = sizeof(T) * kCount;
  if (op.flags & kOrdered) return load_lanes<T, kCount>(warp, op);
  if (const u64 first = contiguous<kBytes>(warp, op))
    return load_consecutive<T, kCount>(warp.frame, op.list, first);
  if (!is_uniform(op)) return load_lanes<T, kCount>(warp, op);
  const WindowShape shape = shape_of(warp, op.window);
  const u64 address = uniform_address(warp, op);
  if (!is_legal(warp, op.window, shape, address, kBytes, kBytes)) [[unlikely]] {
    check_each_lane(warp, op, kBytes, kBytes);
  }
  for (u32 e = 0; e < kCount; ++e) {
    const T value = load_one<T>(shape.base + address + e * sizeof(T));
    Sink<T> sink(registers_of(warp), op.list[e]);
    for (u32 i = 0; i < kLanes; ++i) sink.template set<false>(i, value);
  }
}

/// The general case of store().
template <class T, u32 kCount>
[[gnu::noinline]] void store_lanes(Warp& warp, const Op& op) {
  constexpr u32 kBytes = sizeof(T) * kCount;
  const bool ordered = op.flags & kOrdered;
  Addresses addresses;
  form_lanes(warp, op, addresses);
  check_lanes(warp, op, kBytes, kBytes, addresses);
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 i = static_cast<u32>(std::countr_zero(rest));
    std::array<T, kCount> elements;
    for (u32 e = 0; e < kCount; ++e) elements[e] = warp.at<const T>(op.list[e])[i];
    if (ordered)
      machine::store_ordered(addresses.lane[i], elements.data(), kBytes);
    else
      std::memcpy(reinterpret_cast<void*>(addresses.lane[i]), elements.data(), kBytes);
  }
}

template <class T, u32 kCount>
void store(Warp& warp, const Op& op) {
  if (op.flags & kOrdered) return store_lanes<T, kCount>(warp, op);
  const u64 first = contiguous<sizeof(T) * kCount>(warp, op);
  if (!first) return store_lanes<T, kCount>(warp, op);
  store_consecutive<T, kCount>(warp.frame, op.list, first);
}

// --- the usual accesses: weak, by a whole warp, in a window without strides ---

/// The lanes of the base register have the type A. This function executes consecutive and uniform
/// accesses, and leaves others to the general case.
template <class T, u32 kCount, class A>
[[gnu::always_inline]] inline void usual_load(Warp& warp, const Op& op) {
  constexpr u32 kBytes = sizeof(T) * kCount;
  const A* const lanes = warp.at<const A>(op.src[0]);
  const u64 first = static_cast<A>(lanes[0] + static_cast<A>(op.offset));
  const A step = lanes[1] - lanes[0];
  const WindowShape shape = shape_of(warp, op.window);
  const bool known = (step == kBytes || step == 0) && steps_by<A>(lanes, kBytes, step);
  const u64 bytes = step ? kBytes * kLanes : kBytes;
  if (!known || !is_legal(warp, op.window, shape, first, bytes, kBytes))
    return load_lanes<T, kCount>(warp, op);
  if (step) return load_consecutive<T, kCount>(warp.frame, op.list, shape.base + first);
  for (u32 e = 0; e < kCount; ++e) {
    const T value = load_one<T>(shape.base + first + e * sizeof(T));
    T* const to = warp.at<T>(op.list[e]);
    for (u32 i = 0; i < kLanes; ++i) to[i] = value;
  }
}
template <class T, u32 kCount, class A>
[[gnu::always_inline]] inline void usual_store(Warp& warp, const Op& op) {
  constexpr u32 kBytes = sizeof(T) * kCount;
  const A* const lanes = warp.at<const A>(op.src[0]);
  const u64 first = static_cast<A>(lanes[0] + static_cast<A>(op.offset));
  const WindowShape shape = shape_of(warp, op.window);
  if (steps_by<A>(lanes, kBytes) &&
      is_legal(warp, op.window, shape, first, kBytes * kLanes, kBytes)) {
    store_consecutive<T, kCount>(warp.frame, op.list, shape.base + first);
  } else {
    store_lanes<T, kCount>(warp, op);
  }
}

// --- accesses of whole warps whose addresses are known to be affine (affine_access.h) ---

template <class T, u32 kCount, class A, AffineLoad kForm>
const Op* affine_load(Gang& gang, const Op* op) {
  constexpr u32 kBytes = sizeof(T) * kCount;
  constexpr bool kConsecutive = kForm == AffineLoad::consecutive;
  std::array<Place, kCount> list;
  std::copy_n(op->list, kCount, list.begin());
  const bool done = access_by_lead<A>(
      gang, op, kConsecutive ? kBytes * kLanes : kBytes, kBytes, [list](u8* frame, u64 first) {
        if constexpr (kConsecutive) return load_consecutive<T, kCount>(frame, list.data(), first);
        for (u32 e = 0; e < kCount; ++e) {
          T lanes[kForm == AffineLoad::lead ? 1 : kLanes];
          std::fill(std::begin(lanes), std::end(lanes), load_one<T>(first + e * sizeof(T)));
          std::memcpy(frame + list[e], lanes, sizeof lanes);
        }
      });
  if (!done) return op;
  ++op;
  HEDDLE_GO_ON(gang, op);
}
template <class T, u32 kCount, class A>
const Op* affine_store(Gang& gang, const Op* op) {
  constexpr u32 kBytes = sizeof(T) * kCount;
  std::array<Place, kCount> list;
  std::copy_n(op->list, kCount, list.begin());
  const bool done = access_by_lead<A>(
      gang, op, kBytes * kLanes, kBytes,
      [list](u8* frame, u64 first) { store_consecutive<T, kCount>(frame, list.data(), first); });
  if (!done) return op;
  ++op;
  HEDDLE_GO_ON(gang, op);
}

// --- atomics (9.7.13.5, 9.7.13.6) ---

inline constexpr u32 kMostElements = 8;

/// atom and red: lanes one after the other, in lane order. Op::list has the destinations, then b,
/// then c.
template <auto kFunction>
void atomic(Warp& warp, const Op& op) {
  using T = machine::AtomicValue<kFunction>;
  Addresses addresses;
  form_lanes(warp, op, addresses);
  check_lanes(warp, op, sizeof(T) * op.count, sizeof(T) * op.count, addresses);
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 i = static_cast<u32>(std::countr_zero(rest));
    T results[kMostElements];  // a destination may be the source of a later element
    for (u32 e = 0; e < op.count; ++e) {
      const u64 address = addresses.lane[i] + e * sizeof(T);
      const bool shared = op.window == Window::shared || warp.in_shared_window(address);
      results[e] = machine::read_modify_write<kFunction>(
          address, warp.at<const T>(op.list[op.count + e])[i],
          warp.at<const T>(op.list[2 * op.count + e])[i], shared);
    }
    for (u32 e = 0; e < op.count; ++e) warp.at<T>(op.list[e])[i] = results[e];
  }
}

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
