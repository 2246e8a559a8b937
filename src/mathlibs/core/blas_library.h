// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's BLAS, which is loaded when a handle is made. A program that never makes one has
// neither its threads nor its names, which could stand in for those of another BLAS.
#pragma once

namespace heddle::mathlibs {

/// Loads the BLAS. False when it is not installed; a message on stderr says so, once.
bool has_blas();

/// A function of the BLAS, which has been loaded.
void* blas_function(const char* name);

}  // namespace heddle::mathlibs
