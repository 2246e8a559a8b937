// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See registry.h.
#include "runtime/core/registry.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver/api.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"

namespace heddle::runtime {
namespace {

struct Symbol {
  FatBinary* binary;
  std::string name;
  size_t size = 0;            // of a variable
  CUkernel kernel = nullptr;  // null until its first use
};

struct Managed {
  void** host;
  std::string name;
};

struct Registry {
  std::recursive_mutex mutex;
  std::unordered_map<const void*, Symbol> kernels, variables;
};

// Programs register before main and unregister after it, so this is never destroyed.
Registry& registry() {
  static auto& instance = *new Registry;
  return instance;
}

}  // namespace

class FatBinary {
 public:
  explicit FatBinary(const void* wrapper) : wrapper_(wrapper) {}

  /// Loads the code at the first call; later calls return the same result.
  cudaError_t load();
  CUlibrary library() const { return library_; }
  void unload() {
    if (library_) cuLibraryUnload(library_);
  }
  void add(Managed variable) { managed_.push_back(std::move(variable)); }
  /// The managed variable that lies at `address`, or null.
  const Managed* managed_at(const void* address) const {
    for (const Managed& each : managed_) {
      if (*each.host == address) return &each;
    }
    return nullptr;
  }

 private:
  cudaError_t load_managed();

  const void* const wrapper_;
  CUlibrary library_ = nullptr;
  cudaError_t error_ = cudaSuccess;
  std::vector<Managed> managed_;
};

cudaError_t FatBinary::load() {
  if (library_ || error_) return error_;
  if (const cudaError_t error = use_context()) return error;
  error_ =
      from_driver(cuLibraryLoadData(&library_, wrapper_, nullptr, nullptr, 0, nullptr, nullptr, 0));
  if (error_ == cudaErrorNoKernelImageForDevice) {
    std::fprintf(
        stderr,
        "heddle: this program carries no PTX that the device runs; compile it with PTX, for "
        "example `nvcc -gencode arch=compute_75,code=compute_75` or `clang++ "
        "--cuda-gpu-arch=sm_75 --cuda-include-ptx=all`\n");
  }
  if (!error_) error_ = load_managed();
  return error_;
}

// The host accesses a managed variable through a pointer that the compiler generates; all devices
// share one variable.
cudaError_t FatBinary::load_managed() {
  for (const Managed& each : managed_) {
    CUdeviceptr address = 0;
    if (const CUresult bad = cuLibraryGetGlobal(&address, nullptr, library_, each.name.c_str())) {
      return from_driver(bad);
    }
    *each.host = reinterpret_cast<void*>(address);
  }
  return cudaSuccess;
}

FatBinary* register_fat_binary(const void* wrapper) { return new FatBinary(wrapper); }

void unregister_fat_binary(FatBinary* binary) {
  const std::lock_guard lock(registry().mutex);
  const auto is_of = [&](const auto& entry) { return entry.second.binary == binary; };
  std::erase_if(registry().kernels, is_of);
  std::erase_if(registry().variables, is_of);
  binary->unload();
  delete binary;
}

void register_kernel(FatBinary* binary, const void* host, const char* name) {
  const std::lock_guard lock(registry().mutex);
  registry().kernels.insert_or_assign(host, Symbol{.binary = binary, .name = name});
}

void register_variable(FatBinary* binary, const void* host, const char* name, size_t size) {
  const std::lock_guard lock(registry().mutex);
  registry().variables.insert_or_assign(host, Symbol{.binary = binary, .name = name, .size = size});
}

void register_managed(FatBinary* binary, void** host, const char* name, size_t size) {
  register_variable(binary, static_cast<const void*>(host), name, size);
  const std::lock_guard lock(registry().mutex);
  binary->add({host, name});
}

cudaError_t load(FatBinary* binary) {
  const std::lock_guard lock(registry().mutex);
  return binary->load();
}

cudaError_t kernel_of(const void* symbol, CUkernel& kernel) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().kernels.find(symbol);
  if (found == registry().kernels.end()) {
    const auto handle = static_cast<CUkernel>(const_cast<void*>(symbol));
    CUlibrary library = nullptr;
    if (cuKernelGetLibrary(&library, handle)) return cudaErrorInvalidDeviceFunction;
    kernel = handle;
    return cudaSuccess;
  }
  Symbol& entry = found->second;
  if (!entry.kernel) {
    if (const cudaError_t error = entry.binary->load()) return error;
    if (cuLibraryGetKernel(&entry.kernel, entry.binary->library(), entry.name.c_str())) {
      return cudaErrorInvalidDeviceFunction;
    }
  }
  kernel = entry.kernel;
  return cudaSuccess;
}

cudaError_t function_of(const void* symbol, CUfunction& function) {
  CUkernel kernel = nullptr;
  if (const cudaError_t error = kernel_of(symbol, kernel)) return error;
  return in_context([&] { return cuKernelGetFunction(&function, kernel); });
}

void* symbol_of(CUfunction function) {
  const std::lock_guard lock(registry().mutex);
  for (const auto& [host, symbol] : registry().kernels) {
    CUfunction found = nullptr;
    if (symbol.kernel && !cuKernelGetFunction(&found, symbol.kernel) && found == function) {
      return const_cast<void*>(host);
    }
  }
  return function;
}

cudaError_t variable_of(const void* symbol, CUdeviceptr& address, size_t& size) {
  const std::lock_guard lock(registry().mutex);
  const Symbol* found = nullptr;
  if (const auto at = registry().variables.find(symbol); at != registry().variables.end()) {
    found = &at->second;
  }
  // `&m` of a managed variable is the address of the variable, not of the host's pointer to it.
  for (auto at = registry().variables.begin(); !found && at != registry().variables.end(); ++at) {
    const Managed* managed = at->second.binary->managed_at(symbol);
    if (managed && static_cast<const void*>(managed->host) == at->first) found = &at->second;
  }
  if (!found) return cudaErrorInvalidSymbol;
  if (const cudaError_t error = found->binary->load()) return error;
  return in_context([&]() -> CUresult {
    const CUresult result =
        cuLibraryGetGlobal(&address, &size, found->binary->library(), found->name.c_str());
    return result == CUDA_ERROR_NOT_FOUND ? static_cast<CUresult>(cudaErrorInvalidSymbol) : result;
  });
}

}  // namespace heddle::runtime
