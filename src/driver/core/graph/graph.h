// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: tasks and their dependencies. graph_exec.h makes them executable. Driver API 6.24. As the
// API says, a graph is used by one thread at a time.
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

/// A dependency, kept by one of its nodes: the node at the other end.
struct NodeLink {
  Node* node;
  CUgraphEdgeData data;
};
/// A dependency on a node, with the edge's data.
struct Edge {
  NodePtr node;
  CUgraphEdgeData data;
};
using Edges = std::vector<Edge>;

bool operator==(const CUgraphEdgeData& a, const CUgraphEdgeData& b);
inline bool is_default(const CUgraphEdgeData& data) { return data == CUgraphEdgeData{}; }
/// Whether the ports and the type exist, and the reserved bytes are zero.
bool is_valid(const CUgraphEdgeData& data);

class Node {
 public:
  Graph* graph = nullptr;
  CUgraphNode handle = nullptr;
  unsigned id = 0;                 ///< unique in its graph
  CUgraphNode original = nullptr;  ///< the node that this one was cloned from
  Task task;
  std::vector<NodeLink> from, to;

  /// Pointers to the parameters of a kernel node, as for kernelParams; valid until the task
  /// changes.
  void** parameter_pointers();

 private:
  std::vector<void*> pointers_;
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  static GraphPtr create();
  /// An id for a graph or an executable graph, which no other one has had.
  static unsigned next_id();

  CUgraph handle() const { return handle_; }
  unsigned id() const { return id_; }
  const std::vector<NodePtr>& nodes() const { return nodes_; }

  /// Adds a node. CUDA_ERROR_INVALID_VALUE when a dependency belongs to another graph or occurs
  /// twice, or when the task cannot be in this graph.
  CUresult add(Task task, const Edges& after, NodePtr& out);
  /// Whether a node of this graph may have these dependencies.
  bool are_dependencies(const Edges& edges) const;
  /// Removes the node and its edges.
  CUresult remove(const NodePtr& node);
  CUresult add_edge(Node& from, Node& to, const CUgraphEdgeData& data);
  CUresult remove_edge(Node& from, Node& to, const CUgraphEdgeData& data);

  /// A copy with new nodes; Node::original names the node that each was cloned from. Null when the
  /// graph has nodes that cannot be cloned (memory and conditional nodes).
  GraphPtr clone() const;
  /// The clone of `original` in this graph; null when there is none.
  Node* clone_of(CUgraphNode original) const;

  /// Removes the handles of the graph, its nodes and its child graphs.
  void destroy();
  bool is_within_node() const { return is_within_node_; }
  /// From now on a node owns this graph: it is a child graph, or the body of a conditional node of
  /// `outer`.
  void put_into_node() { is_within_node_ = true; }
  void put_into_conditional(const std::shared_ptr<const Graph>& outer);
  /// Whether the graph is the body of a conditional node. A body may have fewer types of nodes,
  /// which instantiation checks, because the graph may change until then.
  bool is_body() const { return is_body_; }
  /// The conditional variable of a handle that was made for this graph, or for a graph that
  /// contains this one as a body.
  std::shared_ptr<Conditional> find_conditional(u64 handle) const;

  /// True when the graph, or a graph in it, has a node of one of these types.
  bool has(std::initializer_list<CUgraphNodeType> types) const;
  bool has_memory_nodes() const {
    return has({CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE});
  }
  /// The nodes in topological order. Nodes of a cycle, and nodes that depend on one, are left out.
  std::vector<Node*> in_order() const;

  UserReferences objects;                                  ///< user objects that the graph retains
  std::vector<std::shared_ptr<Conditional>> conditionals;  ///< made for the graph
  bool is_captured_into = false;                           ///< a capture adds nodes to the graph
  std::atomic<int> instances{0};  ///< number of live executable graphs made of this graph

 private:
  Graph() = default;
  CUresult check(const Task& task) const;

  CUgraph handle_ = nullptr;
  unsigned id_ = 0, next_node_ = 0;
  CUgraph original_ = nullptr;
  bool is_within_node_ = false, is_body_ = false;
  std::weak_ptr<const Graph> outer_;  ///< the graph of the conditional node that has this body
  std::vector<NodePtr> nodes_;
};

/// The graphs of a task: the child graph, or the bodies of a conditional node.
std::vector<GraphPtr> graphs_in(const Task& task);

/// The graph in the DOT language. Flags: CU_GRAPH_DEBUG_DOT_FLAGS_*.
std::string dot(const Graph& graph, unsigned flags);

}  // namespace heddle::driver
