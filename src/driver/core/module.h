// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded modules, their kernels, and links in progress. Driver API 6.10, 6.22.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/core/context.h"
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

  // Settable attributes.
  std::atomic<int> max_dynamic_shared;
  std::atomic<int> carveout{-1};
  std::atomic<int> cache_config{CU_FUNC_CACHE_PREFER_NONE};

 private:
  const std::shared_ptr<Module> module_;
  const ir::FunctionId id_;
  u32 static_shared_ = 0;
  std::mutex mutex_;
  std::shared_ptr<const machine::Program> program_;
};
using FunctionPtr = std::shared_ptr<Function>;

class Module : public std::enable_shared_from_this<Module> {
 public:
  Module(Context* context, std::shared_ptr<const machine::Loaded> loaded)
      : context_(context), loaded_(std::move(loaded)) {}

  Context* context() const { return context_; }
  CUmodule handle() const { return handle_; }
  void set_handle(CUmodule handle) { handle_ = handle; }
  const ir::Module& ir() const { return loaded_->module(); }
  const std::shared_ptr<const machine::Loaded>& loaded() const { return loaded_; }

  /// The handle of the kernel `name`, the same each time; null when there is none.
  CUfunction function(std::string_view name);
  /// Names of the kernels, in the order of the text.
  std::vector<std::string> kernels() const;

 private:
  Context* context_;
  CUmodule handle_ = nullptr;
  const std::shared_ptr<const machine::Loaded> loaded_;
  std::mutex mutex_;
  std::map<std::string, CUfunction, std::less<>> functions_;
};
using ModulePtr = std::shared_ptr<Module>;

}  // namespace heddle::driver
