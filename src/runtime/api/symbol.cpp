// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of the program's GPU code, by their host symbols. Runtime API 6.11.
#include "runtime/core/symbol.h"

#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/registry.h"

namespace heddle::runtime {

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  if (!devPtr) return cudaErrorInvalidValue;
  return part_of(symbol, 0, 0, *devPtr);
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  CUdeviceptr address = 0;
  return size ? variable_of(symbol, address, *size) : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
  void* to = nullptr;
  if (const cudaError_t error = check_to_symbol(kind)) return error;
  if (const cudaError_t error = part_of(symbol, offset, count, to)) return error;
  return cudaMemcpy(to, src, count, kind);
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind) {
  void* from = nullptr;
  if (const cudaError_t error = check_from_symbol(kind)) return error;
  if (const cudaError_t error = part_of(symbol, offset, count, from)) return error;
  return cudaMemcpy(dst, from, count, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
  void* to = nullptr;
  if (const cudaError_t error = check_to_symbol(kind)) return error;
  if (const cudaError_t error = part_of(symbol, offset, count, to)) return error;
  return cudaMemcpyAsync(to, src, count, kind, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
  void* from = nullptr;
  if (const cudaError_t error = check_from_symbol(kind)) return error;
  if (const cudaError_t error = part_of(symbol, offset, count, from)) return error;
  return cudaMemcpyAsync(dst, from, count, kind, stream);
}

}  // namespace heddle::runtime
