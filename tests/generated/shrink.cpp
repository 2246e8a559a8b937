// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shrink.h"

namespace heddle::generated {
namespace {

class Shrinker {
 public:
  Shrinker(Kernel& kernel, const std::function<bool(const Kernel&)>& fails, u32 tries)
      : kernel_(kernel), fails_(fails), tries_(tries) {}

  /// True when a statement was removed.
  bool pass() {
    bool less = false;
    for (Function& function : kernel_.functions) less |= drop(function.body);
    return less && tries_ > 0;
  }

 private:
  /// Removes statements from the end, because later statements depend on earlier ones: half of
  /// them, a quarter, ... one.
  bool drop(Block& block) {
    bool less = false;
    for (std::size_t size = block.size(); size > 0; size /= 2) {
      for (std::size_t end = block.size(); end >= size && tries_ > 0;) {
        const std::size_t begin = end - size;
        const Block before = block;
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(begin),
                    block.begin() + static_cast<std::ptrdiff_t>(end));
        --tries_;
        if (fails_(kernel_)) {
          less = true;
        } else {
          block = before;
        }
        end = begin;
      }
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      for (std::size_t j = 0; j < block[i].blocks.size(); ++j) less |= drop(block[i].blocks[j]);
    }
    return less;
  }

  Kernel& kernel_;
  const std::function<bool(const Kernel&)>& fails_;
  u32 tries_;
};

}  // namespace

Kernel shrink(Kernel kernel, const std::function<bool(const Kernel&)>& fails, u32 tries) {
  Shrinker shrinker(kernel, fails, tries);
  while (shrinker.pass()) {
  }
  return kernel;
}

}  // namespace heddle::generated
