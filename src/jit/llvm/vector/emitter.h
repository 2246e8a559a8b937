// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all emitters have: the function under construction, and short names for its parts.
#pragma once

#include "jit/llvm/vector/cta_function.h"

namespace heddle::jit {

class Emitter {
 protected:
  using Block = llvm::BasicBlock;

  explicit Emitter(CtaFunction& function)
      : function_(function),
        builder_(function.builder),
        shapes_(function.shapes),
        masks_(function.masks),
        halves_(function.halves) {}

  Block* new_block(const llvm::Twine& name) { return function_.new_block(name); }
  void go_to(Block* block) { function_.go_to(block); }
  llvm::Value* splat(llvm::Value* value) { return jit::splat(builder_, value); }
  llvm::Value* record_of(const std::vector<llvm::Value*>& parts) {
    return jit::record_of(builder_, parts);
  }
  const Site& site_of(const llvm::CallInst& call) const {
    return jit::site_of(call, function_.kernel.sites);
  }

  CtaFunction& function_;
  llvm::IRBuilder<>& builder_;
  const Shapes& shapes_;
  const Masks& masks_;
  const unsigned halves_;
};

}  // namespace heddle::jit
