// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of the entry points of graphs: finding objects by handle, and returning lists.
#pragma once

#include "driver/core/graph/node_params.h"
#include "driver/core/graph/tables.h"
#include "driver/core/stream/in_stream.h"

namespace heddle::driver {

template <class Body>
CUresult with_graph(CUgraph handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto graph = graph_tables().graphs.find(handle);
    return graph ? body(graph) : CUDA_ERROR_INVALID_VALUE;
  });
}

template <class Body>
CUresult with_node(CUgraphNode handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto node = graph_tables().nodes.find(handle);
    return node ? body(node) : CUDA_ERROR_INVALID_VALUE;
  });
}

/// Runs `body(node, task)` for a node whose task is a `Kind`.
template <class Kind, class Body>
CUresult with_node_of(CUgraphNode handle, Body body) {
  return with_node(handle, [&](const NodePtr& node) -> CUresult {
    auto* task = std::get_if<Kind>(&node->task);
    return task ? body(*node, *task) : CUDA_ERROR_INVALID_VALUE;
  });
}

template <class Body>
CUresult with_exec(CUgraphExec handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto exec = graph_tables().graph_execs.find(handle);
    return exec ? body(*exec) : CUDA_ERROR_INVALID_VALUE;
  });
}

/// Reads dependencies: an array of nodes, and the data of the edges from them, which may be null.
inline CUresult read_edges(const CUgraphNode* nodes, const CUgraphEdgeData* data, size_t count,
                           Edges& out) {
  if (count && !nodes) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    auto node = graph_tables().nodes.find(nodes[i]);
    if (!node) return CUDA_ERROR_INVALID_VALUE;
    out.push_back({std::move(node), data ? data[i] : CUgraphEdgeData{}});
  }
  return CUDA_SUCCESS;
}

/// Writes up to `*count` of the `items` to `out`, nulls into the rest of `out`, and the number of
/// items written to `*count`. When `out` is null, writes the number of all items to `*count`.
template <class Item, class Get>
CUresult give_list(const std::vector<Item>& items, size_t* count, CUgraphNode* out, Get get) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  if (!out) {
    *count = items.size();
    return CUDA_SUCCESS;
  }
  for (size_t i = 0; i < *count; ++i) out[i] = i < items.size() ? get(items[i]) : nullptr;
  *count = std::min(*count, items.size());
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
