// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts arguments of the runtime to arguments of the driver. The two interfaces describe the
// same objects with types of different names: `void*` is a CUdeviceptr, an enumeration has the same
// numbers, a structure the same layout. Arguments with a different meaning (a function of the
// program that stands for a kernel) have a conversion that can fail.
#pragma once

#include <bit>
#include <type_traits>

#include "runtime/core/error.h"

namespace heddle::runtime {

template <class T>
concept IsComplete = requires { sizeof(T); };

/// Whether pointers to From may be passed as pointers to To, because the types are the same under
/// two names.
template <class To, class From>
constexpr bool same_size() {
  if constexpr (IsComplete<To> && IsComplete<From>) {
    return sizeof(To) == sizeof(From);  // NOLINT(bugprone-sizeof-expression): pointers too
  } else {
    return true;  // void and handles
  }
}

template <class To, class From>
To as(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_pointer_v<To> && std::is_pointer_v<From>) {
    static_assert(same_size<std::remove_pointer_t<To>, std::remove_pointer_t<From>>());
    return (To)from;  // NOLINT: also removes const that the driver's type lacks
  } else if constexpr (std::is_pointer_v<From>) {
    static_assert(sizeof(To) == sizeof(From));
    return reinterpret_cast<To>(from);
  } else if constexpr (std::is_class_v<From>) {
    return std::bit_cast<To>(from);
  } else {
    return static_cast<To>(from);
  }
}

/// The kernel that a function of the program stands for, in the current context.
cudaError_t function_of(const void* symbol, CUfunction& function);

/// Converts, and keeps the first error.
class Conversion {
 public:
  template <class To, class From>
  To convert(From from) {
    if constexpr (std::is_same_v<To, CUfunction> && std::is_same_v<From, const void*>) {
      CUfunction function = nullptr;
      if (!error_) error_ = function_of(from, function);
      return function;
    } else {
      return as<To>(from);
    }
  }
  cudaError_t error() const { return error_; }

 private:
  cudaError_t error_ = cudaSuccess;
};

}  // namespace heddle::runtime
