// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mov of one value (PTX ISA 9.7.9.3): bits pass unchanged, NaN payloads and subnormals included.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

template <class T>
constexpr T mov(T a) {
  return a;
}

}  // namespace heddle::sem
