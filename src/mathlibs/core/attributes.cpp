// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See attributes.h.
#include "mathlibs/core/attributes.h"

#include <algorithm>

namespace heddle::mathlibs {
namespace {

const Field* find(std::span<const Field> fields, int attribute) {
  const auto found = std::ranges::find(fields, attribute, &Field::attribute);
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace

cublasStatus_t set_field(void* description, std::span<const Field> fields, int attribute,
                         const void* buffer, size_t size) {
  const Field* const field = find(fields, attribute);
  if (!description || !buffer || !field || size != field->size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(static_cast<char*>(description) + field->offset, buffer, size);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t give(const void* value, size_t value_size, void* buffer, size_t size,
                    size_t* written) {
  if (size == 0) {
    if (!written) return CUBLAS_STATUS_INVALID_VALUE;
  } else if (!buffer || size < value_size) {
    return CUBLAS_STATUS_INVALID_VALUE;
  } else {
    std::memcpy(buffer, value, value_size);
  }
  if (written) *written = value_size;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get_field(const void* description, std::span<const Field> fields, int attribute,
                         void* buffer, size_t size, size_t* written) {
  const Field* const field = find(fields, attribute);
  if (!description || !field) return CUBLAS_STATUS_INVALID_VALUE;
  return give(static_cast<const char*>(description) + field->offset, field->size, buffer, size,
              written);
}

}  // namespace heddle::mathlibs
