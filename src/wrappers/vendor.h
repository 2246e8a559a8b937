// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vendor's library behind a wrapper. The wrapper depends on it under a name that the audit
// library knows (audit/libraries.h), HEDDLE_REAL.
#pragma once

#include <dlfcn.h>

#include "base/check.h"

namespace heddle::wrappers {

class VendorLibrary {
 public:
  explicit VendorLibrary(const char* name) : handle_(dlopen(name, RTLD_LAZY)) {
    HEDDLE_CHECK(handle_);  // it has been loaded before the wrapper
  }
  template <class Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    HEDDLE_CHECK(function);
  }

 private:
  void* handle_;
};

}  // namespace heddle::wrappers
