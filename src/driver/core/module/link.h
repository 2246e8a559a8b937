// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pending invocation of the JIT linker. Driver API 6.10 (cuLinkCreate).
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "driver/core/module/jit_options.h"
#include "image/link_input.h"

namespace heddle::driver {

class Context;

class Link {
 public:
  Link(Context* context, const JitOptions& options) : context_(context), options_(options) {}

  Context* context() const { return context_; }
  JitOptions& options() { return options_; }

  /// Reads an input, and writes errors to the program's log. Driver API 6.10. `max_registers` 0:
  /// the limit of the whole link's options.
  CUresult add(const std::string& bytes, std::string_view name, u32 max_registers);
  /// Links the inputs. On success, this object holds the image until it is destroyed.
  CUresult complete(void** image, std::size_t* size);

 private:
  Context* context_;
  JitOptions options_;
  std::mutex mutex_;
  std::vector<image::LinkUnit> units_;
  std::vector<std::string> left_out_;  ///< members of libraries that have machine code and no PTX
  std::string image_;
};

}  // namespace heddle::driver
