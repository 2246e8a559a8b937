// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts by handle, and what green contexts are made of.
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
  Table<CUcontext, GreenContext> green_views;  ///< by the context that stands for it
  Table<CUdevResourceDesc, SmShare> resource_descriptors;
};
/// Of the process; never destroyed.
ContextTables& context_tables();

}  // namespace heddle::driver
