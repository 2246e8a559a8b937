// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between the API's parameter structures and the tasks of nodes. CUgraphNodeParams
// holds the parameters of any node type, so the functions of all types use it. Driver API 6.24.
#pragma once

#include "driver/core/graph/graph.h"

namespace heddle::driver {

/// Makes the task of a new node of `graph`. Writes the results that the API returns in the
/// parameters: the address of an allocation, the bodies of a conditional node.
CUresult make_task(CUgraphNodeParams& params, Graph& graph, Task& out);
/// Makes a new task for a node whose task is `old`. Memory and conditional nodes cannot be changed.
CUresult change_task(const CUgraphNodeParams& params, const Task& old, Task& out);
/// Writes the parameters of a node. Pointers in them point into the node.
void read_params(Node& node, CUgraphNodeParams& out);

}  // namespace heddle::driver
