// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Superinstructions. Compiled once per level.
#include "interp/level_joined.h"

#include "interp/lane.h"
#include "isa/sem/compare.h"
#include "isa/sem/float_arith.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {
namespace {

using sem::f32;

/// The result of the first instruction, as a source of the second. The second treats all NaNs
/// alike, and its own result gets the canonical NaN.
constexpr f32 between(sem::LateCanonical value) { return value.raw; }

template <class... Sources>
struct SourceList {};
template <class R, class... Sources>
constexpr SourceList<Sources...> sources_of(R (*)(Sources...)) {
  return {};
}

/// G with the result of F as its source kAt.
template <auto F, auto G, std::size_t kAt, class OfF, class OfG>
struct Join;
template <auto F, auto G, class... A, class B0, class... B>
struct Join<F, G, 0, SourceList<A...>, SourceList<B0, B...>> {
  static constexpr auto run(A... a, B... b) { return G(between(F(a...)), b...); }
};
template <auto F, auto G, class... A, class B0, class B1, class... B>
struct Join<F, G, 1, SourceList<A...>, SourceList<B0, B1, B...>> {
  static constexpr auto run(A... a, B0 b0, B... b) { return G(b0, between(F(a...)), b...); }
};
template <auto F, auto G, class... A, class B0, class B1, class B2>
struct Join<F, G, 2, SourceList<A...>, SourceList<B0, B1, B2>> {
  static constexpr auto run(A... a, B0 b0, B1 b1) { return G(b0, b1, between(F(a...))); }
};
template <auto F, auto G, std::size_t kAt>
inline constexpr FullHandler joined = &Lane<
    &Join<F, G, kAt, decltype(sources_of(F)), decltype(sources_of(G))>::run>::template full<2>;

template <Arithmetic>
inline constexpr auto arithmetic = nullptr;
template <>
inline constexpr auto arithmetic<Arithmetic::add> = &sem::add_f32<false, false>;
template <>
inline constexpr auto arithmetic<Arithmetic::sub> = &sem::sub_f32<false, false>;
template <>
inline constexpr auto arithmetic<Arithmetic::mul> = &sem::mul_f32<false, false>;
template <>
inline constexpr auto arithmetic<Arithmetic::fma> = &sem::fma_f32<false, false>;

template <Arithmetic kFirst, Arithmetic kSecond>
constexpr void fill_second(JoinedHandlers& all) {
  FullHandler(&by_source)[kNoSource] =
      all.arithmetic[static_cast<u32>(kFirst)][static_cast<u32>(kSecond)];
  constexpr auto kF = arithmetic<kFirst>;
  constexpr auto kG = arithmetic<kSecond>;
  by_source[0] = joined<kF, kG, 0>;
  by_source[1] = joined<kF, kG, 1>;
  if constexpr (kSecond == Arithmetic::fma) by_source[2] = joined<kF, kG, 2>;
}
template <Arithmetic kFirst, sem::Cmp... kCmp>
constexpr void fill_comparisons(JoinedHandlers& all) {
  FullHandler(&by_cmp)[kComparisons] = all.comparison[static_cast<u32>(kFirst)];
  ((by_cmp[static_cast<u32>(kCmp)] = joined<arithmetic<kFirst>, &sem::setp<f32, kCmp, false>, 0>),
   ...);
}
template <Arithmetic... kFirst>
constexpr void fill_pairs(JoinedHandlers& all) {
  using enum sem::Cmp;
  (fill_second<kFirst, Arithmetic::add>(all), ...);
  (fill_second<kFirst, Arithmetic::sub>(all), ...);
  (fill_second<kFirst, Arithmetic::mul>(all), ...);
  (fill_second<kFirst, Arithmetic::fma>(all), ...);
  (fill_comparisons<kFirst, eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu>(all), ...);
}

/// The host address of the factor, for each warp of the gang. False: an address is not legal.
template <class A>
bool find_factor(const Gang& gang, const Products::Factor& factor, u64 (&at)[kMostInGang]) {
  const LeadAddresses<A> addresses(gang, factor.window, factor.base, factor.offset);
  if (addresses.size < factor.bytes) return false;
  const u64 room = addresses.size - factor.bytes;
  for (u32 k = 0; k < gang.count; ++k) {
    const u64 address = addresses.of(gang.frames[k]);
    if (address - addresses.start > room || address % sizeof(f32)) return false;
    at[k] = addresses.base + address;
  }
  return true;
}

/// A factor: one number for all lanes, or one for each lane.
template <bool kIsSame>
struct FactorLanes {
  f32 values[kIsSame ? 1 : kLanes];
  f32 operator[](u32 lane) const { return values[kIsSame ? 0 : lane]; }
  /// `op`: the load's Op, which a trap names when there is no page at the address.
  [[gnu::always_inline]] void load(Gang& gang, const Op* op, u64 address) {
    gang.op = op;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    std::memcpy(values, reinterpret_cast<const void*>(address), sizeof values);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
};

/// The sum stays in the host's registers. A NaN stays a NaN, so the canonical NaN is needed in the
/// final sum only.
template <class First, class Second, bool kFirstIsSame>
const Op* add_products(Gang& gang, const Op* op) {
  const Products& sum = *op[2].products;
  // All addresses are checked before the first sum is written: no warp could get its old sum back.
  u64 first[kMostInGang], second[kMostInGang];
  if (!find_factor<First>(gang, sum.factors[0], first) ||
      !find_factor<Second>(gang, sum.factors[1], second)) [[unlikely]]
    return op;
  for (u32 k = 0; k < gang.count; ++k) {
    u8* const frame = gang.frames[k];
    gang.current = k;
    alignas(64) f32 lanes[kLanes];
    std::memcpy(lanes, frame + sum.from, sizeof lanes);
    const Op* at = op;
    for (const auto& [first_offset, second_offset] : sum.offsets) {
      FactorLanes<kFirstIsSame> a;
      FactorLanes<!kFirstIsSame> b;
      a.load(gang, at, first[k] + first_offset);
      b.load(gang, at + 1, second[k] + second_offset);
      for (u32 lane = 0; lane < kLanes; ++lane)
        lanes[lane] = between(sem::fma_f32<false, false>(a[lane], b[lane], lanes[lane]));
      at += 3;
    }
    Sink<sem::LateCanonical> sink({frame, kAllLanes}, sum.to);
    for (u32 lane = 0; lane < kLanes; ++lane) sink.set<true>(lane, {lanes[lane]});
    sink.finish<true>();
  }
  op += 3 * sum.offsets.size();
  HEDDLE_GO_ON(gang, op);
}
template <class First, class Second>
constexpr void fill_products(JoinedHandlers& all) {
  FullHandler(&by_order)[2] = all.products[sizeof(First) == 8][sizeof(Second) == 8];
  by_order[0] = &add_products<First, Second, false>;
  by_order[1] = &add_products<First, Second, true>;
}

constexpr JoinedHandlers make_joined() {
  using enum Arithmetic;
  JoinedHandlers all;
  fill_pairs<add, sub, mul, fma>(all);
  fill_products<u32, u32>(all), fill_products<u32, u64>(all);
  fill_products<u64, u32>(all), fill_products<u64, u64>(all);
  return all;
}

}  // namespace

const JoinedHandlers& joined_handlers() {
  static constexpr JoinedHandlers kAll = make_joined();
  return kAll;
}

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
