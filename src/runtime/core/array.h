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

/// Bytes of an element of `array`.
cudaError_t element_size(cudaArray_const_t array, size_t& bytes);

}  // namespace heddle::runtime
