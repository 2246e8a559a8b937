// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module placed in device memory: its variables have addresses and their initial values, its
// functions have code addresses (5.4.4, 6.4.4), its kernels a shared-memory layout.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "ir/module.h"
#include "ir/shared_layout.h"
#include "machine/memory.h"

namespace heddle::machine {

using ir::SharedLayout;

class Loaded {
 public:
  /// Allocates and initialises the variables. Fails when memory is short, or when a symbol stays
  /// undefined. `first` is the module's place on another device, or null: `.managed` variables are
  /// shared with it, because all devices share one instance of each.
  static Result<std::shared_ptr<const Loaded>> create(
      Memory& memory, std::shared_ptr<const ir::Module> module,
      std::shared_ptr<const Loaded> first = nullptr);
  ~Loaded();
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  const ir::Module& module() const { return *module_; }
  /// The module may outlive its place in memory.
  const std::shared_ptr<const ir::Module>& shared_module() const { return module_; }
  Memory& memory() const { return memory_; }
  /// The region whose shared and local windows this module's address size can reach.
  const Region& region() const;

  /// Address of a .global/.const variable; of one of an opaque type, its handle (isa/texture.h).
  u64 address_of(ir::VarId variable) const { return variable_address_[variable.value]; }
  /// The block that holds all .const variables; size 0 when there are none.
  AddressRange constants() const { return constants_; }
  /// Code address of a function; unique, never dereferenced.
  u64 address_of(ir::FunctionId function) const {
    return code_base_ + kCodeStep * (function.value + 1);
  }
  /// The function at a code address, or none.
  ir::FunctionId function_at(u64 code_address) const;

  /// Functions reachable from `entry` by calls or by having their address taken, `entry` first.
  std::vector<ir::FunctionId> reachable(ir::FunctionId entry) const {
    return ir::callable_functions(*module_, entry);
  }
  /// Computed at the first call; the reference stays valid. Called by every launch.
  const SharedLayout& shared_layout(ir::FunctionId entry) const;

 private:
  static constexpr u64 kCodeStep = 16;
  Loaded(Memory& memory, std::shared_ptr<const ir::Module> module,
         std::shared_ptr<const Loaded> first)
      : memory_(memory), module_(std::move(module)), first_(std::move(first)) {}

  Result<u64> make_handles(const ir::Variable& variable);
  bool is_shared(const ir::Variable& variable) const { return variable.managed && first_; }

  Memory& memory_;
  std::shared_ptr<const ir::Module> module_;
  std::shared_ptr<const Loaded> first_;
  std::vector<u64> variable_address_;
  std::vector<u64> allocations_;
  std::vector<u64> handles_;  ///< of variables of opaque types
  AddressRange constants_;
  u64 code_base_ = 0;
  mutable std::mutex mutex_;
  mutable std::unordered_map<u32, SharedLayout> shared_layouts_;  // by FunctionId
};

}  // namespace heddle::machine
