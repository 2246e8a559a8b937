// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of an executable graph, and the changes that they may make. Driver API 6.24
// (cuGraphExecUpdate, cuGraphExecNodeSetParams). Nodes are paired in the order in which they were
// added.
#include <algorithm>

#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_exec.h"
#include "driver/core/launch/launch_attributes.h"
#include "driver/core/memory/allocation.h"

namespace heddle::driver {
namespace {

bool is_cooperative(const KernelTask& task) {
  LaunchOptions options;
  read_attributes(task.attributes, options);
  return options.cooperative;
}

CUgraphExecUpdateResult change(const KernelTask& from, const KernelTask& to) {
  if (from.context != to.context) return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
  if (is_cooperative(from) != is_cooperative(to)) {
    return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
  }
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

bool is_flat(const Copy& copy) { return copy.height == 1 && copy.depth == 1; }

// Whether two addresses belong to memory of the same context and device, or both to none.
bool is_same_owner(u64 a, u64 b) {
  const auto first = allocations().find(a), second = allocations().find(b);
  if (!first || !second) return !first == !second;
  return first->owner == second->owner && first->device == second->device;
}

CUgraphExecUpdateResult change(const CopyTask& from, const CopyTask& to) {
  const bool same_kind = from.params.srcMemoryType == to.params.srcMemoryType &&
                         from.params.dstMemoryType == to.params.dstMemoryType;
  const bool same_shape = from.copy.width == to.copy.width && from.copy.height == to.copy.height &&
                          from.copy.depth == to.copy.depth;
  const bool allowed = same_kind && (same_shape || (is_flat(from.copy) && is_flat(to.copy))) &&
                       !to.copy.is_empty() && is_same_owner(from.copy.to.base, to.copy.to.base) &&
                       is_same_owner(from.copy.from.base, to.copy.from.base);
  return allowed ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

CUgraphExecUpdateResult change(const FillTask& from, const FillTask& to) {
  const auto& a = from.params;
  const auto& b = to.params;
  const bool same_shape = a.width == b.width && a.height == b.height &&
                          a.elementSize == b.elementSize && a.pitch == b.pitch;
  const bool allowed = (same_shape || (a.height == 1 && b.height == 1)) && b.width && b.height &&
                       is_same_owner(a.dst, b.dst);
  return allowed ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

CUgraphExecUpdateResult change(const WordsTask& from, const WordsTask& to) {
  const auto same_operation = [](const auto& a, const auto& b) {
    return a.operation == b.operation;
  };
  return from.context == to.context &&
                 std::ranges::equal(from.operations, to.operations, same_operation)
             ? CU_GRAPH_EXEC_UPDATE_SUCCESS
             : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

CUgraphExecUpdateResult change(const ConditionalTask& from, const ConditionalTask& to) {
  return from.type == to.type && from.bodies.size() == to.bodies.size()
             ? CU_GRAPH_EXEC_UPDATE_SUCCESS
             : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

CUgraphExecUpdateResult change(const AllocateTask& from, const AllocateTask& to) {
  return from.allocation == to.allocation ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                                          : CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
}

CUgraphExecUpdateResult change(const FreeTask& from, const FreeTask& to) {
  return from.address == to.address ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                                    : CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
}

// Host functions and events may change. Child graphs are compared node by node.
template <class T>
CUgraphExecUpdateResult change(const T&, const T&) {
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

bool has_same_edges(const Step& step, const Node& node, const Graph& graph, const Node*& culprit) {
  const auto& nodes = graph.nodes();
  for (std::size_t i = 0; i < step.before.size(); ++i) {
    culprit = node.from[i].node;
    if (nodes[step.before[i]].get() != culprit || !(step.data[i] == node.from[i].data)) {
      return false;
    }
  }
  return true;
}

}  // namespace

CUgraphExecUpdateResult allowed_change(const Task& from, const Task& to) {
  if (from.index() != to.index()) return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  return std::visit(
      [&](const auto& task) { return change(task, std::get<std::decay_t<decltype(task)>>(to)); },
      from);
}

CUgraphExecUpdateResultInfo update(Plan& plan, const Graph& graph) {
  const auto& nodes = graph.nodes();
  if (plan.steps.size() != nodes.size()) {
    return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Step& step = plan.steps[i];
    const Node& node = *nodes[i];
    if (type_of(step.task) != type_of(node.task)) {
      return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, node.handle, nullptr};
    }
    if (step.before.size() != node.from.size()) {
      return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node.handle, nullptr};
    }
    const Node* culprit = nullptr;
    if (!has_same_edges(step, node, graph, culprit)) {
      return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node.handle, culprit->handle};
    }
    if (const auto bad = allowed_change(step.task, node.task)) return {bad, node.handle, nullptr};
    const auto within = graphs_in(node.task);
    for (std::size_t j = 0; j < within.size(); ++j) {
      const auto info = update(*step.within[j], *within[j]);
      if (info.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return info;
    }
    step.task = node.task;
  }
  // From now on the plan uses the conditional variables of the other graph.
  plan.conditionals = graph.conditionals;
  plan.objects = graph.objects;
  return {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
}

}  // namespace heddle::driver
