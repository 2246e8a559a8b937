// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library of the compiler exports. Both sides are of one build (compiler.cpp looks at the
// version and at the layout of objects), so C++ objects may pass between them.
#include "jit/library.h"
#include "jit/compiler.h"

namespace heddle::jit {
Result<Compiled> compile_here(const Request& request);
}

extern "C" [[gnu::visibility("default")]] void heddle_jit_compile(
    const heddle::jit::Request& request, heddle::Result<heddle::jit::Compiled>& result) {
  result = heddle::jit::compile_here(request);
}

extern "C" [[gnu::visibility("default")]] const char heddle_jit_version[] = HEDDLE_VERSION;
extern "C" [[gnu::visibility("default")]] const heddle::u64 heddle_jit_layout =
    heddle::jit::layout();
