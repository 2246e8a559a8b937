// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See graph.h.
#include "driver/core/graph/graph.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unordered_map>

#include "driver/core/graph/conditional.h"
#include "driver/core/graph/graph_memory.h"
#include "driver/core/graph/tables.h"

namespace heddle::driver {

bool operator==(const CUgraphEdgeData& a, const CUgraphEdgeData& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

bool is_valid(const CUgraphEdgeData& data) {
  constexpr unsigned char kNone[sizeof data.reserved] = {};
  return data.from_port <= CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER && data.to_port == 0 &&
         data.type <= CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
         std::memcmp(data.reserved, kNone, sizeof kNone) == 0;
}

std::vector<GraphPtr> graphs_in(const Task& task) {
  if (const auto* child = std::get_if<ChildTask>(&task)) return {child->graph};
  if (const auto* condition = std::get_if<ConditionalTask>(&task)) return condition->bodies;
  return {};
}

void** Node::parameter_pointers() {
  auto* kernel = std::get_if<KernelTask>(&task);
  if (!kernel) return nullptr;
  pointers_.clear();
  for (const auto& param : kernel->function->kernel().signature.params) {
    pointers_.push_back(kernel->params.data() + param.offset);
  }
  return pointers_.empty() ? nullptr : pointers_.data();
}

unsigned Graph::next_id() {
  static std::atomic<unsigned> ids{1};
  return ids.fetch_add(1);
}

GraphPtr Graph::create() {
  GraphPtr graph(new Graph);
  graph->id_ = next_id();
  graph->handle_ = graph_tables().graphs.add(graph);
  return graph;
}

// Checks that this graph may have a node of the task's type (6.24: memory nodes).
CUresult Graph::check(const Task& task) const {
  const auto type = type_of(task);
  const bool memory = type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
  return memory && is_within_node_ ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

bool Graph::are_dependencies(const Edges& edges) const {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].node->graph != this || !is_valid(edges[i].data)) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (edges[j].node == edges[i].node) return false;
    }
  }
  return true;
}

CUresult Graph::add(Task task, const Edges& after, NodePtr& out) {
  if (!are_dependencies(after)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult bad = check(task)) return bad;
  const auto node = std::make_shared<Node>();
  node->graph = this;
  node->id = next_node_++;
  node->task = std::move(task);
  node->handle = graph_tables().nodes.add(node);
  nodes_.push_back(node);
  for (const auto& edge : after) {
    node->from.push_back({edge.node.get(), edge.data});
    edge.node->to.push_back({node.get(), edge.data});
  }
  out = node;
  return CUDA_SUCCESS;
}

CUresult Graph::remove(const NodePtr& node) {
  if (has_memory_nodes() || is_captured_into) return CUDA_ERROR_INVALID_VALUE;
  const auto forget = [&](std::vector<NodeLink>& links) {
    std::erase_if(links, [&](const NodeLink& link) { return link.node == node.get(); });
  };
  for (const NodeLink& link : node->from) forget(link.node->to);
  for (const NodeLink& link : node->to) forget(link.node->from);
  graph_tables().nodes.remove(node->handle);
  for (const auto& graph : graphs_in(node->task)) graph->destroy();
  std::erase(nodes_, node);
  return CUDA_SUCCESS;
}

CUresult Graph::add_edge(Node& from, Node& to, const CUgraphEdgeData& data) {
  if (from.graph != this || to.graph != this || &from == &to || !is_valid(data)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (std::ranges::any_of(to.from, [&](const NodeLink& link) { return link.node == &from; })) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  to.from.push_back({&from, data});
  from.to.push_back({&to, data});
  return CUDA_SUCCESS;
}

CUresult Graph::remove_edge(Node& from, Node& to, const CUgraphEdgeData& data) {
  if (from.graph != this || to.graph != this || has_memory_nodes()) return CUDA_ERROR_INVALID_VALUE;
  const auto forget = [&](std::vector<NodeLink>& links, const Node& other) {
    return std::erase_if(
        links, [&](const NodeLink& link) { return link.node == &other && link.data == data; });
  };
  if (!forget(to.from, from)) return CUDA_ERROR_INVALID_VALUE;
  forget(from.to, to);
  return CUDA_SUCCESS;
}

bool Graph::has(std::initializer_list<CUgraphNodeType> types) const {
  return std::ranges::any_of(nodes_, [&](const NodePtr& node) {
    const auto type = type_of(node->task);
    return std::find(types.begin(), types.end(), type) != types.end() ||
           std::ranges::any_of(graphs_in(node->task),
                               [&](const GraphPtr& graph) { return graph->has(types); });
  });
}

GraphPtr Graph::clone() const {
  if (has({CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE,
           CU_GRAPH_NODE_TYPE_CONDITIONAL})) {
    return nullptr;
  }
  const auto copy = create();
  copy->original_ = handle_;
  copy->objects = objects;
  copy->next_node_ = next_node_;
  std::unordered_map<const Node*, Node*> twin;
  for (const auto& node : nodes_) {
    Task task = node->task;
    if (auto* child = std::get_if<ChildTask>(&task)) {
      child->graph = child->graph->clone();
      child->graph->put_into_node();
    }
    NodePtr made;
    copy->add(std::move(task), {}, made);
    made->id = node->id;
    made->original = node->handle;
    twin[node.get()] = made.get();
  }
  for (const auto& node : nodes_) {
    for (const NodeLink& link : node->from)
      twin[node.get()]->from.push_back({twin[link.node], link.data});
    for (const NodeLink& link : node->to)
      twin[node.get()]->to.push_back({twin[link.node], link.data});
  }
  return copy;
}

Node* Graph::clone_of(CUgraphNode original) const {
  for (const auto& node : nodes_) {
    if (node->original == original) return node.get();
  }
  return nullptr;
}

void Graph::destroy() {
  graph_tables().graphs.remove(handle_);
  for (const auto& node : nodes_) {
    graph_tables().nodes.remove(node->handle);
    for (const auto& graph : graphs_in(node->task)) graph->destroy();
  }
  objects = {};
}

void Graph::put_into_conditional(const std::shared_ptr<const Graph>& outer) {
  is_within_node_ = is_body_ = true;
  outer_ = outer;
}

std::shared_ptr<Conditional> Graph::find_conditional(u64 handle) const {
  for (const auto& each : conditionals) {
    if (each->handle() == handle) return each;
  }
  const auto outer = outer_.lock();
  return outer ? outer->find_conditional(handle) : nullptr;
}

std::vector<Node*> Graph::in_order() const {
  std::unordered_map<const Node*, std::size_t> missing;
  std::vector<Node*> order;
  for (const auto& node : nodes_) {
    missing[node.get()] = node->from.size();
    if (node->from.empty()) order.push_back(node.get());
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const NodeLink& link : order[i]->to) {
      if (--missing[link.node] == 0) order.push_back(link.node);
    }
  }
  return order;
}

}  // namespace heddle::driver
