// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wrapper in front of NVRTC, NVIDIA's compiler for CUDA C++, a library that works without a
// GPU. Asked for a real architecture (-arch=sm_90) it makes machine code, and with -dlto LTO-IR.
// Heddle runs PTX: see nvrtc.h. All other functions are the vendor's.
#include "wrappers/nvrtc.h"
#include "wrappers/vendor.h"

namespace {

using namespace heddle::wrappers;

// Never destroyed: a program may call NVRTC while it exits.
Programs& programs() {
  static Programs* const all = [] {
    const VendorLibrary library(HEDDLE_REAL);
    Nvrtc nvrtc;
    library.find("nvrtcCreateProgram", nvrtc.create);
    library.find("nvrtcDestroyProgram", nvrtc.destroy);
    library.find("nvrtcCompileProgram", nvrtc.compile);
    library.find("nvrtcGetPTXSize", nvrtc.ptx_size);
    library.find("nvrtcGetPTX", nvrtc.ptx);
    library.find("nvrtcGetCUBINSize", nvrtc.cubin_size);
    library.find("nvrtcGetCUBIN", nvrtc.cubin);
    library.find("nvrtcGetLTOIRSize", nvrtc.lto_ir_size);
    library.find("nvrtcGetLTOIR", nvrtc.lto_ir);
    return new Programs(nvrtc);
  }();
  return *all;
}

}  // namespace

#define HEDDLE_API extern "C" __attribute__((visibility("default"))) Result

HEDDLE_API nvrtcCreateProgram(Program* program, const char* source, const char* name, int count,
                              const char* const* headers, const char* const* includes) {
  return programs().create(program, source, name, count, headers, includes);
}
HEDDLE_API nvrtcDestroyProgram(Program* program) { return programs().destroy(program); }
HEDDLE_API nvrtcCompileProgram(Program program, int count, const char* const* options) {
  return programs().compile(program, count, options);
}
HEDDLE_API nvrtcGetCUBINSize(Program program, std::size_t* size) {
  return programs().size(Asked::machine_code, program, size);
}
HEDDLE_API nvrtcGetCUBIN(Program program, char* cubin) {
  return programs().output(Asked::machine_code, program, cubin);
}
HEDDLE_API nvrtcGetLTOIRSize(Program program, std::size_t* size) {
  return programs().size(Asked::lto_ir, program, size);
}
HEDDLE_API nvrtcGetLTOIR(Program program, char* lto_ir) {
  return programs().output(Asked::lto_ir, program, lto_ir);
}
