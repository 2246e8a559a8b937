// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See node_params.h.
#include "driver/core/graph/node_params.h"

#include "driver/core/context/call.h"
#include "driver/core/context/context.h"
#include "driver/core/graph/conditional.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_memory.h"
#include "driver/core/graph/tables.h"
#include "driver/core/memory/memory_pool.h"
#include "driver/core/module/tables.h"
#include "driver/core/stream/tables.h"

namespace heddle::driver {
namespace {

/// Runs `body(context)` for a node's context; null: the current context.
template <class Body>
CUresult in_node_context(CUcontext handle, Body body) {
  if (!handle) {
    Context* current = current_context();
    return current ? body(*current) : CUDA_ERROR_INVALID_CONTEXT;
  }
  const auto context = find_context(handle);
  return context ? body(*context) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult make(const CUDA_KERNEL_NODE_PARAMS_v3& params, const KernelTask* old, Task& out) {
  const auto handle = params.func ? params.func : reinterpret_cast<CUfunction>(params.kern);
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  LaunchRequest request{.grid = {params.gridDimX, params.gridDimY, params.gridDimZ},
                        .block = {params.blockDimX, params.blockDimY, params.blockDimZ},
                        .dynamic_shared = params.sharedMemBytes,
                        .params = params.kernelParams,
                        .extra = params.extra,
                        .is_of_node = true};
  if (old) {
    request.attributes = old->attributes;
    request.priority = old->priority;
  }
  KernelTask task;
  CUresult result;
  // A CUfunction belongs to a context. A CUkernel is loaded into the node's context.
  if (const auto function = module_tables().functions.find(handle)) {
    result = make_kernel(*function->context(), handle, request, task);
  } else {
    result = in_node_context(
        params.ctx, [&](Context& context) { return make_kernel(context, handle, request, task); });
  }
  if (result == CUDA_SUCCESS) out = std::move(task);
  return result == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult make(const CUDA_MEMCPY_NODE_PARAMS& params, Task& out) {
  if (params.flags || params.reserved) return CUDA_ERROR_INVALID_VALUE;
  return in_node_context(params.copyCtx, [&](Context& context) -> CUresult {
    CopyTask task{context.shared_from_this(), params.copyParams, {}};
    if (const CUresult bad = make_copy(params.copyParams, task.copy)) return bad;
    out = std::move(task);
    return CUDA_SUCCESS;
  });
}

CUresult make(const CUDA_MEMSET_NODE_PARAMS_v2& params, Task& out) {
  return in_node_context(params.ctx, [&](Context& context) -> CUresult {
    FillTask task{
        context.shared_from_this(),
        {params.dst, params.pitch, params.value, params.elementSize, params.width, params.height}};
    if (const CUresult bad = check(task)) return bad;
    out = std::move(task);
    return CUDA_SUCCESS;
  });
}

CUresult make(const CUDA_HOST_NODE_PARAMS_v2& params, Task& out) {
  if (!params.fn) return CUDA_ERROR_INVALID_VALUE;
  out = HostTask{params.fn, params.userData};
  return CUDA_SUCCESS;
}

CUresult make(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& params, Task& out) {
  return in_node_context(params.ctx, [&](Context& context) -> CUresult {
    WordsTask task;
    if (const CUresult bad =
            make_words(context, params.paramArray, params.count, params.flags, task)) {
      return bad;
    }
    out = std::move(task);
    return CUDA_SUCCESS;
  });
}

template <class EventTask>
CUresult make_event(CUevent handle, Task& out) {
  auto event = stream_tables().events.find(handle);
  if (!event) return CUDA_ERROR_INVALID_VALUE;
  out = EventTask{std::move(event), handle};
  return CUDA_SUCCESS;
}

CUresult make(const CUDA_CHILD_GRAPH_NODE_PARAMS& params, Graph& parent, Task& out) {
  const auto graph = graph_tables().graphs.find(params.graph);
  if (!graph || graph.get() == &parent) return CUDA_ERROR_INVALID_VALUE;
  if (params.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) {
    if (graph->is_within_node() || graph->instances || graph->is_captured_into) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    graph->put_into_node();
    out = ChildTask{graph};
    return CUDA_SUCCESS;
  }
  if (params.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE) return CUDA_ERROR_INVALID_VALUE;
  auto clone = graph->clone();
  if (!clone) return CUDA_ERROR_NOT_SUPPORTED;
  clone->put_into_node();
  out = ChildTask{std::move(clone)};
  return CUDA_SUCCESS;
}

CUresult make(CUDA_MEM_ALLOC_NODE_PARAMS_v2& params, Task& out) {
  const auto& pool = params.poolProps;
  if (!params.bytesize || (params.accessDescCount && !params.accessDescs) ||
      PoolPlace{pool.location, pool.allocType}.check()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (pool.handleTypes != CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
  const auto allocation =
      GraphAllocation::create({params.poolProps, nullptr, 0, params.bytesize, 0});
  if (!allocation) return CUDA_ERROR_OUT_OF_MEMORY;
  params.dptr = allocation->base();
  out = AllocateTask{allocation};
  return CUDA_SUCCESS;
}

// An allocation is freed once: by its own graph or by one other (6.24, cuGraphAddMemAllocNode).
CUresult make(const CUDA_MEM_FREE_NODE_PARAMS& params, Graph& graph, Task& out) {
  const auto allocation = graph_allocation(params.dptr);
  if (!allocation || allocation->freed_by) return CUDA_ERROR_INVALID_VALUE;
  allocation->freed_by = &graph;
  out = FreeTask{params.dptr};
  return CUDA_SUCCESS;
}

CUresult make(CUDA_CONDITIONAL_NODE_PARAMS& params, Graph& graph, Task& out) {
  const auto found = graph.find_conditional(params.handle);
  if (!found || found->is_used) return CUDA_ERROR_INVALID_VALUE;
  const unsigned most = params.type == CU_GRAPH_COND_TYPE_IF      ? 2
                        : params.type == CU_GRAPH_COND_TYPE_WHILE ? 1
                                                                  : ~0u;
  if (params.type < CU_GRAPH_COND_TYPE_IF || params.type > CU_GRAPH_COND_TYPE_SWITCH ||
      !params.size || params.size > most) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return in_node_context(params.ctx, [&](Context& context) -> CUresult {
    found->is_used = true;
    ConditionalTask task{found, params.type, {}, {}, context.shared_from_this()};
    for (unsigned i = 0; i < params.size; ++i) {
      auto body = Graph::create();
      body->put_into_conditional(graph.shared_from_this());
      task.handles.push_back(body->handle());
      task.bodies.push_back(std::move(body));
    }
    out = std::move(task);
    return CUDA_SUCCESS;
  });
}

bool is_clean(const CUgraphNodeParams& params) {
  return !params.reserved0[0] && !params.reserved0[1] && !params.reserved0[2] && !params.reserved2;
}

struct Read {
  CUgraphNodeParams& out;
  Node& node;

  void operator()(const KernelTask& task) const {
    auto& to = out.kernel;
    const bool of_library = !module_tables().functions.find(task.handle);
    to.func = of_library ? nullptr : task.handle;
    to.kern = of_library ? reinterpret_cast<CUkernel>(task.handle) : nullptr;
    to.ctx = task.context->handle();
    const machine::LaunchShape& shape = task.shape();
    to.gridDimX = shape.grid.x;
    to.gridDimY = shape.grid.y;
    to.gridDimZ = shape.grid.z;
    to.blockDimX = shape.block.x;
    to.blockDimY = shape.block.y;
    to.blockDimZ = shape.block.z;
    to.sharedMemBytes = shape.dynamic_shared;
    to.kernelParams = node.parameter_pointers();
  }
  void operator()(const CopyTask& task) const {
    out.memcpy.copyCtx = task.context->handle();
    out.memcpy.copyParams = task.params;
  }
  void operator()(const FillTask& task) const {
    const auto& [dst, pitch, value, size, width, height] = task.params;
    out.memset = {dst, pitch, value, size, width, height, task.context->handle()};
  }
  void operator()(const HostTask& task) const { out.host = {task.function, task.data}; }
  void operator()(const ChildTask& task) const { out.graph.graph = task.graph->handle(); }
  void operator()(const EmptyTask&) const {}
  void operator()(const WaitEventTask& task) const { out.eventWait.event = task.handle; }
  void operator()(const RecordEventTask& task) const { out.eventRecord.event = task.handle; }
  void operator()(const AllocateTask& task) const {
    const auto& from = task.allocation->params();
    out.alloc = {from.poolProps, nullptr, 0, from.bytesize, from.dptr};
  }
  void operator()(const FreeTask& task) const { out.free.dptr = task.address; }
  void operator()(WordsTask& task) const {
    out.memOp = {task.context->handle(), static_cast<unsigned>(task.operations.size()),
                 task.operations.data(), task.flags};
  }
  void operator()(ConditionalTask& task) const {
    out.conditional = {task.condition->handle(), task.type,
                       static_cast<unsigned>(task.handles.size()), task.handles.data(),
                       task.context->handle()};
  }
};

}  // namespace

CUresult make_task(CUgraphNodeParams& params, Graph& graph, Task& out) {
  if (!is_clean(params)) return CUDA_ERROR_INVALID_VALUE;
  switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return make(params.kernel, nullptr, out);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return make(params.memcpy, out);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return make(params.memset, out);
    case CU_GRAPH_NODE_TYPE_HOST:
      return make(params.host, out);
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return make(params.graph, graph, out);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      out = EmptyTask{};
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return make_event<WaitEventTask>(params.eventWait.event, out);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return make_event<RecordEventTask>(params.eventRecord.event, out);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return graph.is_within_node() ? CUDA_ERROR_NOT_SUPPORTED : make(params.alloc, out);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return graph.is_within_node() ? CUDA_ERROR_NOT_SUPPORTED : make(params.free, graph, out);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return make(params.memOp, out);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return make(params.conditional, graph, out);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult change_task(const CUgraphNodeParams& params, const Task& old, Task& out) {
  if (!is_clean(params) || params.type != type_of(old)) return CUDA_ERROR_INVALID_VALUE;
  switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return make(params.kernel, &std::get<KernelTask>(old), out);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return make(params.memcpy, out);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return make(params.memset, out);
    case CU_GRAPH_NODE_TYPE_HOST:
      return make(params.host, out);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return make_event<WaitEventTask>(params.eventWait.event, out);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return make_event<RecordEventTask>(params.eventRecord.event, out);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return make(params.memOp, out);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      out = EmptyTask{};
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

void read_params(Node& node, CUgraphNodeParams& out) {
  out = {};
  out.type = type_of(node.task);
  std::visit(Read{out, node}, node.task);
}

}  // namespace heddle::driver
