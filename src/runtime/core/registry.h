// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU code that a program contains, and the host symbols that stand for its kernels and
// variables. Compilers emit calls that register both when the program or one of its libraries is
// loaded (crt/host_runtime.h declares them). The code is loaded when one of its symbols is first
// used, once for all devices: the driver creates a module in each context.
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

class FatBinary;

/// `wrapper` is the structure that the compiler puts into section .nvFatBinSegment. It must not
/// move while the binary is registered.
FatBinary* register_fat_binary(const void* wrapper);
/// Removes the binary's symbols, and unloads its code on every device.
void unregister_fat_binary(FatBinary* binary);

void register_kernel(FatBinary* binary, const void* host, const char* name);
void register_variable(FatBinary* binary, const void* host, const char* name, size_t size);
/// A managed variable: `*host` becomes its address, when the binary is loaded.
void register_managed(FatBinary* binary, void** host, const char* name, size_t size);

/// Loads the binary now, so that the program can use its managed variables.
cudaError_t load(FatBinary* binary);

/// The kernel of a host function; a kernel handle is also accepted. cudaErrorInvalidDeviceFunction
/// when `symbol` is neither.
cudaError_t kernel_of(const void* symbol, CUkernel& kernel);

/// The host function that stands for a kernel; the kernel itself when there is none.
void* symbol_of(CUfunction function);

/// The address and size of a variable in the current context. cudaErrorInvalidSymbol when `symbol`
/// is not a variable.
cudaError_t variable_of(const void* symbol, CUdeviceptr& address, size_t& size);

}  // namespace heddle::runtime
