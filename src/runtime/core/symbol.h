// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of variables, for copies and graph nodes.
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

/// The address of `count` bytes of a variable, from `offset` on, in the current context.
cudaError_t part_of(const void* symbol, size_t offset, size_t count, void*& address);

/// Whether a copy to (or from) a device variable can be of this kind.
cudaError_t check_to_symbol(cudaMemcpyKind kind);
cudaError_t check_from_symbol(cudaMemcpyKind kind);

}  // namespace heddle::runtime
