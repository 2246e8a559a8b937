// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges of addresses that accesses may go to, and addresses of the host for those in them.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "jit/llvm/vector/local_accesses.h"

namespace heddle::jit {

struct Window {
  llvm::Value* base;  ///< null: 0
  llvm::Value* size;
};

class MemoryWindows : Emitter {
 public:
  MemoryWindows(CtaFunction& function, LocalAccesses& local) : Emitter(function), local_(local) {}

  /// The windows of a site: one, or for generic addresses two.
  std::vector<Window> of(const Site& site);
  /// i1: whether `test` of a window holds for one of them.
  llvm::Value* in_a_window(const Site& site,
                           const std::function<llvm::Value*(const Window& window)>& test);
  /// i1, or a vector of them: whether `bytes` bytes from `address`, a multiple of `align`, lie in
  /// the window. Vectors of addresses may have 32 bits, if the window's are such.
  llvm::Value* fits(const Window& window, llvm::Value* address, u64 bytes, u64 align);

  /// The address as one of the host (i64); of local memory the offset, as it is.
  llvm::Value* host_address(const Site& site, llvm::Value* address);
  /// A pointer `bytes` behind a host address, or to shared memory, if the address has 32 bits.
  /// Scalars or vectors.
  llvm::Value* pointer(llvm::Value* address, u64 bytes);
  /// The address as i64, `distance` further. Scalars or vectors.
  llvm::Value* advanced(llvm::Value* address, u64 distance);

 private:
  LocalAccesses& local_;
  std::map<std::tuple<const llvm::Value*, u64, u64>, llvm::Value*> places_;  ///< of fits()
};

}  // namespace heddle::jit
