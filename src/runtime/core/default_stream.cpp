// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See default_stream.h.
#include "runtime/core/default_stream.h"

namespace heddle::runtime {
namespace {
thread_local bool per_thread = false;
}  // namespace

bool per_thread_default_stream() { return per_thread; }

UsePerThreadDefaultStream::UsePerThreadDefaultStream() : before_(per_thread) { per_thread = true; }
UsePerThreadDefaultStream::~UsePerThreadDefaultStream() { per_thread = before_; }

}  // namespace heddle::runtime
