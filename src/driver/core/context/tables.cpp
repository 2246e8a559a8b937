// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/context/tables.h"

#include "driver/core/context/context.h"
#include "driver/core/context/green_context.h"

namespace heddle::driver {

ContextTables& context_tables() {
  static ContextTables& tables = *new ContextTables;
  return tables;
}

}  // namespace heddle::driver
