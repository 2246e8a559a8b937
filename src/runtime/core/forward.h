// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forwards a function of the runtime to a function of the driver, with the same arguments, in the
// current context. The generated exports call forward<cuXyz>(arguments...) for every line of
// functions.list that names a function of the driver.
#pragma once

#include "runtime/core/context.h"
#include "runtime/core/convert.h"

namespace heddle::runtime {

template <class Function>
struct Forward;

template <class... To>
struct Forward<CUresult (*)(To...)> {
  template <class... From>
  static cudaError_t call(CUresult (*function)(To...), From... from) {
    Conversion conversion;
    // A list in braces is evaluated from left to right.
    return Call{function, conversion, conversion.convert<To>(from)...}.result;
  }

 private:
  /// The call after all conversions, unless one has failed.
  struct Call {
    Call(CUresult (*function)(To...), const Conversion& conversion, To... arguments)
        : result(conversion.error() ? conversion.error() : from_driver(function(arguments...))) {}
    cudaError_t result;
  };
};

template <auto Function, class... From>
cudaError_t forward(From... from) {
  if (const cudaError_t error = use_context()) return error;
  return Forward<decltype(Function)>::call(Function, from...);
}

template <auto Function, class... From>
cudaError_t forward_without_context(From... from) {
  if (const cudaError_t error = use_driver()) return error;
  return Forward<decltype(Function)>::call(Function, from...);
}

}  // namespace heddle::runtime
