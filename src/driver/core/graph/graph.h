// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: tasks and what must be done before what. A graph only describes; graph_exec.h runs.
// Driver API 6.24. As the API says, a graph is used by one thread at a time.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/core/graph/user_object.h"
#include "driver/core/stream/task.h"

namespace heddle::driver {

class Graph;
class Node;
using GraphPtr = std::shared_ptr<Graph>;
using NodePtr = std::shared_ptr<Node>;

/// One end of a dependency, as the node at the other end keeps it.
struct NodeLink {
  Node* node;
  CUgraphEdgeData data;
};
/// A node to depend on.
struct Edge {
  NodePtr node;
  CUgraphEdgeData data;
};
using Edges = std::vector<Edge>;

bool operator==(const CUgraphEdgeData& a, const CUgraphEdgeData& b);
inline bool is_default(const CUgraphEdgeData& data) { return data == CUgraphEdgeData{}; }
/// Ports and types that exist, and nothing in the reserved bytes.
bool is_valid(const CUgraphEdgeData& data);

class Node {
 public:
  Graph* graph = nullptr;
  CUgraphNode handle = nullptr;
  unsigned id = 0;                 ///< within its graph
  CUgraphNode original = nullptr;  ///< the node that this one was cloned from
  Task task;
  std::vector<NodeLink> from, to;

  /// Where the parameters of a kernel lie, as kernelParams; valid until the task changes.
  void** parameter_pointers();

 private:
  std::vector<void*> pointers_;
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  static GraphPtr create();
  /// Of a graph or an executable one; never given twice.
  static unsigned next_id();

  CUgraph handle() const { return handle_; }
  unsigned id() const { return id_; }
  const std::vector<NodePtr>& nodes() const { return nodes_; }

  /// Adds a node. CUDA_ERROR_INVALID_VALUE when a dependency is of another graph or comes twice, or
  /// when the task cannot be in this graph.
  CUresult add(Task task, const Edges& after, NodePtr& out);
  /// Whether a node of this graph may come after these.
  bool are_dependencies(const Edges& edges) const;
  /// Takes the node out, with the edges from and to it.
  CUresult remove(const NodePtr& node);
  CUresult add_edge(Node& from, Node& to, const CUgraphEdgeData& data);
  CUresult remove_edge(Node& from, Node& to, const CUgraphEdgeData& data);

  /// A copy with new nodes, which remember where they come from. Null when the graph has nodes that
  /// cannot be cloned (memory, conditions).
  GraphPtr clone() const;
  /// The clone of `original` in this graph; null when there is none.
  Node* clone_of(CUgraphNode original) const;

  /// Ends the handles of the graph, its nodes and the graphs within.
  void destroy();
  bool is_within_node() const { return is_within_node_; }
  /// From now on a node owns this graph: it is a child graph, or the body of a conditional node of
  /// `outer`.
  void put_into_node() { is_within_node_ = true; }
  void put_into_conditional(const std::shared_ptr<const Graph>& outer);
  /// The body of a conditional node, whose nodes are of fewer kinds. Told when it is instantiated,
  /// as until then it may change.
  bool is_body() const { return is_body_; }
  /// The conditional variable of this graph, or of one that it is a body within.
  std::shared_ptr<Conditional> find_conditional(u64 handle) const;

  /// True when the graph, or one within, has a node of one of these types.
  bool has(std::initializer_list<CUgraphNodeType> types) const;
  bool has_memory_nodes() const {
    return has({CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE});
  }
  /// The nodes in an order that respects all edges; fewer than there are when edges run in a ring.
  std::vector<Node*> in_order() const;

  UserReferences objects;                                  ///< that live as long as the graph
  std::vector<std::shared_ptr<Conditional>> conditionals;  ///< made for the graph
  bool is_captured_into = false;                           ///< by a capture that has not ended
  std::atomic<int> instances{0};  ///< executable graphs made of it that are alive

 private:
  Graph() = default;
  CUresult check(const Task& task) const;

  CUgraph handle_ = nullptr;
  unsigned id_ = 0, next_node_ = 0;
  CUgraph original_ = nullptr;
  bool is_within_node_ = false, is_body_ = false;
  std::weak_ptr<const Graph> outer_;  ///< of a body
  std::vector<NodePtr> nodes_;
};

/// The graphs that a task holds: of a child node, or the bodies of a condition.
std::vector<GraphPtr> graphs_in(const Task& task);

/// A text in the DOT language. Flags: CU_GRAPH_DEBUG_DOT_FLAGS_*.
std::string dot(const Graph& graph, unsigned flags);

}  // namespace heddle::driver
