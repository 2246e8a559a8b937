// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the parameter structures of the API and the tasks of nodes. CUgraphNodeParams holds any
// of them, so every function of one node type goes through it. Driver API 6.24.
#pragma once

#include "driver/core/graph/graph.h"

namespace heddle::driver {

/// A task for a new node of `graph`. Writes what is returned through the parameters (the address of
/// an allocation, the bodies of a condition).
CUresult make_task(CUgraphNodeParams& params, Graph& graph, Task& out);
/// A task for a node that has `old`. Memory and conditional nodes cannot be changed.
CUresult change_task(const CUgraphNodeParams& params, const Task& old, Task& out);
/// The parameters of a node; pointers lead into the node.
void read_params(Node& node, CUgraphNodeParams& out);

}  // namespace heddle::driver
