// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libheddle-audit.so: what the dynamic loader asks in a program that `heddle exec` runs
// (rtld-audit(7)). Whatever path a program loads one of the vendor's libraries from, it gets
// Heddle's library of that name; and where a program starts the vendor's tools, Heddle's run. The
// loader holds its lock when it asks.
#include <link.h>

#include "audit/libraries.h"
#include "audit/tools.h"

#define HEDDLE_HOOK extern "C" __attribute__((visibility("default")))

HEDDLE_HOOK unsigned la_version(unsigned) {
  heddle::audit::become_tool();
  return LAV_CURRENT;
}

/// `name` is what the program or a library asks for, then each path that the loader tries.
HEDDLE_HOOK char* la_objsearch(const char* name, uintptr_t*, unsigned) {
  static heddle::audit::Libraries libraries;
  return const_cast<char*>(libraries.path_for(name));
}
