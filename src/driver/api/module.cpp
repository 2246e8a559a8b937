// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules: load, look up, unload. Driver API 6.10.
#include "driver/core/module/module.h"
#include "base/file.h"
#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/context/device.h"
#include "driver/core/module/compile.h"
#include "driver/core/module/tables.h"

using namespace heddle::driver;

namespace {

CUresult load(Context& context, CUmodule* module, const void* image, std::string_view name,
              JitOptions options, size_t limit = SIZE_MAX) {
  const auto compiled = compile_image(image, name, context.device().profile, options, limit);
  if (compiled.result) return compiled.result;
  const auto loaded = Module::load(context, compiled.module);
  if (!loaded.ok()) return complain(CUDA_ERROR_OUT_OF_MEMORY, loaded.error().message, options);
  *module = (*loaded)->handle();
  return CUDA_SUCCESS;
}

template <class Body>
CUresult with_module(CUmodule handle, Body body) {
  return in_context([&](Context&) -> CUresult {
    const auto module = module_tables().modules.find(handle);
    return module ? body(*module) : CUDA_ERROR_INVALID_HANDLE;
  });
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int numOptions,
                            CUjit_option* options, void** optionValues) {
  return in_context([&](Context& context) -> CUresult {
    if (!module || !image) return CUDA_ERROR_INVALID_VALUE;
    JitOptions jit;
    if (const CUresult bad = jit.parse(numOptions, options, optionValues)) return bad;
    return load(context, module, image, "<memory>", jit);
  });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
  return cuModuleLoadData(module, fatCubin);
}

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
  return in_context([&](Context& context) -> CUresult {
    if (!module || !fname) return CUDA_ERROR_INVALID_VALUE;
    const auto image = heddle::read_file(fname);
    if (!image.ok()) return CUDA_ERROR_FILE_NOT_FOUND;
    return load(context, module, image->c_str(), fname, {}, image->size());
  });
}

CUresult cuModuleUnload(CUmodule hmod) {
  return in_context([&](Context& context) -> CUresult {
    const auto module = module_tables().modules.find(hmod);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    if (module->is_of_library()) return CUDA_ERROR_NOT_PERMITTED;
    module->unload();
    return context.error();
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return in_driver([&]() -> CUresult {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;  // engines prepare a kernel at its first launch
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
  return with_module(hmod, [&](Module& module) -> CUresult {
    if (!hfunc || !name) return CUDA_ERROR_INVALID_VALUE;
    const CUfunction found = module.function(name);
    if (!found) return CUDA_ERROR_NOT_FOUND;
    *hfunc = found;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule mod) {
  return with_module(mod, [&](Module& module) -> CUresult {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(kernel_names(module.ir()).size());
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int numFunctions,
                                    CUmodule mod) {
  return with_module(mod, [&](Module& module) -> CUresult {
    if (!functions) return CUDA_ERROR_INVALID_VALUE;
    const auto names = kernel_names(module.ir());
    for (unsigned i = 0; i < std::min<std::size_t>(numFunctions, names.size()); ++i) {
      functions[i] = module.function(names[i]);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  return with_module(hmod, [&](Module& module) -> CUresult {
    if (!name || (!dptr && !bytes)) return CUDA_ERROR_INVALID_VALUE;
    const auto found = module.variable(name);
    if (!found) return CUDA_ERROR_NOT_FOUND;
    if (dptr) *dptr = found->range.base;
    if (bytes) *bytes = found->range.size;
    return CUDA_SUCCESS;
  });
}
