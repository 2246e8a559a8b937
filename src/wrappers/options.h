// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of nvrtcCompileProgram.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"

namespace heddle::wrappers {

/// What the options ask for beside PTX. Heddle makes a container of the PTX in its place.
enum class Asked : u8 {
  ptx,
  machine_code,  ///< of a real architecture
  lto_ir,
};

struct Options {
  std::vector<std::string> words;  ///< as many as were given
  Asked asked = Asked::ptx;
  u32 max_registers = 0;  ///< -maxrregcount; 0: none
};

/// The options with which NVRTC makes PTX in each case: the virtual architecture in the place of a
/// real one, and relocatable code, which LTO-IR always is, in the place of LTO-IR.
Options make_virtual(std::vector<std::string> words);

}  // namespace heddle::wrappers
