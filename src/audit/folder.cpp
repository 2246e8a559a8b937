// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See folder.h.
#include "audit/folder.h"

#include <dlfcn.h>

namespace heddle::audit {

std::string folder_of_libraries() {
  Dl_info self;
  if (!dladdr(reinterpret_cast<const void*>(&folder_of_libraries), &self)) return {};
  const std::string path = self.dli_fname;
  return path.substr(0, path.rfind('/'));
}

}  // namespace heddle::audit
