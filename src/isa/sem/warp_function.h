// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the engines call a warp function (lanes.h) whose operands lie somewhere in memory: by its
// signature. Operands are one register each, or all of them are of several registers (Registers).
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "isa/sem/lanes.h"
#include "isa/warp_context.h"

namespace heddle::sem {

template <auto kFunction>
struct WarpFunction;

template <class... Args, void (*kFunction)(Args...)>
struct WarpFunction<kFunction> {
 private:
  template <u32 kIndex>
  using Arg = std::tuple_element_t<kIndex, std::tuple<Args...>>;
  template <class T>
  static constexpr bool kIsRegisters =
      std::is_pointer_v<T> && std::is_pointer_v<std::remove_pointer_t<T>>;
  /// What a pointer, or a pointer to pointers, leads to.
  template <class T>
  using Value = std::remove_pointer_t<std::remove_cv_t<std::remove_pointer_t<T>>>;
  template <class T>
  static constexpr bool kIsResult =
      std::is_lvalue_reference_v<T> ? std::is_same_v<T, Predicate&>
      : kIsRegisters<T>             ? !std::is_const_v<Value<T>>
                        : std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>>;

  template <class T>
  static constexpr u32 count() {
    return (0 + ... + (std::is_same_v<Args, T> ? 1 : 0));
  }
  static constexpr u32 kFirstOperand = (0 + ... + (std::is_enum_v<Args> ? 1 : 0)) +
                                       count<const isa::TensorCore&>() +
                                       count<isa::WarpContext&>() + count<WarpLanes>();
  static constexpr bool kTakesAll = count<WarpOperands>() == 1;

 public:
  static constexpr bool kHasRegisters = kTakesAll || (false || ... || kIsRegisters<Args>);
  static constexpr u32 kResults = kTakesAll ? 1 : (0 + ... + (kIsResult<Args> ? 1 : 0));
  /// 0 where WarpOperands has all.
  static constexpr u32 kSources = kTakesAll ? 0 : sizeof...(Args) - kFirstOperand - kResults;
  static constexpr bool kFirstResultIsPredicate =
      std::is_same_v<Arg<kFirstOperand + kSources>, Predicate&>;

  /// `operands`: where each operand lies, 32 values or a Predicate, or, with registers, where there
  /// are pointers to those; sources come before results. `modifiers`: those that are passed at run
  /// time; they come first.
  static void call(const u8* modifiers, isa::WarpContext& context, WarpLanes who,
                   WarpOperands operands) {
    call(modifiers, context, who, operands, std::make_index_sequence<sizeof...(Args)>());
  }

 private:
  template <std::size_t... kIndex>
  static void call(const u8* modifiers, isa::WarpContext& context, WarpLanes who,
                   WarpOperands operands, std::index_sequence<kIndex...>) {
    kFunction(argument<kIndex>(modifiers, context, who, operands)...);
  }
  template <u32 kIndex>
  static Arg<kIndex> argument(const u8* modifiers, isa::WarpContext& context, WarpLanes who,
                              WarpOperands operands) {
    using T = Arg<kIndex>;
    if constexpr (std::is_enum_v<T>)
      return static_cast<T>(modifiers[kIndex]);
    else if constexpr (std::is_same_v<T, WarpLanes>)
      return who;
    else if constexpr (std::is_same_v<T, const isa::TensorCore&>)
      return context.core;
    else if constexpr (std::is_same_v<T, isa::WarpContext&>)
      return context;
    else if constexpr (std::is_same_v<T, WarpOperands>)
      return operands;
    else if constexpr (std::is_pointer_v<T>)
      return static_cast<T>(operands.operands[kIndex - kFirstOperand]);
    else
      return *static_cast<Predicate*>(operands.operands[kIndex - kFirstOperand]);
  }
};

}  // namespace heddle::sem
