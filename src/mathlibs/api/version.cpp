// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See version.h.
#include "mathlibs/api/version.h"

#include "mathlibs/core/version.h"

namespace heddle::mathlibs {

cublasStatus_t get_property(libraryPropertyType type, int* value) {
  if (!value) return CUBLAS_STATUS_INVALID_VALUE;
  switch (type) {
    case MAJOR_VERSION:
      *value = kVersion.major;
      return CUBLAS_STATUS_SUCCESS;
    case MINOR_VERSION:
      *value = kVersion.minor;
      return CUBLAS_STATUS_SUCCESS;
    case PATCH_LEVEL:
      *value = kVersion.patch;
      return CUBLAS_STATUS_SUCCESS;
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

size_t get_cudart_version() { return static_cast<size_t>(kVersion.runtime); }

const char* get_status_name(cublasStatus_t status) {
#define HEDDLE_STATUS(name, text) \
  case name:                      \
    return #name;
#define HEDDLE_STATUSES                                                                  \
  HEDDLE_STATUS(CUBLAS_STATUS_SUCCESS, "success")                                        \
  HEDDLE_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, "the handle is not initialized")          \
  HEDDLE_STATUS(CUBLAS_STATUS_ALLOC_FAILED, "out of memory")                             \
  HEDDLE_STATUS(CUBLAS_STATUS_INVALID_VALUE, "an argument has an invalid value")         \
  HEDDLE_STATUS(CUBLAS_STATUS_ARCH_MISMATCH, "the device lacks a feature")               \
  HEDDLE_STATUS(CUBLAS_STATUS_MAPPING_ERROR, "an address is not in the device's memory") \
  HEDDLE_STATUS(CUBLAS_STATUS_EXECUTION_FAILED, "the work in the stream has failed")     \
  HEDDLE_STATUS(CUBLAS_STATUS_INTERNAL_ERROR, "internal error")                          \
  HEDDLE_STATUS(CUBLAS_STATUS_NOT_SUPPORTED, "Heddle does not support this")             \
  HEDDLE_STATUS(CUBLAS_STATUS_LICENSE_ERROR, "license error")
  switch (status) { HEDDLE_STATUSES }
#undef HEDDLE_STATUS
  return "unknown status";
}

const char* get_status_string(cublasStatus_t status) {
#define HEDDLE_STATUS(name, text) \
  case name:                      \
    return text;
  switch (status) { HEDDLE_STATUSES }
#undef HEDDLE_STATUS
#undef HEDDLE_STATUSES
  return "unknown status";
}

}  // namespace heddle::mathlibs
