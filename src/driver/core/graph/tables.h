// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of graphs, their nodes, executable graphs and user objects by handle.
#pragma once

#include "driver/abi.h"
#include "driver/core/table.h"

namespace heddle::driver {

class Graph;
class GraphExec;
class Node;
class UserObject;

struct GraphTables {
  Table<CUgraph, Graph> graphs;
  Table<CUgraphNode, Node> nodes;
  Table<CUgraphExec, GraphExec> graph_execs;
  Table<CUuserObject, UserObject> user_objects;
};
/// The tables of the process, which are never destroyed.
GraphTables& graph_tables();

}  // namespace heddle::driver
