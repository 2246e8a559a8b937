// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See symbol.h.
#include "runtime/core/symbol.h"

#include "runtime/core/registry.h"

namespace heddle::runtime {

cudaError_t part_of(const void* symbol, size_t offset, size_t count, void*& address) {
  CUdeviceptr base = 0;
  size_t size = 0;
  if (const cudaError_t error = variable_of(symbol, base, size)) return error;
  if (offset > size || count > size - offset) return cudaErrorInvalidValue;
  address = reinterpret_cast<void*>(base + offset);
  return cudaSuccess;
}

cudaError_t check_to_symbol(cudaMemcpyKind kind) {
  const bool possible = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
                        kind == cudaMemcpyDefault;
  return possible ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

cudaError_t check_from_symbol(cudaMemcpyKind kind) {
  const bool possible = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
                        kind == cudaMemcpyDefault;
  return possible ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

}  // namespace heddle::runtime
