// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/texture/tables.h"

#include "driver/core/texture/reference.h"
#include "driver/core/texture/texture.h"

namespace heddle::driver {

TextureTables& texture_tables() {
  static TextureTables& tables = *new TextureTables;
  return tables;
}

}  // namespace heddle::driver
