// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pending invocation of the JIT linker. Driver API 6.10 (cuLinkCreate and what follows it).
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "driver/core/image.h"
#include "driver/core/jit_options.h"

namespace heddle::driver {

class Context;

class Link {
 public:
  Link(Context* context, const JitOptions& options) : context_(context), options_(options) {}

  Context* context() const { return context_; }
  JitOptions& options() { return options_; }

  void add(PtxText text);
  /// Links what was added. On success the image lies in this object until it is destroyed.
  CUresult complete(void** image, std::size_t* size);

 private:
  Context* context_;
  JitOptions options_;
  std::mutex mutex_;
  std::vector<PtxText> texts_;
  std::string image_;
};

}  // namespace heddle::driver
