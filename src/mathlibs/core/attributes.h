// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of cublasLt: structures whose members a program sets and gets by number. They lie in
// the opaque structures of the interface.
#pragma once

#include <cstring>
#include <span>

#include "mathlibs/abi.h"

namespace heddle::mathlibs {

/// A member that an attribute stands for.
struct Field {
  int attribute;
  size_t offset, size;
};

cublasStatus_t set_field(void* description, std::span<const Field> fields, int attribute,
                         const void* buffer, size_t size);
/// `written` receives the member's size; it may be null. A size of 0 only asks for that.
cublasStatus_t get_field(const void* description, std::span<const Field> fields, int attribute,
                         void* buffer, size_t size, size_t* written);
/// The same for a value that is no member.
cublasStatus_t give(const void* value, size_t value_size, void* buffer, size_t size,
                    size_t* written);

/// Puts a description into the opaque structure of `size` bytes.
template <class Description>
cublasStatus_t initialize(void* opaque, size_t size, const Description& description) {
  static_assert(std::is_trivially_copyable_v<Description>);
  if (!opaque || size < sizeof(Description)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memset(opaque, 0, size);
  std::memcpy(opaque, &description, sizeof(Description));
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque, class Description>
cublasStatus_t make(Opaque** out, const Description& description) {
  static_assert(sizeof(Opaque) >= sizeof(Description));
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  *out = new Opaque;
  return initialize(*out, sizeof(Opaque), description);
}

}  // namespace heddle::mathlibs
