// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that nodes of a graph allocate and free. Driver API 6.24 (cuGraphAddMemAllocNode). An
// allocation has the same address in every launch, so its memory is allocated when the node is
// made, and freed when neither a graph nor a launch can use it any more. The program's calls decide
// whether the allocation counts as allocated: a launch allocates it, a launch or cuMemFree(Async)
// frees it.
#pragma once

#include <memory>
#include <optional>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

struct Device;
class Graph;

class GraphAllocation : public std::enable_shared_from_this<GraphAllocation> {
 public:
  /// Allocates the memory at the location in the parameters, which must be one that can have pools.
  /// Null when memory is short.
  static std::shared_ptr<GraphAllocation> create(const CUDA_MEM_ALLOC_NODE_PARAMS&);
  ~GraphAllocation();

  u64 base() const { return params_.dptr; }
  u64 size() const { return params_.bytesize; }
  const CUDA_MEM_ALLOC_NODE_PARAMS& params() const { return params_; }

  bool is_live() const;
  /// Called by a launch. False when the allocation is allocated already.
  bool allocate();
  /// Called by a launch or cuMemFree(Async). False when the allocation is not allocated.
  bool free();

  const Graph* freed_by = nullptr;  ///< the graph with the node that frees, if any

 private:
  GraphAllocation(const Device* device, const CUDA_MEM_ALLOC_NODE_PARAMS& params)
      : device_(device), params_(params) {}

  const Device* const device_;  ///< the device whose memory it counts against; null: none
  CUDA_MEM_ALLOC_NODE_PARAMS params_;
  bool is_live_ = false;
  /// Set while allocated, because the allocation may outlive its graph.
  std::shared_ptr<GraphAllocation> self_;
};

/// The graph allocation that begins at `address`; null when there is none.
std::shared_ptr<GraphAllocation> graph_allocation(u64 address);

/// The value of an attribute, or nothing when there is no such attribute.
std::optional<u64> graph_memory(const Device& device, CUgraphMem_attribute attribute);
/// Releases the unused memory of graphs, which counts as theirs until then, as on a GPU. True when
/// there was some.
bool trim_graph_memory(const Device& device);
/// Sets a high-water mark to the current value.
CUresult reset_graph_memory(const Device& device, CUgraphMem_attribute attribute);

}  // namespace heddle::driver
