// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules: load, look up, unload. Driver API 6.10.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "driver/api.h"
#include "driver/core/call.h"
#include "driver/core/compile.h"

using namespace heddle::driver;

namespace {

CUresult complain(CUresult result, const std::string& why, JitOptions& options) {
  options.write_errors(why + "\n");
  if (!options.has_error_buffer()) std::fprintf(stderr, "heddle: %s\n", why.c_str());
  return result;
}

CUresult load(Context& context, CUmodule* module, const void* image, std::string_view name,
              JitOptions options) {
  Device& device = context.device();
  const auto contents = read_image(image, device.profile, name);
  if (contents.result) return complain(contents.result, contents.why, options);
  const auto compiled = compile(contents.texts, device.profile, options);
  if (compiled.result) return compiled.result;
  auto loaded = heddle::machine::Loaded::create(*state().memory, compiled.module);
  if (!loaded.ok()) return complain(CUDA_ERROR_OUT_OF_MEMORY, loaded.error().message, options);
  const auto made = std::make_shared<Module>(&context, std::move(*loaded));
  made->set_handle(state().modules.add(made));
  *module = made->handle();
  return CUDA_SUCCESS;
}

template <class Body>
CUresult with_module(CUmodule handle, Body body) {
  return in_context([&](Context&) -> CUresult {
    const auto module = state().modules.find(handle);
    return module ? body(*module) : CUDA_ERROR_INVALID_HANDLE;
  });
}

const heddle::ir::Variable* find_global(const heddle::ir::Module& module, std::string_view name) {
  const auto* variable = module.find_variable(name);
  using heddle::ir::Space;
  const bool in_memory =
      variable && (variable->space == Space::global || variable->space == Space::constant);
  return in_memory ? variable : nullptr;
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
    return load(context, module, image, "<memory>", std::move(jit));
  });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
  return cuModuleLoadData(module, fatCubin);
}

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
  return in_context([&](Context& context) -> CUresult {
    if (!module || !fname) return CUDA_ERROR_INVALID_VALUE;
    std::ifstream file(fname, std::ios::binary);
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    const std::string image{std::istreambuf_iterator<char>(file), {}};
    return load(context, module, image.c_str(), fname, {});
  });
}

CUresult cuModuleUnload(CUmodule hmod) {
  return in_context([&](Context& context) -> CUresult {
    const auto module = state().modules.remove(hmod);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    // Kernels of the module may still run; they keep what they need.
    const auto kernels = state().functions.remove_if(
        [&](const Function& function) { return &function.module() == module.get(); });
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
    *count = static_cast<unsigned>(module.kernels().size());
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int numFunctions,
                                    CUmodule mod) {
  return with_module(mod, [&](Module& module) -> CUresult {
    if (!functions) return CUDA_ERROR_INVALID_VALUE;
    const auto names = module.kernels();
    for (unsigned i = 0; i < std::min<std::size_t>(numFunctions, names.size()); ++i) {
      functions[i] = module.function(names[i]);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  return with_module(hmod, [&](Module& module) -> CUresult {
    if (!name || (!dptr && !bytes)) return CUDA_ERROR_INVALID_VALUE;
    const auto* variable = find_global(module.ir(), name);
    if (!variable) return CUDA_ERROR_NOT_FOUND;
    const heddle::ir::VarId id(static_cast<std::size_t>(variable - module.ir().variables.data()));
    if (dptr) *dptr = module.loaded()->address_of(id);
    if (bytes) *bytes = variable->size;
    return CUDA_SUCCESS;
  });
}
