// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every exported function begins with, and how it passes its arguments on.
#pragma once

#include "base/uncancelled.h"
#include "mathlibs/core/element.h"

namespace heddle::mathlibs {

/// While alive, this thread executes the exported function of that name. The thread is not
/// cancelled meanwhile.
class Entry {
 public:
  explicit Entry(const char* function) { current = function; }
  /// The innermost exported function, for messages.
  static const char* function() { return current; }

 private:
  inline static thread_local const char* current = "cublas";
  const Uncancelled whole_;
};

/// The C++ type that has the layout of an element type of the interface.
template <class T>
struct Native {
  using type = T;
};
template <>
struct Native<cuComplex> {
  using type = Complex;
};
template <>
struct Native<cuDoubleComplex> {
  using type = DoubleComplex;
};
template <>
struct Native<__half> {
  using type = Half;
};
template <>
struct Native<__nv_bfloat16> {
  using type = BFloat16;
};
template <class T>
struct Native<const T> {
  using type = const typename Native<T>::type;
};
template <class T>
struct Native<T*> {
  using type = typename Native<T>::type*;
};

/// A pointer of the interface as a pointer to the C++ type.
template <class T>
typename Native<T>::type* native(T* pointer) {
  return reinterpret_cast<typename Native<T>::type*>(pointer);
}

}  // namespace heddle::mathlibs
