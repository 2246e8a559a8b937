// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that nodes of a graph allocate and free. Driver API 6.24 (cuGraphAddMemAllocNode). The
// address of an allocation is the same in every launch, so the memory is taken when the node is
// made and given back when nobody can use it any more. Whether it counts as allocated is decided in
// the order of the program's calls: a launch allocates, a launch or cuMemFree(Async) frees.
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
  /// Where the parameters say, which is a place for pools. Null when there is not that much memory.
  static std::shared_ptr<GraphAllocation> create(const CUDA_MEM_ALLOC_NODE_PARAMS&);
  ~GraphAllocation();

  u64 base() const { return params_.dptr; }
  u64 size() const { return params_.bytesize; }
  const CUDA_MEM_ALLOC_NODE_PARAMS& params() const { return params_; }

  bool is_live() const;
  /// By a launch. False when it is allocated already.
  bool allocate();
  /// By a launch, or by cuMemFree(Async). False when it is not allocated.
  bool free();

  const Graph* freed_by = nullptr;  ///< the graph with the node that frees, if any

 private:
  GraphAllocation(const Device* device, const CUDA_MEM_ALLOC_NODE_PARAMS& params)
      : device_(device), params_(params) {}

  const Device* const device_;  ///< null: it counts against none
  CUDA_MEM_ALLOC_NODE_PARAMS params_;
  bool is_live_ = false;
  std::shared_ptr<GraphAllocation> self_;  ///< while live: it may outlive its graph
};

/// The allocation of some graph that begins at `address`; null when there is none.
std::shared_ptr<GraphAllocation> graph_allocation(u64 address);

/// The value of an attribute, or nothing when there is no such attribute.
std::optional<u64> graph_memory(const Device& device, CUgraphMem_attribute attribute);
/// What graphs gave back counts as theirs until here, as on a GPU, where they keep it. True when
/// that was something.
bool trim_graph_memory(const Device& device);
/// Sets a high-water mark back to what is in use.
CUresult reset_graph_memory(const Device& device, CUgraphMem_attribute attribute);

}  // namespace heddle::driver
