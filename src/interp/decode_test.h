// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the decoder share: a kernel's text, decoded.
#pragma once

#include <memory>
#include <string>

#include "base/check.h"
#include "check/check.h"
#include "interp/program.h"

namespace heddle::interp {

/// The program of the first function of a module.
inline std::shared_ptr<const Interpreted> decode_text(machine::Memory& memory,
                                                      const std::string& text) {
  const check::Compiled compiled = check::compile({{"case", text}});
  HEDDLE_CHECK(compiled.module);
  const std::shared_ptr<const machine::Loaded> loaded =
      *machine::Loaded::create(memory, compiled.module);
  const auto program = decode(loaded, ir::FunctionId(0), best_level());
  HEDDLE_CHECK(program.ok());
  return *program;
}

}  // namespace heddle::interp
