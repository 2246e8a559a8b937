// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/module/tables.h"

#include "driver/core/module/library.h"
#include "driver/core/module/link.h"
#include "driver/core/module/module.h"

namespace heddle::driver {

ModuleTables& module_tables() {
  static ModuleTables& tables = *new ModuleTables;
  return tables;
}

}  // namespace heddle::driver
