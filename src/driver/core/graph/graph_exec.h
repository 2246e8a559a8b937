// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs. Driver API 6.24 (cuGraphInstantiate and what follows it). Instantiation makes
// a plan, which has all that a launch needs. A plan that is being run is never changed: an update
// makes another plan.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "driver/core/graph/graph.h"

namespace heddle::driver {

struct Plan;
using PlanPtr = std::shared_ptr<Plan>;

/// A node in a plan.
struct Step {
  CUgraphNode origin = nullptr;  ///< the node that the step was made of
  Task task;
  bool is_enabled = true;
  std::vector<unsigned> before;       ///< steps that this step waits for
  std::vector<unsigned> after;        ///< steps that wait for this step
  std::vector<CUgraphEdgeData> data;  ///< data of the edges from `before`
  std::vector<PlanPtr> within;  ///< the child graph's plan, or those of a conditional node's bodies
};

struct Plan {
  std::vector<Step> steps;      ///< in the order in which the nodes were added
  std::vector<unsigned> order;  ///< a topological order
  std::vector<std::shared_ptr<Conditional>> conditionals;  ///< each launch initializes them
  UserReferences objects;
};

/// Why a graph cannot be instantiated.
struct PlanError {
  CUgraphInstantiateResult result = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  CUgraphNode node = nullptr;
};

class GraphExec {
 public:
  /// CUDA_ERROR_INVALID_VALUE or CUDA_ERROR_NOT_SUPPORTED with the reason in `error`.
  static CUresult create(const GraphPtr& graph, u64 flags, CUgraphExec& out, PlanError& error);
  ~GraphExec();

  CUgraphExec handle() const { return handle_; }
  unsigned id() const { return id_; }
  u64 flags() const { return flags_; }
  std::shared_ptr<const Plan> plan() const;

  /// Appends an execution of the plan to the stream, after all earlier launches.
  CUresult launch(Context& context, Stream& stream);
  /// Orders the stream after all earlier launches, and does nothing else.
  void upload(Stream& stream);

  /// Runs `change(step)` on the step that was made of `node`, in a copy of the plan when a launch
  /// still uses the plan.
  template <class Change>
  CUresult change(CUgraphNode node, Change change) {
    const std::lock_guard lock(mutex_);
    if (!find(*plan_, node)) return CUDA_ERROR_INVALID_VALUE;
    make_plan_mine();
    return change(*find(*plan_, node));
  }
  /// Replaces the tasks by those of a graph with the same topology.
  CUresult update(const Graph& graph, CUgraphExecUpdateResultInfo& info);
  /// The step that was made of a node, in a plan or the plans in it; null when there is none.
  static Step* find(Plan& plan, CUgraphNode node);

 private:
  GraphExec(std::weak_ptr<Graph> graph, u64 flags) : graph_(std::move(graph)), flags_(flags) {}
  void make_plan_mine();

  CUgraphExec handle_ = nullptr;
  const unsigned id_ = Graph::next_id();
  const std::weak_ptr<Graph> graph_;
  const u64 flags_;
  mutable std::mutex mutex_;
  PlanPtr plan_;
  CompletionPtr last_;
};

/// Makes the plan of a graph. Null, with the reason in `error`, when the graph cannot be
/// instantiated. `in_body`: the graph lies, at any depth, in the body of a conditional node.
PlanPtr make_plan(const Graph& graph, PlanError& error, bool in_body = false);
/// A graph with the tasks of the plan, for use as a child graph. Null when the plan has nodes that
/// cannot be cloned.
GraphPtr make_graph(const Plan& plan);
/// A copy of `plan` that shares no steps with it.
PlanPtr copy_of(const Plan& plan);
/// Puts the tasks of `graph` into `plan` when the topologies are the same and the changes are
/// allowed.
CUgraphExecUpdateResultInfo update(Plan& plan, const Graph& graph);
/// Whether an update of an executable graph may replace the task `from` by `to`.
CUgraphExecUpdateResult allowed_change(const Task& from, const Task& to);

}  // namespace heddle::driver
