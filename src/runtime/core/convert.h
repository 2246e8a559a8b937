// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of the runtime as arguments of the driver. The two interfaces describe the same things
// in types of different names: `void*` is a CUdeviceptr, an enumeration has the same numbers, a
// structure the same layout. What is more than another name (a function of the program that stands
// for a kernel) has a conversion that can fail.
#pragma once

#include <bit>
#include <type_traits>

#include "runtime/core/error.h"

namespace heddle::runtime {

template <class T>
concept IsComplete = requires { sizeof(T); };

/// What pointers of both types may point to, if it is the same thing under two names.
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
    return (To)from;  // NOLINT: removes const too, where the driver forgot it
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
