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
#include "driver/core/table.h"
#include "ir/module.h"
#include "machine/engine.h"

namespace heddle::driver {

class Module;
class Reference;

/// A kernel of a module in a context. Launches under way keep the function and its module alive.
class Function {
 public:
  Function(std::shared_ptr<Module> module, ir::FunctionId id);

  Context* context() const;
  Module& module() const { return *module_; }
  ir::FunctionId id() const { return id_; }
  const ir::Function& kernel() const;

  /// The kernel's program, which the first use makes. The error message names a call that no engine
  /// can make.
  Result<std::shared_ptr<const machine::Program>> program();

  u32 static_shared_bytes() const { return static_shared_; }
  /// Threads per block that a launch may not exceed.
  u32 max_threads() const;

  /// The parameters of a launch with the functions of CUDA 3 and older.
  struct OldLaunch {
    machine::Dim3 block;
    u32 shared = 0;
    std::vector<u8> params;
  };
  /// Runs `use(launch)` under the lock.
  template <class Use>
  auto old_launch(Use use) {
    const std::lock_guard lock(mutex_);
    return use(old_launch_);
  }

  /// Attributes that were set for the function itself, as bits. The other attributes are those of
  /// its kernel.
  std::atomic<u32> set_directly{0};
  std::atomic<bool> has_own_cache_config{false};
  /// Whether the attributes of the kernel have been applied.
  std::atomic<bool> has_kernel_attributes{false};

  // Settable attributes.
  std::atomic<int> max_dynamic_shared;
  std::atomic<int> carveout{-1};
  std::atomic<int> cache_config{CU_FUNC_CACHE_PREFER_NONE};
  std::atomic<u32> cluster[3]{};  ///< required size; 0: that of the kernel's text
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
  /// Loads a checked module for `context`, and makes its handle in module_tables(). With `first`,
  /// the module shares the managed variables of that load.
  static Result<std::shared_ptr<Module>> load(
      Context& context, std::shared_ptr<const ir::Module> ir, bool of_library = false,
      std::shared_ptr<const machine::Loaded> first = nullptr);

  Context* context() const { return context_; }
  CUmodule handle() const { return handle_; }
  /// Whether the module belongs to a library, which alone may unload it.
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
  /// The variable that holds `address`; nothing when no variable of this module does.
  std::optional<VariableInfo> variable_at(u64 address) const;
  /// The handle of the .texref or .surfref variable `name`, the same each time; null when there is
  /// none.
  CUtexref texture_reference(std::string_view name);
  CUsurfref surface_reference(std::string_view name);
  /// Makes what the program set for references visible to kernels, after all earlier work of the
  /// context. CUDA_ERROR_INVALID_VALUE, with the reason on stderr, when settings do not fit
  /// together. Does nothing when nothing has changed.
  CUresult publish_references();
  /// Removes the handles of the module, of its references and of its kernels. Launches under way
  /// keep the module alive.
  void unload();

 private:
  Module(Context* context, std::shared_ptr<const machine::Loaded> loaded, bool of_library)
      : context_(context), of_library_(of_library), loaded_(std::move(loaded)) {}

  template <class Kind, class Handle>
  Handle reference(Table<Handle, Kind>& table, isa::Type type, std::string_view name);

  Context* context_;
  CUmodule handle_ = nullptr;
  const bool of_library_;
  const std::shared_ptr<const machine::Loaded> loaded_;
  std::mutex mutex_;
  std::map<std::string, CUfunction, std::less<>> functions_;
  std::atomic<bool> has_references_{false};
  std::vector<std::shared_ptr<Reference>> references_;
};
using ModulePtr = std::shared_ptr<Module>;

/// The function of a handle in `context`. The handle is a CUfunction, or a CUkernel cast to one,
/// whose first use loads it into the context. Null when there is no such function.
FunctionPtr find_function(Context& context, CUfunction handle);

/// The names of a module's kernels, in the order of the text.
std::vector<std::string> kernel_names(const ir::Module& module);

}  // namespace heddle::driver
