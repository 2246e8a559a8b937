// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs. Driver API 6.24 (cuGraphInstantiate and what follows it). Instantiation makes
// a plan, which is all that a launch needs; a plan that is being run is never changed, an update
// makes another one.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "driver/core/graph/graph.h"

namespace heddle::driver {

struct Plan;
using PlanPtr = std::shared_ptr<Plan>;

/// A node as it will run.
struct Step {
  CUgraphNode origin = nullptr;  ///< the node that it was made of
  Task task;
  bool is_enabled = true;
  std::vector<unsigned> before, after;  ///< steps that this one waits for / that wait for it
  std::vector<CUgraphEdgeData> data;    ///< of the edges from `before`
  std::vector<PlanPtr> within;          ///< of a child graph, or the bodies of a condition
};

struct Plan {
  std::vector<Step> steps;      ///< in the order in which the nodes were added
  std::vector<unsigned> order;  ///< one that respects all dependencies
  std::vector<std::shared_ptr<Conditional>> conditionals;  ///< to begin with each launch
  UserReferences objects;
};

/// What keeps a graph from being instantiated.
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

  /// Appends a run of the plan to the stream, behind all earlier ones.
  CUresult launch(Context& context, Stream& stream);
  /// Appends nothing but the order that launches have.
  void upload(Stream& stream);

  /// Runs `change(step)` on the step that was made of `node`, in a plan that nobody runs.
  template <class Change>
  CUresult change(CUgraphNode node, Change change) {
    const std::lock_guard lock(mutex_);
    if (!find(*plan_, node)) return CUDA_ERROR_INVALID_VALUE;
    make_plan_mine();
    return change(*find(*plan_, node));
  }
  /// Takes over the tasks of a graph of the same shape.
  CUresult update(const Graph& graph, CUgraphExecUpdateResultInfo& info);
  /// The step that was made of a node, in a plan or the plans within; null when there is none.
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

/// The plan of a graph; null, with the reason in `error`, when there can be none. `in_body`: of a
/// conditional node, at whatever depth.
PlanPtr make_plan(const Graph& graph, PlanError& error, bool in_body = false);
/// A graph that does what the plan does, for use as a child; null when it has nodes that cannot be
/// cloned.
GraphPtr make_graph(const Plan& plan);
/// A plan that shares nothing with `plan`.
PlanPtr copy_of(const Plan& plan);
/// Puts the tasks of `graph` into `plan` when the shapes are the same and the changes allowed.
CUgraphExecUpdateResultInfo update(Plan& plan, const Graph& graph);
/// Whether an executable graph may have `to` where it has `from`.
CUgraphExecUpdateResult allowed_change(const Task& from, const Task& to);

}  // namespace heddle::driver
