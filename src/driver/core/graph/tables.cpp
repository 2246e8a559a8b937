// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/graph/tables.h"

#include "driver/core/graph/graph.h"
#include "driver/core/graph/graph_exec.h"
#include "driver/core/graph/user_object.h"

namespace heddle::driver {

GraphTables& graph_tables() {
  static GraphTables& tables = *new GraphTables;
  return tables;
}

}  // namespace heddle::driver
