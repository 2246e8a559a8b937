// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the decoder share: a kernel, decoded.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/check.h"
#include "check/check.h"
#include "interp/program.h"

namespace heddle::interp {

/// A kernel with these parameters, whose body begins with `begin` and goes on with the case's.
struct DecodedCase {
  DecodedCase(const char* what, const char* params, const std::string& begin, const char* body)
      : trace_(__FILE__, __LINE__, what) {
    const std::string text = std::string(".version 8.0\n.target sm_90\n.address_size 64\n") +
                             ".visible .entry k(" + params + ") {\n" + begin + body + "\nret;\n}\n";
    const check::Compiled compiled = check::compile({{"case", text}});
    HEDDLE_CHECK(compiled.module);
    const auto loaded = machine::Loaded::create(*memory_, compiled.module);
    HEDDLE_CHECK(loaded.ok());
    const auto decoded = decode(*loaded, ir::FunctionId(0), best_level());
    HEDDLE_CHECK(decoded.ok());
    program_ = *decoded;
  }
  const Code& code() const { return *program_->code_of(ir::FunctionId(0)); }

 private:
  testing::ScopedTrace trace_;  // what fails from here on names the case
  std::unique_ptr<machine::Memory> memory_ = std::move(*machine::Memory::create(u64{1} << 30));
  std::shared_ptr<const Interpreted> program_;
};

}  // namespace heddle::interp
