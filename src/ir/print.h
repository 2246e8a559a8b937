// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resolved module as text: for traps, dumps and tests.
#pragma once

#include <string>

#include "ir/module.h"

namespace heddle::ir {

/// Opcode and modifiers in canonical order: "ld.global.v2.u32".
std::string mnemonic(const Inst& inst);

/// One instruction with its operands, names as declared.
std::string print(const Module& module, const Function& function, const Inst& inst);

/// The whole module; for `heddle check --dump=ir` and tests.
std::string print(const Module& module);

}  // namespace heddle::ir
