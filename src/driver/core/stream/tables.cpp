// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/stream/tables.h"

#include "driver/core/stream/event.h"
#include "driver/core/stream/stream.h"

namespace heddle::driver {

StreamTables& stream_tables() {
  static StreamTables& tables = *new StreamTables;
  return tables;
}

}  // namespace heddle::driver
