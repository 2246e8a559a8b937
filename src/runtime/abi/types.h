// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars and opaque handles. Streams, events, graphs, kernels, libraries and pools are the
// handles of the driver API themselves.
// Part of runtime/abi.h; names, values and layouts are the published interface, checked against the
// toolkit by tests/runtime/abi_compare.py.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "driver/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cudaArray* cudaArray_t;

typedef const struct cudaArray* cudaArray_const_t;
typedef struct cudaMipmappedArray* cudaMipmappedArray_t;

typedef const struct cudaMipmappedArray* cudaMipmappedArray_const_t;

typedef void (*cudaHostFn_t)(void* userData);
typedef struct CUuuid_st cudaUUID_t;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct cudaGraphicsResource* cudaGraphicsResource_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct CUuserObject_st* cudaUserObject_t;

typedef unsigned long long cudaGraphConditionalHandle;
typedef struct CUfunc_st* cudaFunction_t;
typedef struct CUkern_st* cudaKernel_t;
typedef struct CUlib_st* cudaLibrary_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphDeviceUpdatableNode_st* cudaGraphDeviceNode_t;
typedef struct cudaAsyncCallbackEntry* cudaAsyncCallbackHandle_t;
typedef struct CUlogsCallbackEntry_st* cudaLogsCallbackHandle;

typedef unsigned int cudaLogIterator;

typedef unsigned long long cudaSurfaceObject_t;

typedef unsigned long long cudaTextureObject_t;

#ifdef __cplusplus
}  // extern "C"
#endif
