// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of streams and events by handle.
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
/// The tables of the process, which are never destroyed.
StreamTables& stream_tables();

}  // namespace heddle::driver
