// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded modules, their kernels, and links in progress. Driver API 6.10, 6.22.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "driver/core/context/context.h"
#include "ir/module.h"
#include "machine/engine.h"

namespace heddle::driver {

class Module;

/// A kernel of a module in a context. Launches under way keep it (and its module) alive.
class Function {
 public:
  Function(std::shared_ptr<Module> module, ir::FunctionId id);

  Context* context() const;
  Module& module() const { return *module_; }
  ir::FunctionId id() const { return id_; }
  const ir::Function& kernel() const;

  /// The kernel made ready for running, on first use. The message says which instruction no engine
  /// runs yet.
  Result<std::shared_ptr<const machine::Program>> program();

  u32 static_shared_bytes() const { return static_shared_; }
  /// Threads per block that a launch may not exceed.
  u32 max_threads() const;

  /// What the launch functions of CUDA 3 and older set.
  struct OldLaunch {
    machine::Dim3 block;
    u32 shared = 0;
    std::vector<u8> params;
  };
  /// Runs `use(launch)` alone.
  template <class Use>
  auto old_launch(Use use) {
    const std::lock_guard lock(mutex_);
    return use(old_launch_);
  }

  /// Attributes that were set for the function itself, as bits; the others are its kernel's.
  std::atomic<u32> set_directly{0};
  std::atomic<bool> has_own_cache_config{false};
  /// Those of the kernel have been applied.
  std::atomic<bool> has_kernel_attributes{false};

  // Settable attributes.
  std::atomic<int> max_dynamic_shared;
  std::atomic<int> carveout{-1};
  std::atomic<int> cache_config{CU_FUNC_CACHE_PREFER_NONE};
  std::atomic<u32> cluster[3]{};  ///< required size; 0: what the kernel's text says
  std::atomic<bool> large_clusters{false};
  std::atomic<int> cluster_scheduling{CU_CLUSTER_SCHEDULING_POLICY_DEFAULT};

 private:
  const std::shared_ptr<Module> module_;
  const ir::FunctionId id_;
  u32 static_shared_ = 0;
  std::mutex mutex_;
  std::shared_ptr<const machine::Program> program_;
  OldLaunch old_launch_;
};
using FunctionPtr = std::shared_ptr<Function>;

class Module : public std::enable_shared_from_this<Module> {
 public:
  /// Places a checked module in memory, for `context`; its handle is in the state's table. With
  /// `first`, its managed variables are those of that place.
  static Result<std::shared_ptr<Module>> load(
      Context& context, std::shared_ptr<const ir::Module> ir, bool of_library = false,
      std::shared_ptr<const machine::Loaded> first = nullptr);

  Context* context() const { return context_; }
  CUmodule handle() const { return handle_; }
  /// Loaded through a library: only the library unloads it.
  bool is_of_library() const { return of_library_; }
  const ir::Module& ir() const { return loaded_->module(); }
  const std::shared_ptr<const machine::Loaded>& loaded() const { return loaded_; }

  /// The handle of the kernel `name`, the same each time; null when there is none.
  CUfunction function(std::string_view name);
  struct VariableInfo {
    machine::AddressRange range;
    bool is_managed;
  };
  /// A .global or .const variable by name; nothing when there is none.
  std::optional<VariableInfo> variable(std::string_view name) const;
  /// The variable that holds `address`; nothing when it is in none of this module.
  std::optional<VariableInfo> variable_at(u64 address) const;
  /// Ends the handles of the module and of its kernels. What runs keeps what it needs.
  void unload();

 private:
  Module(Context* context, std::shared_ptr<const machine::Loaded> loaded, bool of_library)
      : context_(context), of_library_(of_library), loaded_(std::move(loaded)) {}

  Context* context_;
  CUmodule handle_ = nullptr;
  const bool of_library_;
  const std::shared_ptr<const machine::Loaded> loaded_;
  std::mutex mutex_;
  std::map<std::string, CUfunction, std::less<>> functions_;
};
using ModulePtr = std::shared_ptr<Module>;

/// The kernel that a handle means in `context`: a CUfunction, or a CUkernel cast to one, which the
/// first use loads into the context. Null when it means none.
FunctionPtr find_function(Context& context, CUfunction handle);

/// Names of a module's kernels, in the order of the text.
std::vector<std::string> kernel_names(const ir::Module& module);

}  // namespace heddle::driver
