// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats of a kernel's printf: those of C, with the sizes of the device (`long` has 8 bytes).
// Arguments lie in memory one after the other, each aligned to its size of 4 or 8 bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace heddle::machine {

/// One argument that a format asks for.
struct PrintfArgument {
  u32 offset;      ///< in the memory of the arguments
  u32 bytes;       ///< 4 or 8
  bool is_string;  ///< the address of a string
};

/// The arguments in order. An unfinished or unknown conversion has no argument and is printed
/// unchanged.
std::vector<PrintfArgument> printf_arguments(std::string_view format);

/// An argument: its bits, and for a string its text.
struct PrintfValue {
  u64 bits = 0;
  std::string text = {};
};

/// `values` are those of printf_arguments(format).
std::string print_formatted(std::string_view format, std::span<const PrintfValue> values);

}  // namespace heddle::machine
