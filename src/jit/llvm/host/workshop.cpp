// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/host/workshop.h"

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
  std::vector<std::unique_ptr<Workshop>> workshops;
};

/// Never destroyed: a thread may still compile when the process ends.
Idle& idle() {
  static Idle* const one = new Idle;
  return *one;
}

}  // namespace

Workshop::Workshop(const std::string& processor) : cpu(processor), target(make_target(processor)) {
  if (target) lanes.emplace(context, *target);
}

Workshop::Loan::Loan(const std::string& cpu) {
  {
    const std::lock_guard lock(idle().mutex);
    auto& all = idle().workshops;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& workshop) { return workshop->cpu == cpu; });
    if (found != all.end()) {
      workshop_ = std::move(*found);
      all.erase(found);
    }
  }
  if (!workshop_) workshop_ = std::make_unique<Workshop>(cpu);
}

Workshop::Loan::~Loan() {
  if (++workshop_->uses >= kMostUses) return;
  const std::lock_guard lock(idle().mutex);
  idle().workshops.push_back(std::move(workshop_));
}

}  // namespace heddle::jit
