// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events by handle.
#pragma once

#include "driver/abi.h"
#include "driver/core/table.h"

namespace heddle::driver {

class Event;
class Stream;

struct StreamTables {
  Table<CUstream, Stream> streams;
  Table<CUevent, Event> events;
};
/// Of the process; never destroyed.
StreamTables& stream_tables();

}  // namespace heddle::driver
