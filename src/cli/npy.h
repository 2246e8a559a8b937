// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files, versions 1 and 2: a magic string, a header that is a Python dictionary
// literal with 'descr', 'fortran_order' and 'shape', then the elements. (numpy.lib.format in
// NumPy's documentation.)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/scalar.h"

namespace heddle::cli {

/// Elements in C order, little endian.
struct Array {
  Scalar type = Scalar::f32;
  std::vector<u64> shape;  ///< empty: one element
  std::vector<u8> bytes;

  u64 count() const { return bytes.size() / bytes_of(type); }
};

/// Reads little-endian integers and floating-point numbers, and bool (as u8), in C order; for any
/// other file, the error describes its contents.
Result<Array> parse_npy(std::string_view file);

/// The file of an array. NumPy has no bf16: it is written as u16, the bits.
std::string print_npy(const Array& array);

}  // namespace heddle::cli
