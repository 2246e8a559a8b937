// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JIT linker: the PTX in all inputs becomes one module image. Driver API 6.10.
#include <cstdio>

#include "base/file.h"
#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/module/compile.h"
#include "driver/core/module/link.h"
#include "driver/core/module/tables.h"
#include "image/container.h"

using namespace heddle::driver;

namespace {

template <class Body>
CUresult with_link(CUlinkState handle, Body body) {
  return in_context([&](Context&) -> CUresult {
    const auto link = module_tables().links.find(handle);
    return link ? body(*link) : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult add(Link& link, CUjitInputType type, const std::string& image, std::string_view name,
             heddle::u32 max_registers) {
  switch (type) {
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
      return link.add(image, name, max_registers);
    case CU_JIT_INPUT_CUBIN:
      if (heddle::image::is_container(image)) return link.add(image, name, max_registers);
      return complain(CUDA_ERROR_NO_BINARY_FOR_GPU,
                      std::string(name) + ": machine code of a GPU; Heddle links PTX only",
                      link.options());
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// The options of one input tune its compilation, so they are only checked: the arrays are not null,
// and the options exist.
CUresult check(unsigned count, const CUjit_option* options, void* const* values) {
  if (count && (!options || !values)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options, void** optionValues,
                         CUlinkState* stateOut) {
  return in_context([&](Context& context) -> CUresult {
    if (!stateOut) return CUDA_ERROR_INVALID_VALUE;
    JitOptions jit;
    if (const CUresult bad = jit.parse(numOptions, options, optionValues)) return bad;
    *stateOut = module_tables().links.add(std::make_shared<Link>(&context, jit));
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size,
                          const char* name, unsigned int numOptions, CUjit_option* options,
                          void** optionValues) {
  return with_link(state, [&](Link& link) -> CUresult {
    if (!data || !size) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = check(numOptions, options, optionValues)) return bad;
    const std::string image(static_cast<const char*>(data), size);
    return add(link, type, image, name && *name ? name : "<memory>",
               JitOptions::max_registers(numOptions, options, optionValues));
  });
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path,
                          unsigned int numOptions, CUjit_option* options, void** optionValues) {
  return with_link(state, [&](Link& link) -> CUresult {
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = check(numOptions, options, optionValues)) return bad;
    const auto image = heddle::read_file(path);
    if (!image.ok()) return CUDA_ERROR_FILE_NOT_FOUND;
    return add(link, type, *image, path,
               JitOptions::max_registers(numOptions, options, optionValues));
  });
}

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option* options, void** optionValues,
                      CUlinkState* stateOut) {
  return cuLinkCreate_v2(numOptions, options, optionValues, stateOut);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size,
                       const char* name, unsigned int numOptions, CUjit_option* options,
                       void** optionValues) {
  return cuLinkAddData_v2(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path,
                       unsigned int numOptions, CUjit_option* options, void** optionValues) {
  return cuLinkAddFile_v2(state, type, path, numOptions, options, optionValues);
}

CUresult cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
  return with_link(state, [&](Link& link) -> CUresult {
    return cubinOut ? link.complete(cubinOut, sizeOut) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return in_driver([&]() -> CUresult {
    return heddle::driver::module_tables().links.remove(state) ? CUDA_SUCCESS
                                                               : CUDA_ERROR_INVALID_HANDLE;
  });
}
