// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries and their kernels. Driver API 6.12.
#include "driver/core/module/library.h"
#include "base/file.h"
#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/module/compile.h"
#include "driver/core/module/module.h"
#include "driver/core/module/tables.h"
#include "driver/core/process.h"

using namespace heddle::driver;

namespace {

struct Options {
  CUjit_option* jit;
  void** jit_values;
  unsigned jit_count;
  CUlibraryOption* library;
  void** library_values;
  unsigned library_count;
};

// CU_LIBRARY_BINARY_IS_PRESERVED promises that the program keeps the image, which Heddle has no use
// for. Tables of host functions are not supported.
CUresult check(const Options& options) {
  if (options.library_count && (!options.library || !options.library_values)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (unsigned i = 0; i < options.library_count; ++i) {
    switch (options.library[i]) {
      case CU_LIBRARY_BINARY_IS_PRESERVED:
        break;
      case CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE:
        return CUDA_ERROR_NOT_SUPPORTED;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  }
  return CUDA_SUCCESS;
}

// All devices have the same profile, so code for the first one is code for each.
CUresult load(CUlibrary* library, const void* code, const char* name, const Options& options,
              size_t limit = SIZE_MAX) {
  if (const CUresult bad = check(options)) return bad;
  JitOptions jit;
  if (const CUresult bad = jit.parse(options.jit_count, options.jit, options.jit_values))
    return bad;
  const auto compiled = compile_image(code, name, devices().front()->profile, jit, limit);
  if (compiled.result) return compiled.result;
  *library = Library::create(compiled.module);
  return CUDA_SUCCESS;
}

template <class Body>
CUresult with_library(CUlibrary handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto library = module_tables().libraries.find(handle);
    return library ? body(*library) : CUDA_ERROR_INVALID_HANDLE;
  });
}

template <class Body>
CUresult with_kernel(CUkernel handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto kernel = module_tables().kernels.find(handle);
    return kernel ? body(*kernel) : CUDA_ERROR_INVALID_HANDLE;
  });
}

/// Runs `body(module)` for the library's module in the current context.
template <class Body>
CUresult with_module(CUlibrary handle, Body body) {
  return in_context([&](Context& context) {
    return with_library(handle, [&](Library& library) -> CUresult {
      const auto module = library.module(context);
      return module ? body(*module) : CUDA_ERROR_OUT_OF_MEMORY;
    });
  });
}

CUresult give_range(const std::optional<Module::VariableInfo>& found, CUdeviceptr* dptr,
                    size_t* bytes) {
  if (!found) return CUDA_ERROR_NOT_FOUND;
  if (dptr) *dptr = found->range.base;
  if (bytes) *bytes = found->range.size;
  return CUDA_SUCCESS;
}

/// Runs `body(kernel, device)`.
template <class Body>
CUresult on_device(CUkernel handle, CUdevice dev, Body body) {
  return with_kernel(handle, [&](Kernel& kernel) -> CUresult {
    Device* const found = device(dev);
    return found ? body(kernel, *found) : CUDA_ERROR_INVALID_DEVICE;
  });
}

}  // namespace

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions,
                           void** jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption* libraryOptions, void** libraryOptionValues,
                           unsigned int numLibraryOptions) {
  return in_driver([&]() -> CUresult {
    if (!library || !code) return CUDA_ERROR_INVALID_VALUE;
    return load(library, code, "<memory>",
                {jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
                 numLibraryOptions});
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option* jitOptions,
                               void** jitOptionsValues, unsigned int numJitOptions,
                               CUlibraryOption* libraryOptions, void** libraryOptionValues,
                               unsigned int numLibraryOptions) {
  return in_driver([&]() -> CUresult {
    if (!library || !fileName) return CUDA_ERROR_INVALID_VALUE;
    const auto image = heddle::read_file(fileName);
    if (!image.ok()) return CUDA_ERROR_FILE_NOT_FOUND;
    return load(library, image->c_str(), fileName,
                {jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
                 numLibraryOptions},
                image->size());
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return with_library(library, [](Library& library) {
    library.unload();
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
  return with_library(library, [&](Library& library) -> CUresult {
    if (!pKernel || !name) return CUDA_ERROR_INVALID_VALUE;
    const CUkernel found = library.kernel(name);
    if (!found) return CUDA_ERROR_NOT_FOUND;
    *pKernel = found;
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
  return with_library(lib, [&](Library& library) {
    return give(count, static_cast<unsigned>(kernel_names(library.ir()).size()));
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int numKernels, CUlibrary lib) {
  return with_library(lib, [&](Library& library) -> CUresult {
    if (!kernels) return CUDA_ERROR_INVALID_VALUE;
    const auto names = kernel_names(library.ir());
    for (unsigned i = 0; i < std::min<size_t>(numKernels, names.size()); ++i) {
      kernels[i] = library.kernel(names[i]);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetModule(CUmodule* pMod, CUlibrary library) {
  return with_module(library, [&](Module& module) { return give(pMod, module.handle()); });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
  return with_module(library, [&](Module& module) -> CUresult {
    if (!name || (!dptr && !bytes)) return CUDA_ERROR_INVALID_VALUE;
    return give_range(module.variable(name), dptr, bytes);
  });
}

CUresult cuLibraryGetManaged(CUdeviceptr* dptr, size_t* bytes, CUlibrary library,
                             const char* name) {
  return with_library(library, [&](Library& found) -> CUresult {
    if (!name || (!dptr && !bytes)) return CUDA_ERROR_INVALID_VALUE;
    // The variable has the same address in all contexts. It exists once a context, for example the
    // current one, has loaded the library.
    Context* const context = current_context();
    if (context && !context->is_destroyed() && !found.module(*context)) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const auto modules = found.modules();
    const auto variable = modules.empty() ? std::nullopt : modules.front()->variable(name);
    return variable && variable->is_managed ? give_range(variable, dptr, bytes)
                                            : CUDA_ERROR_NOT_FOUND;
  });
}

// Heddle loads no library with a table of such functions.
CUresult cuLibraryGetUnifiedFunction(void** fptr, CUlibrary library, const char* symbol) {
  return with_library(library, [&](Library&) -> CUresult {
    return fptr && symbol ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
  return in_context([&](Context& context) {
    return with_kernel(kernel, [&](Kernel& kernel) -> CUresult {
      if (!pFunc) return CUDA_ERROR_INVALID_VALUE;
      const auto module = kernel.library().module(context);
      if (!module || !kernel.function(context)) return CUDA_ERROR_OUT_OF_MEMORY;
      *pFunc = module->function(kernel.name());
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
  return with_kernel(kernel, [&](Kernel& kernel) { return give(pLib, kernel.library().handle()); });
}

CUresult cuKernelGetName(const char** name, CUkernel hfunc) {
  return with_kernel(hfunc, [&](Kernel& kernel) { return give(name, kernel.name().c_str()); });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset,
                              size_t* paramSize) {
  return with_kernel(kernel, [&](Kernel& kernel) -> CUresult {
    const auto& params = kernel.library().ir().find_function(kernel.name())->signature.params;
    if (!paramOffset || paramIndex >= params.size()) return CUDA_ERROR_INVALID_VALUE;
    *paramOffset = params[paramIndex].offset;
    if (paramSize) *paramSize = params[paramIndex].size;
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  return on_device(kernel, dev, [&](Kernel& found, Device& device) {
    return pi ? found.get(device, attrib, *pi) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  return on_device(kernel, dev,
                   [&](Kernel& found, Device& device) { return found.set(device, attrib, val); });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  return on_device(kernel, dev, [&](Kernel& found, Device& device) -> CUresult {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return found.set_cache_config(device, config);
  });
}
