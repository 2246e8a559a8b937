// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of contexts, green contexts and resource descriptors by handle.
#pragma once

#include "driver/abi.h"
#include "driver/core/table.h"

namespace heddle::driver {

class Context;
class GreenContext;
struct SmShare;

struct ContextTables {
  Table<CUcontext, Context> contexts;
  Table<CUgreenCtx, GreenContext> green_contexts;
  Table<CUcontext, GreenContext> green_views;  ///< by GreenContext::view()
  Table<CUdevResourceDesc, SmShare> resource_descriptors;
};
/// The tables of the process, which are never destroyed.
ContextTables& context_tables();

}  // namespace heddle::driver
