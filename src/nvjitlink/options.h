// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of nvJitLinkCreate: words such as "-arch=sm_90" (nvJitLink, "Supported Link
// Options").
#pragma once

#include <span>
#include <string>

#include "base/types.h"
#include "isa/gate.h"
#include "nvjitlink/abi.h"

namespace heddle::nvjitlink {

struct Options {
  isa::Target arch;
  bool is_virtual = false;            ///< -arch=compute_NN
  u32 max_registers = 0;              ///< 0: no limit
  bool contract = true;               ///< false: -Xptxas=-fmad=false
  bool verbose = false;               ///< says what the linked kernels use
  bool assembler_is_verbose = false;  ///< -verbose or -Xptxas=-v: so does the assembler
  bool time = false;
  bool lto = false, ptx = false;
};

/// Options that tune code generation, or that concern LTO-IR alone, are checked and otherwise
/// ignored. On an error, `why` is a sentence.
nvJitLinkResult parse(std::span<const char* const> words, Options& options, std::string& why);

}  // namespace heddle::nvjitlink
