// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the engines call a warp function (lanes.h) whose operands lie somewhere in memory: by its
// signature.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "isa/sem/lanes.h"

namespace heddle::sem {

template <auto kFunction>
struct WarpFunction;

template <class... Args, void (*kFunction)(Args...)>
struct WarpFunction<kFunction> {
  /// Modifiers that are passed at run time; they come first.
  static constexpr u32 kModifiers = (0 + ... + (std::is_enum_v<Args> ? 1 : 0));

 private:
  template <class T>
  static constexpr bool kIsResult =
      (std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>>) ||
      std::is_lvalue_reference_v<T>;
  template <u32 kIndex>
  using Arg = std::tuple_element_t<kIndex, std::tuple<Args...>>;

 public:
  static constexpr u32 kResults = (0 + ... + (kIsResult<Args> ? 1 : 0));
  static constexpr u32 kSources = sizeof...(Args) - kModifiers - 1 - kResults;
  static constexpr bool kFirstResultIsPredicate =
      std::is_same_v<Arg<kModifiers + 1 + kSources>, Predicate&>;

  /// `operand(i)`: where operand i lies, 32 values or a Predicate; sources come before results.
  template <class Operand>
  static void call(const u8* modifiers, WarpLanes who, Operand operand) {
    call(modifiers, who, operand, std::make_index_sequence<sizeof...(Args)>());
  }

 private:
  template <class Operand, std::size_t... kIndex>
  static void call(const u8* modifiers, WarpLanes who, Operand operand,
                   std::index_sequence<kIndex...>) {
    kFunction(argument<kIndex>(modifiers, who, operand)...);
  }
  template <u32 kIndex, class Operand>
  static Arg<kIndex> argument(const u8* modifiers, WarpLanes who, Operand operand) {
    using T = Arg<kIndex>;
    if constexpr (std::is_enum_v<T>)
      return static_cast<T>(modifiers[kIndex]);
    else if constexpr (std::is_same_v<T, WarpLanes>)
      return who;
    else if constexpr (std::is_pointer_v<T>)
      return static_cast<T>(operand(kIndex - kModifiers - 1));
    else
      return *static_cast<Predicate*>(operand(kIndex - kModifiers - 1));
  }
};

}  // namespace heddle::sem
