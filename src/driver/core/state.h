// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one process-wide object of Heddle: the driver's devices and the tables of everything that a
// program holds a handle of.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/green_context.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_exec.h"
#include "driver/core/graph/user_object.h"
#include "driver/core/memory/advice.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/array.h"
#include "driver/core/memory/memory_pool.h"
#include "driver/core/memory/multicast.h"
#include "driver/core/memory/virtual_memory.h"
#include "driver/core/module/library.h"
#include "driver/core/module/link.h"
#include "driver/core/module/module.h"
#include "driver/core/stream/event.h"
#include "driver/core/table.h"
#include "machine/memory.h"

namespace heddle::driver {

struct State {
  // Set by cuInit, constant from then on.
  std::vector<std::unique_ptr<Device>> devices;
  std::unique_ptr<machine::Memory>
      memory;  ///< of all devices: every address means the same on each

  Table<CUcontext, Context> contexts;
  Table<CUgreenCtx, GreenContext> green_contexts;
  Table<CUcontext, GreenContext> green_views;
  Table<CUdevResourceDesc, SmShare> resource_descriptors;
  Table<CUstream, Stream> streams;
  Table<CUevent, Event> events;
  Table<CUmodule, Module> modules;
  Table<CUfunction, Function> functions;
  Table<CUlinkState, Link> links;
  Table<CUlibrary, Library> libraries;
  Table<CUkernel, Kernel> kernels;
  Table<CUmemoryPool, MemoryPool> pools;
  Table<CUgraph, Graph> graphs;
  Table<CUgraphNode, Node> nodes;
  Table<CUgraphExec, GraphExec> graph_execs;
  Table<CUuserObject, UserObject> user_objects;
  Table<CUarray, Array> arrays;
  Table<CUmipmappedArray, MipmappedArray> mipmapped_arrays;
  Table<CUmemGenericAllocationHandle, Physical> physical;
  Table<CUmemGenericAllocationHandle, Multicast> multicasts;
  Table<CUasyncCallbackHandle, CUdevice> notifications;
  Allocations allocations;
  AdviceBook advice;
  VirtualMemory virtual_memory;

  /// Set when the process ends: kernels under way stop.
  std::atomic<bool> exiting{false};
};

/// Never destroyed: threads of the program may still be in a call when the process ends.
State& state();

/// Makes the devices, once. CUDA_ERROR_NO_DEVICE, with the reason on stderr, when HEDDLE_DEVICE or
/// HEDDLE_DEVICES make no sense or there is no address space for a device's memory.
/// CUDA_ERROR_NOT_INITIALIZED in the child of a fork that came behind it, as on a GPU, and
/// CUDA_ERROR_DEINITIALIZED when the process ends.
CUresult initialize();
/// CUDA_ERROR_NOT_INITIALIZED before initialize() and in such a child; CUDA_ERROR_DEINITIALIZED
/// when handlers of atexit() run that were registered before it, and in destructors of static
/// objects that were made before; else CUDA_SUCCESS.
CUresult why_not_ready();

/// The device of a handle; null: no such device.
Device* device(CUdevice handle);

}  // namespace heddle::driver
