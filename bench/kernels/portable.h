// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The benchmarks' kernels are CUDA C++ for Heddle and OpenCL C for pocl: one text, so that both run
// the same algorithm. Where the two languages differ, the kernels use CUDA's name if there is one.
#pragma once

#ifdef __OPENCL_VERSION__

#define KERNEL(threads) __attribute__((reqd_work_group_size threads)) kernel void
#define GLOBAL global
#define SHARED local
#define CONSTANT constant
#define DEVICE static
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE)
#define THREAD_X ((int)get_local_id(0))
#define THREAD_Y ((int)get_local_id(1))
#define BLOCK_X ((int)get_group_id(0))
#define BLOCK_Y ((int)get_group_id(1))
#define BLOCK_Z ((int)get_group_id(2))
#define GRID_X ((int)get_num_groups(0))
#define fmaf mad  // fma is a call of libm
#define rsqrtf native_rsqrt
#define exp2_approx native_exp2
#define fmaxf fmax
#define add_shared(p, v) atomic_add(p, v)
#define add_global(p, v) atomic_add(p, v)

#else

#include "device.h"

// The block's shape is in the launch; CUDA C++ needs only the number of threads.
#define HEDDLE_VOLUME(x, y, z) ((x) * (y) * (z))
#define KERNEL(threads) extern "C" __global__ __launch_bounds__(HEDDLE_VOLUME threads) void
#define GLOBAL
#define SHARED __shared__
#define CONSTANT static __constant__ const
#define DEVICE static inline __device__ __attribute__((always_inline))
#define THREAD_X ((int)threadIdx.x)
#define THREAD_Y ((int)threadIdx.y)
#define BLOCK_X ((int)blockIdx.x)
#define BLOCK_Y ((int)blockIdx.y)
#define BLOCK_Z ((int)blockIdx.z)
#define GRID_X ((int)gridDim.x)
#define rsqrtf __nvvm_rsqrt_approx_f
#define exp2_approx __nvvm_ex2_approx_f
#define add_shared(p, v) atomicAdd(p, v)
#define add_global(p, v) atomicAdd(p, v)

#endif
