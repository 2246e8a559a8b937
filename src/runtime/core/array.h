// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element formats of arrays: the runtime describes an element by the bits of its components, the
// driver by the type of a component and their number. Runtime API 6.11, 6.23.
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

struct ElementFormat {
  CUarray_format format = CU_AD_FORMAT_UNSIGNED_INT8;
  unsigned channels = 0;
};

/// cudaErrorInvalidChannelDescriptor when no element format matches.
cudaError_t translate(const cudaChannelFormatDesc& description, ElementFormat& out);
cudaError_t translate(const ElementFormat& format, cudaChannelFormatDesc& out);

/// The bytes of an array, as copies count them. What lies in a row is elements, or blocks of 4x4
/// elements of a compressed format.
struct ArrayLayout {
  size_t element = 0;  ///< bytes of an element, or of a block
  size_t row = 0;      ///< bytes of a row
  size_t rows = 0;     ///< of a slice
};
cudaError_t layout_of(cudaArray_const_t array, ArrayLayout& out);

}  // namespace heddle::runtime
