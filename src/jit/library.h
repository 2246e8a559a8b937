// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exports of libheddle_jit.so.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/module.h"
#include "jit/compiler.h"
#include "jit/context.h"

namespace heddle::jit {

using CompileFunction = void(const Request&, Result<Compiled>&);
using RunPassesFunction = void(const TextRequest&, Result<std::string>&);
using ListPassesFunction = void(std::vector<PassInfo>&);
using KnowsCpuFunction = bool(const std::string&);
inline constexpr const char* kCompileFunction = "heddle_jit_compile";
inline constexpr const char* kRunPassesFunction = "heddle_jit_run_passes";
inline constexpr const char* kListPassesFunction = "heddle_jit_list_passes";
inline constexpr const char* kKnowsCpuFunction = "heddle_jit_knows_cpu";
inline constexpr const char* kVersion = "heddle_jit_version";
inline constexpr const char* kLayout = "heddle_jit_layout";

/// A number for the layout of the objects that pass between program and library. While Heddle is
/// developed, two builds of one version may differ in it, and would not work together.
constexpr u64 layout() {
  u64 digest = 0xcbf29ce484222325;  // FNV-1a
  for (const std::size_t size :
       {sizeof(Context), offsetof(Context, addresses), offsetof(Context, helpers),
        std::size_t{kHelpers}, sizeof(Site), sizeof(Image), sizeof(Request), sizeof(Compiled),
        sizeof(TextRequest), sizeof(PassInfo), sizeof(ir::Module), sizeof(ir::Function),
        sizeof(ir::Inst), sizeof(ir::Operand), sizeof(ir::Parameter), sizeof(ir::Variable),
        sizeof(isa::Form)})
    digest = (digest ^ size) * 0x100000001b3;
  return digest;
}

}  // namespace heddle::jit
