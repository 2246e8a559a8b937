// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See graph.h.
#include "runtime/core/graph.h"

#include <cstring>

#include "driver/api.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"
#include "runtime/core/copy.h"
#include "runtime/core/registry.h"
#include "runtime/core/symbol.h"

namespace heddle::runtime {
namespace {

// The structures of a kernel node have the same members in all their versions, in both interfaces.
template <class From, class To>
cudaError_t kernel_to_driver(const From& from, To& to) {
  to = {};
  if (const cudaError_t error = use_context()) return error;
  if (const cudaError_t error = function_of(from.func, to.func)) return error;
  to.gridDimX = from.gridDim.x;
  to.gridDimY = from.gridDim.y;
  to.gridDimZ = from.gridDim.z;
  to.blockDimX = from.blockDim.x;
  to.blockDimY = from.blockDim.y;
  to.blockDimZ = from.blockDim.z;
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  to.extra = from.extra;
  return cudaSuccess;
}

/// Copies members with the same meaning; only the driver's structure has further members.
template <class To, class From>
void copy_members(To& to, const From& from) {
  static_assert(sizeof(From) <= sizeof(To));
  std::memcpy(&to, &from, sizeof from);
}

}  // namespace

cudaError_t graph_context(CUcontext& context) {
  return in_context([&] { return cuCtxGetCurrent(&context); });
}

cudaError_t translate(const cudaKernelNodeParams& parameters, CUDA_KERNEL_NODE_PARAMS& out) {
  return kernel_to_driver(parameters, out);
}

void translate(const CUDA_KERNEL_NODE_PARAMS& parameters, cudaKernelNodeParams& out) {
  CUfunction function = parameters.func;
  if (!function && parameters.kern) cuKernelGetFunction(&function, parameters.kern);
  out.func = symbol_of(function);
  out.gridDim = {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ};
  out.blockDim = {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ};
  out.sharedMemBytes = parameters.sharedMemBytes;
  out.kernelParams = parameters.kernelParams;
  out.extra = parameters.extra;
}

cudaError_t linear_copy(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                        CUDA_MEMCPY3D& out) {
  return describe({.pointer = dst}, {.pointer = src}, {count, 1, 1}, kind, out);
}

cudaError_t copy_to_symbol(const void* symbol, const void* src, size_t count, size_t offset,
                           cudaMemcpyKind kind, CUDA_MEMCPY3D& out) {
  void* to = nullptr;
  if (const cudaError_t error = check_to_symbol(kind)) return error;
  if (const cudaError_t error = part_of(symbol, offset, count, to)) return error;
  return linear_copy(to, src, count, kind, out);
}

cudaError_t copy_from_symbol(void* dst, const void* symbol, size_t count, size_t offset,
                             cudaMemcpyKind kind, CUDA_MEMCPY3D& out) {
  void* from = nullptr;
  if (const cudaError_t error = check_from_symbol(kind)) return error;
  if (const cudaError_t error = part_of(symbol, offset, count, from)) return error;
  return linear_copy(dst, from, count, kind, out);
}

cudaError_t translate(const cudaGraphNodeParams& from, CUgraphNodeParams& to) {
  to = {};
  to.type = as<CUgraphNodeType>(from.type);
  CUcontext context = nullptr;
  if (const cudaError_t error = graph_context(context)) return error;
  switch (from.type) {
    case cudaGraphNodeTypeKernel:
      return kernel_to_driver(from.kernel, to.kernel);
    case cudaGraphNodeTypeMemcpy:
      to.memcpy.flags = from.memcpy.flags;
      to.memcpy.copyCtx = context;
      return describe(from.memcpy.copyParams, to.memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      copy_members(to.memset, from.memset);
      to.memset.ctx = context;
      return cudaSuccess;
    case cudaGraphNodeTypeConditional:
      copy_members(to.conditional, from.conditional);
      to.conditional.ctx = context;
      return cudaSuccess;
    case cudaGraphNodeTypeHost:
      copy_members(to.host, from.host);
      return cudaSuccess;
    case cudaGraphNodeTypeGraph:
      copy_members(to.graph, from.graph);
      return cudaSuccess;
    case cudaGraphNodeTypeEmpty:
      return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
      copy_members(to.eventWait, from.eventWait);
      return cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
      copy_members(to.eventRecord, from.eventRecord);
      return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
      copy_members(to.alloc, from.alloc);
      return cudaSuccess;
    case cudaGraphNodeTypeMemFree:
      copy_members(to.free, from.free);
      return cudaSuccess;
    default:
      return cudaErrorNotSupported;
  }
}

void give_back(const CUgraphNodeParams& from, cudaGraphNodeParams& to) {
  if (to.type == cudaGraphNodeTypeMemAlloc)
    to.alloc.dptr = reinterpret_cast<void*>(from.alloc.dptr);
  if (to.type == cudaGraphNodeTypeConditional) {
    to.conditional.phGraph_out = from.conditional.phGraph_out;
  }
}

}  // namespace heddle::runtime
