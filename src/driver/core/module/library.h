// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries: code that is loaded once and used in any context. Driver API 6.12. The first use of a
// library in a context loads a module there.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "driver/core/module/module.h"

namespace heddle::driver {

class Kernel;

class Library : public std::enable_shared_from_this<Library> {
 public:
  static CUlibrary create(std::shared_ptr<const ir::Module> ir);

  const ir::Module& ir() const { return *ir_; }
  CUlibrary handle() const { return handle_; }

  /// The library's module in `context`; null, with the reason on stderr, when memory is short.
  ModulePtr module(Context& context);
  /// The handle of the kernel `name`, the same each time; null when there is none.
  CUkernel kernel(const std::string& name);
  /// The library's loaded modules.
  std::vector<ModulePtr> modules();
  /// Removes the handles of the library, its kernels, and its modules in all contexts.
  void unload();

 private:
  explicit Library(std::shared_ptr<const ir::Module> ir) : ir_(std::move(ir)) {}

  const std::shared_ptr<const ir::Module> ir_;
  CUlibrary handle_ = nullptr;
  std::mutex mutex_;
  std::map<const Context*, CUmodule> modules_;    // stale once the context has been destroyed
  std::shared_ptr<const machine::Loaded> first_;  // holds the managed variables
  std::map<std::string, CUkernel> kernels_;
};

/// A kernel of a library, independent of contexts.
class Kernel {
 public:
  Kernel(std::shared_ptr<Library> library, std::string name)
      : library_(std::move(library)), name_(std::move(name)) {}

  Library& library() const { return *library_; }
  const std::string& name() const { return name_; }
  /// The kernel in `context`, loaded there on first use.
  FunctionPtr function(Context& context);

  // Attributes on a device, for all its present and future contexts.
  CUresult get(Device& device, CUfunction_attribute which, int& value);
  CUresult set(Device& device, CUfunction_attribute which, int value);
  CUresult set_cache_config(Device& device, CUfunc_cache config);

 private:
  struct Wanted {
    std::map<CUfunction_attribute, int> attributes;
    std::optional<CUfunc_cache> cache;
  };
  void apply(Function& function);
  void apply_on(const Device& device);
  template <class Use>
  CUresult on_device(Device& device, Use use);

  const std::shared_ptr<Library> library_;
  const std::string name_;
  std::mutex mutex_;
  std::map<const Device*, Wanted> wanted_;
};

}  // namespace heddle::driver
