// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See blas_library.h.
#include "mathlibs/core/blas_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace heddle::mathlibs {
namespace {

constexpr const char* kLibrary = "libopenblas.so.0";

void* open_library() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    std::fprintf(stderr, "heddle: libcublas needs OpenBLAS (Debian: libopenblas0): %s\n",
                 dlerror());
  return library;
}

void* library() {
  static void* const opened = open_library();
  return opened;
}

}  // namespace

bool has_blas() { return library() != nullptr; }

void* blas_function(const char* name) {
  void* const function = library() ? dlsym(library(), name) : nullptr;
  if (function) return function;
  std::fprintf(stderr, "heddle: %s has no function %s\n", kLibrary, name);
  std::abort();
}

}  // namespace heddle::mathlibs
