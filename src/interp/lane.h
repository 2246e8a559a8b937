// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the meaning of an instruction for one thread (a function of isa/sem/) to a handler for a
// warp: `lane<F>` maps F over the 32 lanes. The leading enum parameters of F are run-time
// modifiers; the others are sources. The loop computes inactive lanes too and discards their
// results: lane functions have no side effects and never fault, and a loop without branches becomes
// vector code.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "interp/affine_access.h"
#include "interp/op.h"
#include "isa/sem/float.h"

// A destination may be a source too, but each iteration reads and writes its own lane only.
#if defined(__clang__)
#define HEDDLE_LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HEDDLE_LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

/// The bit of each lane. It is a table, because both compilers make vector code of
/// `mask & kBit[lane]`.
alignas(64) inline constexpr u32 kBit[kLanes] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/// Bit i of the result is byte i, which is 0 or 1.
inline u32 pack_bits(const u8 (&bytes)[kLanes]) {
#if defined(__clang__) && __clang_major__ >= 15
  // The compiler then moves the result of the comparison from a mask register to a general
  // register.
  constexpr u32 kHalf = kLanes / 2;
  const auto half = [&](u32 first) {
    using Bytes [[gnu::vector_size(kHalf)]] = u8;
    using Bits = bool __attribute__((ext_vector_type(kHalf)));
    Bytes all;
    std::memcpy(&all, bytes + first, sizeof all);
    const Bits set = __builtin_convertvector(all, Bits);
    u16 bits;
    std::memcpy(&bits, &set, sizeof bits);
    return u32{bits};
  };
  return half(0) | half(kHalf) << kHalf;
#elif defined(__SSE2__)
  const auto half = [&](u32 first) {
    const __m128i all = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes + first));
    return static_cast<u32>(_mm_movemask_epi8(_mm_slli_epi16(all, 7)));
  };
  return half(0) | half(16) << 16;
#else
  u32 bits = 0;
  for (u32 part = 0; part < kLanes / 8; ++part) {
    u64 eight;
    std::memcpy(&eight, bytes + part * 8, 8);
    // The product puts bit 0 of each byte into the top byte, at a position of its own.
    bits |= static_cast<u32>((eight * 0x0102040810204080u) >> 56) << (part * 8);
  }
  return bits;
#endif
}

/// The registers of a warp, and the lanes that execute.
struct Registers {
  u8* frame;
  u32 mask;
  template <class T>
  T* at(Place p) const {
    return reinterpret_cast<T*>(frame + p);
  }
};
inline Registers registers_of(const Warp& warp) { return {warp.frame, warp.mask}; }

/// One source operand of C++ type T as an array of lanes; predicates are unpacked from their bits.
template <class T>
struct Source {
  const T* lanes;
  Source(const Registers& registers, Place p) : lanes(registers.at<const T>(p)) {}
  explicit Source(const u8* memory) : lanes(reinterpret_cast<const T*>(memory)) {}
  T operator[](u32 lane) const { return lanes[lane]; }
};
template <>
struct Source<bool> {
  u32 bits;
  Source(const Registers& registers, Place p) : bits(*registers.at<const u32>(p)) {}
  bool operator[](u32 lane) const { return (bits & kBit[lane]) != 0; }
};

/// Writes a result lane by lane; inactive lanes keep their value.
template <class T>
struct Sink {
  T* lanes;
  u32 mask;
  Sink(const Registers& registers, Place p) : lanes(registers.at<T>(p)), mask(registers.mask) {}
  template <bool kAll>
  void set(u32 lane, T value) {
    lanes[lane] = kAll || (mask & kBit[lane]) != 0 ? value : lanes[lane];
  }
  template <bool>
  void finish() {}
};
template <>
struct Sink<bool> {
  u32* out;
  u32 mask;
  alignas(kLanes) u8 lanes[kLanes];
  Sink(const Registers& registers, Place p) : out(registers.at<u32>(p)), mask(registers.mask) {}
  template <bool>
  void set(u32 lane, bool value) {
    lanes[lane] = value;
  }
  template <bool kAll>
  void finish() {
    const u32 bits = pack_bits(lanes);
    *out = kAll ? bits : (*out & ~mask) | (bits & mask);
  }
};
template <>
struct Sink<sem::LateCanonical> {
  sem::f32* lanes;
  u32 mask;
  Sink(const Registers& registers, Place p)
      : lanes(registers.at<sem::f32>(p)), mask(registers.mask) {}
  template <bool kAll>
  void set(u32 lane, sem::LateCanonical value) {
    lanes[lane] = kAll || (mask & kBit[lane]) != 0 ? value.raw : lanes[lane];
  }
  template <bool>
  [[gnu::always_inline]] void finish() {
    bool any_nan = false;
    for (u32 lane = 0; lane < kLanes / 2; ++lane)
      any_nan |= __builtin_isunordered(lanes[lane], lanes[lane + kLanes / 2]) != 0;
    if (any_nan) [[unlikely]]
      canonicalize(lanes, mask);
  }
  [[gnu::noinline]] static void canonicalize(sem::f32* lanes, u32 mask) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const bool active = (mask & kBit[lane]) != 0;
      lanes[lane] = active ? sem::canonical(lanes[lane]) : lanes[lane];
    }
  }
};
/// For a second destination that is a sink.
struct NoSink {
  template <bool, class T>
  void set(u32, T) {}
  template <bool>
  void finish() {}
};

/// The old value of a destination, which inactive lanes get back.
template <class T>
struct Kept {
  alignas(64) T lanes[kLanes];
  T* from;
  Kept(const Registers& registers, Place p) : from(registers.at<T>(p)) {
    std::memcpy(lanes, from, sizeof lanes);
  }
  [[gnu::noinline]] void give_back(u32 active) const {
    for (u32 lane = 0; lane < kLanes; ++lane)
      from[lane] = (active & kBit[lane]) != 0 ? from[lane] : lanes[lane];
  }
};
template <>
struct Kept<bool> {
  u32 bits;
  u32* from;
  Kept(const Registers& registers, Place p) : from(registers.at<u32>(p)) { bits = *from; }
  void give_back(u32 active) const { *from = (*from & active) | (bits & ~active); }
};

template <class R>
struct IsTwo : std::false_type {};
template <class A, class B>
struct IsTwo<sem::Two<A, B>> : std::true_type {
  using First = A;
  using Second = B;
};

/// Integers and predicates, the types of addresses, counters and conditions.
template <class T>
inline constexpr bool kIsPlain = std::is_integral_v<T> || std::is_enum_v<T>;
template <class A, class B>
inline constexpr bool kIsPlain<sem::Two<A, B>> = kIsPlain<A> && kIsPlain<B>;

/// The type of the first source among parameters, which begin with run-time modifiers.
template <class... Params>
struct FirstSource {
  using Type = u8;  // no source
};
template <class First, class... Rest>
struct FirstSource<First, Rest...> {
  using Type =
      std::conditional_t<std::is_enum_v<First>, typename FirstSource<Rest...>::Type, First>;
};

/// Calls `one` for each warp of a gang, which has at least one. `given` is copied: the compiler
/// must assume that registers alias it, and would read it again for each warp.
template <class One>
[[gnu::always_inline]] inline void for_each_warp(const Gang& gang, const Op& given, One one) {
  const Op op = given;
  const u32 count = gang.count;
  u32 k = 0;
  do {
    one(Registers{gang.frames[k], kAllLanes}, op);
  } while (++k < count);
}

template <auto F>
struct Lane;
template <auto F>
inline constexpr UsualArithmetic usual_arithmetic = Lane<F>::usual();

template <class R, class... Params, R (*F)(Params...)>
struct Lane<F> {
  static constexpr std::size_t kRuntime = (std::size_t{0} + ... + (std::is_enum_v<Params> ? 1 : 0));

  template <std::size_t I, class P>
  static auto source(const Registers& registers, const Op& op) {
    if constexpr (std::is_enum_v<P>) {
      return static_cast<P>(op.runtime[I]);
    } else {
      return Source<P>(registers, op.src[I - kRuntime]);
    }
  }
  template <class P>
  static P element(P modifier, u32) {
    return modifier;
  }
  template <class T>
  static T element(const Source<T>& values, u32 lane) {
    return values[lane];
  }

  /// A function with run-time modifiers is long and rare. It has one loop, without a mask, and then
  /// inactive lanes get their values back.
  static constexpr bool kIsLong = kRuntime > 0;
  [[gnu::noinline]] static void compute(const Registers& registers, const Op& op) {
    run_indexed<true>(registers, op, std::index_sequence_for<Params...>());
  }
  static void compute_active(const Registers& registers, const Op& op) {
    if (registers.mask == kAllLanes) return compute(registers, op);
    if constexpr (IsTwo<R>::value) {
      const Kept<typename IsTwo<R>::First> first(registers, op.dst[0]);
      const bool both = !(op.flags & kNoSecond);
      const Kept<typename IsTwo<R>::Second> second(registers, op.dst[both]);
      compute(registers, op);
      first.give_back(registers.mask);
      if (both) second.give_back(registers.mask);
    } else {
      const Kept<R> result(registers, op.dst[0]);
      compute(registers, op);
      result.give_back(registers.mask);
    }
  }

  static void run(Warp& warp, const Op& op) {
    if constexpr (kIsLong)
      compute_active(registers_of(warp), op);
    else
      run_indexed<false>(registers_of(warp), op, std::index_sequence_for<Params...>());
  }
  // Without a mask the compiler stores whole vectors. kInsts: the number of instructions that F
  // stands for.
  template <u32 kInsts>
  static const Op* full(Gang& gang, const Op* op) {
    for_each_warp(gang, *op,
                  [](const Registers& registers, const Op& op) __attribute__((always_inline)) {
                    if constexpr (kIsLong)
                      compute(registers, op);
                    else
                      run_indexed<true>(registers, op, std::index_sequence_for<Params...>());
                  });
    op += kInsts;
    HEDDLE_GO_ON(gang, op);
  }

  /// Whether the function can run for lane 0 alone, where its sources and its result are affine in
  /// the lane (analysis/leads.cpp).
  static constexpr bool kHasLead = kIsPlain<R> && (kIsPlain<Params> && ...);

  template <std::size_t I, class P>
  static P lead_source(const Registers& registers, const Op& op) {
    if constexpr (std::is_enum_v<P>) {
      return static_cast<P>(op.runtime[I]);
    } else {
      return Source<P>(registers, op.src[I - kRuntime])[0];
    }
  }
  template <class T>
  static void set_lead(const Registers& registers, Place p, T value) {
    if constexpr (std::is_same_v<T, bool>) {
      *registers.at<u32>(p) = value ? kAllLanes : 0;
    } else {
      *registers.at<T>(p) = value;
    }
  }
  template <std::size_t... I>
  [[gnu::always_inline]] static void lead_indexed(const Registers& registers, const Op& op,
                                                  std::index_sequence<I...>) {
    const R result = F(lead_source<I, Params>(registers, op)...);
    if constexpr (IsTwo<R>::value) {
      set_lead(registers, op.dst[0], result.first);
      if (!(op.flags & kNoSecond)) set_lead(registers, op.dst[1], result.second);
    } else {
      set_lead(registers, op.dst[0], result);
    }
  }
  static const Op* lead(Gang& gang, const Op* op) {
    for_each_warp(gang, *op,
                  [](const Registers& registers, const Op& op) __attribute__((always_inline)) {
                    lead_indexed(registers, op, std::index_sequence_for<Params...>());
                  });
    ++op;
    HEDDLE_GO_ON(gang, op);
  }

  /// The same for a result with more bits than the source. It keeps its stride only if no lane of
  /// the source wraps around; otherwise the handler returns the instruction.
  using From = typename FirstSource<Params...>::Type;
  static constexpr bool kWidens =
      kHasLead && std::is_integral_v<R> && sizeof(R) == 8 && sizeof(From) == 4;
  static const Op* lead_widening(Gang& gang, const Op* op) {
    for (u32 k = 0; k < gang.count; ++k) {
      const From first = *reinterpret_cast<const From*>(gang.frames[k] + op->src[0]);
      From last;
      if (__builtin_add_overflow(first, op->reach, &last)) return op;
    }
    HEDDLE_TAIL return lead(gang, op);
  }

  /// A comparison of affine numbers by less or greater. If neither number wraps around, and the
  /// first and the last lane have the same result, all lanes between them have it.
  static constexpr bool kOrders = std::is_same_v<R, sem::Two<bool, bool>> && kRuntime == 0 &&
                                  sizeof...(Params) == 2 && (std::is_same_v<Params, From> && ...) &&
                                  std::is_integral_v<From> && sizeof(From) >= 4;
  static const Op* ordering(Gang& gang, const Op* op) {
    const Op given = *op;
    const s32 reach[2] = {given.reaches[0], given.reaches[1]};
    for (u32 k = 0; k < gang.count; ++k) {
      const Registers registers{gang.frames[k], kAllLanes};
      const From a = *registers.at<const From>(given.src[0]);
      const From b = *registers.at<const From>(given.src[1]);
      From last_a, last_b;
      bool wraps = __builtin_add_overflow(a, reach[0], &last_a);
      wraps |= __builtin_add_overflow(b, reach[1], &last_b);
      const bool first = F(a, b).first;
      u32 lanes = first ? kAllLanes : 0;
      if (wraps || first != F(last_a, last_b).first) [[unlikely]]
        lanes = order_lanes(a, b, reach);
      *registers.at<u32>(given.dst[0]) = lanes;
      if (!(given.flags & kNoSecond)) *registers.at<u32>(given.dst[1]) = ~lanes;
    }
    ++op;
    HEDDLE_GO_ON(gang, op);
  }
  [[gnu::noinline]] static u32 order_lanes(From a, From b, const s32 (&reach)[2]) {
    constexpr s32 kSteps = kLanes - 1;
    u32 lanes = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u64 a_of = static_cast<u64>(a) + static_cast<u64>(s64{reach[0] / kSteps} * lane);
      const u64 b_of = static_cast<u64>(b) + static_cast<u64>(s64{reach[1] / kSteps} * lane);
      lanes |= u32{F(static_cast<From>(a_of), static_cast<From>(b_of)).first} << lane;
    }
    return lanes;
  }

  // The handlers of UsualArithmetic.
  static constexpr bool kIsUsual = std::is_same_v<R, sem::LateCanonical> && kRuntime == 0;

  /// `loaded`: the lanes of the source kLoaded.
  template <std::size_t kLoaded, std::size_t kSpread, std::size_t I, class P>
  static auto usual_source(const Registers& registers, const Op& op, const u8* loaded) {
    if constexpr (I == kSpread) {
      return *registers.at<const P>(op.src[I]);
    } else if constexpr (I == kLoaded) {
      return Source<P>(loaded);
    } else {
      return Source<P>(registers, op.src[I]);
    }
  }
  template <std::size_t kLoaded, std::size_t kSpread, std::size_t... I>
  [[gnu::always_inline]] static void usual_indexed(const Registers& registers, const Op& op,
                                                   const u8* loaded, std::index_sequence<I...>) {
    map<true>(registers, op, usual_source<kLoaded, kSpread, I, Params>(registers, op, loaded)...);
  }
  template <std::size_t kSpread>
  static const Op* spreading(Gang& gang, const Op* op) {
    for_each_warp(gang, *op,
                  [](const Registers& registers, const Op& op) __attribute__((always_inline)) {
                    usual_indexed<kNoSource, kSpread>(registers, op, nullptr,
                                                      std::index_sequence_for<Params...>());
                  });
    ++op;
    HEDDLE_GO_ON(gang, op);
  }
  /// Executes two instructions; `op` is the load.
  template <class A, std::size_t kLoaded, std::size_t kSpread>
  static const Op* loading(Gang& gang, const Op* op) {
    constexpr u32 kBytes = sizeof(typename FirstSource<Params...>::Type);
    const Op second = op[1];
    const bool done =
        access_by_lead<A>(gang, op, kBytes * kLanes, kBytes,
                          [second](u8* frame, u64 first) __attribute__((always_inline)) {
                            usual_indexed<kLoaded, kSpread>(Registers{frame, kAllLanes}, second,
                                                            reinterpret_cast<const u8*>(first),
                                                            std::index_sequence_for<Params...>());
                          });
    if (!done) return op;
    op += 2;
    HEDDLE_GO_ON(gang, op);
  }

  template <std::size_t kLoaded, std::size_t kSpread>
  static constexpr void fill_loading(UsualArithmetic& all) {
    if constexpr (kLoaded != kSpread) {
      all.loading[0][kLoaded][kSpread] = &loading<u32, kLoaded, kSpread>;
      all.loading[1][kLoaded][kSpread] = &loading<u64, kLoaded, kSpread>;
    }
  }
  template <std::size_t kSpread, std::size_t... kLoaded>
  static constexpr void fill_usual(UsualArithmetic& all, std::index_sequence<kLoaded...>) {
    if constexpr (kSpread != kNoSource) all.spreading[kSpread] = &spreading<kSpread>;
    (fill_loading<kLoaded, kSpread>(all), ...);
  }
  static constexpr UsualArithmetic usual() {
    constexpr auto kSources = std::index_sequence_for<Params...>();
    UsualArithmetic all;
    fill_usual<kNoSource>(all, kSources);
    fill_usual<0>(all, kSources);
    if constexpr (kSources.size() > 1) fill_usual<1>(all, kSources);
    if constexpr (kSources.size() > 2) fill_usual<2>(all, kSources);
    return all;
  }

  static constexpr Handlers handlers() {
    Handlers all(&run, &full<1>);
    if constexpr (kHasLead) all.lead = &lead;
    if constexpr (kWidens) all.lead_widening = &lead_widening;
    if constexpr (kOrders) all.ordering = &ordering;
    if constexpr (kIsUsual) all.usual = &usual_arithmetic<F>;
    return all;
  }

  template <bool kAll, std::size_t... I>
  [[gnu::always_inline]] static void run_indexed(const Registers& registers, const Op& op,
                                                 std::index_sequence<I...>) {
    map<kAll>(registers, op, source<I, Params>(registers, op)...);
  }

  template <bool kAll, class... Sources>
  [[gnu::always_inline]] static void map(const Registers& registers, const Op& op,
                                         const Sources... sources) {
    if constexpr (IsTwo<R>::value) {
      Sink<typename IsTwo<R>::First> first(registers, op.dst[0]);
      if (op.flags & kNoSecond) {
        map_two<kAll>(first, NoSink(), sources...);
      } else {
        map_two<kAll>(first, Sink<typename IsTwo<R>::Second>(registers, op.dst[1]), sources...);
      }
    } else {
      Sink<R> sink(registers, op.dst[0]);
      HEDDLE_LANES_INDEPENDENT
      for (u32 lane = 0; lane < kLanes; ++lane)
        sink.template set<kAll>(lane, F(element(sources, lane)...));
      sink.template finish<kAll>();
    }
  }

  template <bool kAll, class First, class Second, class... Sources>
  [[gnu::always_inline]] static void map_two(First first, Second second, const Sources... sources) {
    HEDDLE_LANES_INDEPENDENT
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const R result = F(element(sources, lane)...);
      first.template set<kAll>(lane, result.first);
      second.template set<kAll>(lane, result.second);
    }
    first.template finish<kAll>();
    second.template finish<kAll>();
  }
};

/// The handlers that map F over the lanes.
template <auto F>
inline constexpr Handlers lane = Lane<F>::handlers();
/// Only the handler that each instruction has.
template <auto F>
inline constexpr Handlers lane_run = Handlers(&Lane<F>::run);

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
