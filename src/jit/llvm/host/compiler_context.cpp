// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/host/compiler_context.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "jit/llvm/host/codegen.h"

namespace heddle::jit {
namespace {

/// A context never frees constants and debug locations, so it is discarded after some uses.
constexpr u32 kMostUses = 256;

struct Idle {
  std::mutex mutex;
  std::vector<std::unique_ptr<CompilerContext>> contexts;
};

/// Never destroyed: a thread may still compile when the process ends.
Idle& idle() {
  static Idle* const one = new Idle;
  return *one;
}

}  // namespace

CompilerContext::CompilerContext(const std::string& processor)
    : cpu(processor), target(make_target(processor)) {
  if (target) lanes.emplace(context, *target);
}

CompilerContext::Loan::Loan(const std::string& cpu) {
  {
    const std::lock_guard lock(idle().mutex);
    auto& all = idle().contexts;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one->cpu == cpu; });
    if (found != all.end()) {
      context_ = std::move(*found);
      all.erase(found);
    }
  }
  if (!context_) context_ = std::make_unique<CompilerContext>(cpu);
}

CompilerContext::Loan::~Loan() {
  if (++context_->uses >= kMostUses) return;
  const std::lock_guard lock(idle().mutex);
  idle().contexts.push_back(std::move(context_));
}

}  // namespace heddle::jit
