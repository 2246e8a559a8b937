// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See graph_exec.h.
#include "driver/core/graph/graph_exec.h"

#include <algorithm>
#include <unordered_map>

#include "driver/core/context/context.h"
#include "driver/core/graph/conditional.h"
#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_memory.h"
#include "driver/core/graph/graph_run.h"
#include "driver/core/graph/tables.h"
#include "driver/core/log.h"
#include "driver/core/stream/stream.h"

namespace heddle::driver {
namespace {

constexpr u64 kFlags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

// Kernels cannot launch graphs here, so a graph for device launch is refused.
CUresult check_flags(u64 flags) {
  if (flags & ~kFlags) return CUDA_ERROR_INVALID_VALUE;
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) {
    return flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH ? CUDA_ERROR_INVALID_VALUE
                                                                   : CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_SUCCESS;
}

/// Runs `visit(step)` for every step of the plan and the plans in it, in topological order.
template <class Visit>
void for_each_step(const Plan& plan, const Visit& visit) {
  for (const unsigned i : plan.order) {
    visit(plan.steps[i]);
    for (const PlanPtr& within : plan.steps[i].within) for_each_step(*within, visit);
  }
}

// Marks the graph allocations that a launch allocates and frees, in the order of the steps. If one
// of the steps is not possible, the allocations are taken back.
CUresult allocate_and_free(const Plan& plan, bool free_first) {
  std::vector<std::shared_ptr<GraphAllocation>> allocated;
  CUresult result = CUDA_SUCCESS;
  for_each_step(plan, [&](const Step& step) {
    if (const auto* task = std::get_if<AllocateTask>(&step.task)) {
      if (free_first) task->allocation->free();
      if (task->allocation->allocate()) {
        allocated.push_back(task->allocation);
      } else {
        result = CUDA_ERROR_INVALID_VALUE;
      }
    } else if (const auto* free = std::get_if<FreeTask>(&step.task)) {
      const auto allocation = graph_allocation(free->address);
      if (!allocation || !allocation->free()) result = CUDA_ERROR_INVALID_VALUE;
    }
  });
  if (result) {
    for (const auto& allocation : allocated) allocation->free();
  }
  return result;
}

// Steps may belong to other contexts than the stream.
CUresult check_contexts(const Plan& plan) {
  CUresult result = CUDA_SUCCESS;
  for_each_step(plan, [&](const Step& step) {
    const Context* context = context_of(step.task);
    if (!context || result) return;
    result = context->is_destroyed() ? CUDA_ERROR_CONTEXT_IS_DESTROYED : context->error();
  });
  return result;
}

// Programs add kernels whose grid they do not know yet, and set the grid before each launch. A grid
// that is still empty at the launch is an error, as for cuLaunchKernel.
CUresult check_grids(const Plan& plan) {
  const KernelTask* empty = nullptr;
  for_each_step(plan, [&](const Step& step) {
    const auto* kernel = std::get_if<KernelTask>(&step.task);
    if (kernel && step.is_enabled && is_empty(kernel->shape().grid)) empty = kernel;
  });
  if (!empty) return CUDA_SUCCESS;
  say("a graph is launched in which kernel '{}' has an empty grid", empty->function->kernel().name);
  return CUDA_ERROR_INVALID_VALUE;
}

// Whether the body of a conditional node, and child graphs in it, may have nodes of this type
// (7.19, CUDA_CONDITIONAL_NODE_PARAMS: phGraph_out).
bool may_be_in_body(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return true;
    default:
      return false;
  }
}

// Instantiation refuses conditional handles that no node uses.
bool has_unused_conditional(const Graph& graph) {
  return std::ranges::any_of(graph.conditionals,
                             [](const auto& conditional) { return !conditional->is_used; });
}

}  // namespace

PlanPtr make_plan(const Graph& graph, PlanError& error, bool in_body) {
  in_body |= graph.is_body();
  auto plan = std::make_shared<Plan>();
  std::unordered_map<const Node*, unsigned> index;
  for (const auto& node : graph.nodes()) {
    index.emplace(node.get(), static_cast<unsigned>(index.size()));
  }
  const auto order = graph.in_order();
  if (order.size() < graph.nodes().size()) {
    std::vector<bool> is_ordered(graph.nodes().size());
    for (const Node* node : order) is_ordered[index[node]] = true;
    const auto first = std::find(is_ordered.begin(), is_ordered.end(), false) - is_ordered.begin();
    error = {CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
             graph.nodes()[static_cast<std::size_t>(first)]->handle};
    return nullptr;
  }
  if (has_unused_conditional(graph)) {
    error = {CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, nullptr};
    return nullptr;
  }
  for (const Node* node : order) plan->order.push_back(index[node]);
  for (const auto& node : graph.nodes()) {
    if (in_body && !may_be_in_body(type_of(node->task))) {
      error = {CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, node->handle};
      return nullptr;
    }
    Step step;
    step.origin = node->handle;
    step.task = node->task;
    for (const NodeLink& link : node->from) {
      step.before.push_back(index[link.node]);
      step.data.push_back(link.data);
    }
    for (const NodeLink& link : node->to) step.after.push_back(index[link.node]);
    for (const auto& within : graphs_in(node->task)) {
      step.within.push_back(make_plan(*within, error, in_body));
      if (!step.within.back()) return nullptr;
    }
    plan->steps.push_back(std::move(step));
  }
  plan->conditionals = graph.conditionals;
  plan->objects = graph.objects;
  return plan;
}

GraphPtr make_graph(const Plan& plan) {
  auto graph = Graph::create();
  std::vector<NodePtr> nodes;
  bool possible = true;
  for (const Step& step : plan.steps) {
    Task task = step.is_enabled ? step.task : Task{EmptyTask{}};
    const auto type = type_of(task);
    possible &= type != CU_GRAPH_NODE_TYPE_MEM_ALLOC && type != CU_GRAPH_NODE_TYPE_MEM_FREE &&
                type != CU_GRAPH_NODE_TYPE_CONDITIONAL;
    if (auto* child = std::get_if<ChildTask>(&task)) {
      child->graph = make_graph(*step.within.front());
      possible &= child->graph != nullptr;
      if (child->graph) child->graph->put_into_node();
    }
    if (!possible) break;
    NodePtr node;
    graph->add(std::move(task), {}, node);
    nodes.push_back(std::move(node));
  }
  if (!possible) {
    graph->destroy();
    return nullptr;
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    for (std::size_t j = 0; j < step.before.size(); ++j) {
      graph->add_edge(*nodes[step.before[j]], *nodes[i], step.data[j]);
    }
  }
  graph->objects = plan.objects;
  return graph;
}

PlanPtr copy_of(const Plan& plan) {
  const auto copy = std::make_shared<Plan>(plan);
  for (Step& step : copy->steps) {
    for (PlanPtr& within : step.within) within = copy_of(*within);
  }
  return copy;
}

CUresult GraphExec::create(const GraphPtr& graph, u64 flags, CUgraphExec& out, PlanError& error) {
  error = {CUDA_GRAPH_INSTANTIATE_ERROR, nullptr};
  if (const CUresult bad = check_flags(flags)) {
    if (bad == CUDA_ERROR_NOT_SUPPORTED) {
      say("a graph that kernels launch is not supported");
      error.result = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
    }
    return bad;
  }
  if (graph->is_captured_into || graph->is_within_node()) return CUDA_ERROR_INVALID_VALUE;
  const bool single = graph->has(
      {CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE, CU_GRAPH_NODE_TYPE_CONDITIONAL});
  if (single && graph->instances) return CUDA_ERROR_INVALID_VALUE;
  auto plan = make_plan(*graph, error);
  if (!plan) {
    const bool unsupported = error.result == CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
    return unsupported ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
  }
  std::shared_ptr<GraphExec> exec(
      new GraphExec(graph, flags & ~u64{CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD}));
  exec->plan_ = std::move(plan);
  exec->handle_ = graph_tables().graph_execs.add(exec);
  ++graph->instances;
  out = exec->handle_;
  error = {};
  return CUDA_SUCCESS;
}

GraphExec::~GraphExec() {
  if (const auto graph = graph_.lock()) --graph->instances;
}

std::shared_ptr<const Plan> GraphExec::plan() const {
  const std::lock_guard lock(mutex_);
  return plan_;
}

void GraphExec::make_plan_mine() {
  if (plan_.use_count() > 1) plan_ = copy_of(*plan_);
}

CUresult GraphExec::launch(Context& context, Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (const CUresult bad = check_contexts(*plan_)) return bad;
  if (const CUresult bad = check_grids(*plan_)) return bad;
  const bool free_first = flags_ & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
  if (const CUresult bad = allocate_and_free(*plan_, free_first)) return bad;
  auto events = std::make_shared<LaunchEvents>(take_events(*plan_));
  std::vector<CompletionPtr> after;
  if (last_) after.push_back(last_);
  // Context::enqueue would skip the launch once the context has failed, but its event nodes must
  // record their events even then.
  last_ = stream.enqueue(
      [context = context.shared_from_this(), plan = std::shared_ptr<const Plan>(plan_),
       events = std::move(events)] {
        for_each_step(*plan, [&](const Step& step) {
          for (const PlanPtr& within : step.within) {
            for (const auto& conditional : within->conditionals) conditional->begin();
          }
        });
        for (const auto& conditional : plan->conditionals) conditional->begin();
        run(*plan, *events, *context);
      },
      std::move(after));
  return CUDA_SUCCESS;
}

void GraphExec::upload(Stream& stream) {
  const std::lock_guard lock(mutex_);
  std::vector<CompletionPtr> after;
  if (last_) after.push_back(last_);
  last_ = stream.mark(std::move(after));
}

CUresult GraphExec::update(const Graph& graph, CUgraphExecUpdateResultInfo& info) {
  const std::lock_guard lock(mutex_);
  auto changed = copy_of(*plan_);
  info = heddle::driver::update(*changed, graph);
  if (info.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  plan_ = std::move(changed);
  return CUDA_SUCCESS;
}

Step* GraphExec::find(Plan& plan, CUgraphNode node) {
  for (Step& step : plan.steps) {
    if (step.origin == node) return &step;
    for (const PlanPtr& within : step.within) {
      if (Step* found = find(*within, node)) return found;
    }
  }
  return nullptr;
}

}  // namespace heddle::driver
