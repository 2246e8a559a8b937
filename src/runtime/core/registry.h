// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU code that a program carries, and which of its host symbols stand for which kernels and
// variables in it. Compilers emit calls that register both when the program or a library of it is
// loaded (crt/host_runtime.h declares them); the code itself is loaded when one of its symbols is
// used, once for all devices: the driver makes a module of it in each context.
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

class FatBinary;

/// `wrapper` is the structure that the compiler puts into section .nvFatBinSegment. It stays where
/// it is as long as the binary is registered.
FatBinary* register_fat_binary(const void* wrapper);
/// Ends the binary's symbols, and its code on every device.
void unregister_fat_binary(FatBinary* binary);

void register_kernel(FatBinary* binary, const void* host, const char* name);
void register_variable(FatBinary* binary, const void* host, const char* name, size_t size);
/// A managed variable: `*host` becomes its address, when the binary is loaded.
void register_managed(FatBinary* binary, void** host, const char* name, size_t size);

/// Loads the binary now, so that the program can use its managed variables.
cudaError_t load(FatBinary* binary);

/// The kernel of a host function, or of a handle of one that is passed as such.
/// cudaErrorInvalidDeviceFunction when it is neither.
cudaError_t kernel_of(const void* symbol, CUkernel& kernel);

/// The host function that stands for a kernel; the kernel itself when there is none.
void* symbol_of(CUfunction function);

/// A variable's place in the current context. cudaErrorInvalidSymbol when `symbol` is none.
cudaError_t variable_of(const void* symbol, CUdeviceptr& address, size_t& size);

}  // namespace heddle::runtime
