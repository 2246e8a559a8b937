// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/memory/tables.h"

#include "driver/core/memory/array.h"
#include "driver/core/memory/memory_pool.h"
#include "driver/core/memory/multicast.h"
#include "driver/core/memory/virtual_memory.h"

namespace heddle::driver {

MemoryTables& memory_tables() {
  static MemoryTables& tables = *new MemoryTables;
  return tables;
}

}  // namespace heddle::driver
