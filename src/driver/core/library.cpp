// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See library.h.
#include "driver/core/library.h"

#include "driver/core/log.h"
#include "driver/core/state.h"

namespace heddle::driver {

CUlibrary Library::create(std::shared_ptr<const ir::Module> ir) {
  std::shared_ptr<Library> library(new Library(std::move(ir)));
  library->handle_ = state().libraries.add(library);
  return library->handle_;
}

ModulePtr Library::module(Context& context) {
  const std::lock_guard lock(mutex_);
  CUmodule& handle = modules_[&context];
  if (auto module = state().modules.find(handle)) return module;
  auto loaded = Module::load(context, ir_, true, first_);
  if (!loaded.ok()) {
    say("{}", loaded.error().message);
    return nullptr;
  }
  if (!first_) first_ = (*loaded)->loaded();
  handle = (*loaded)->handle();
  return *loaded;
}

CUkernel Library::kernel(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;
  const auto* function = ir_->find_function(name);
  if (!function || !function->is_entry) return nullptr;
  const auto handle = state().kernels.add(std::make_shared<Kernel>(shared_from_this(), name));
  kernels_.emplace(name, handle);
  return handle;
}

void Library::unload() {
  state().libraries.remove(handle_);
  state().kernels.remove_if([&](const Kernel& kernel) { return &kernel.library() == this; });
  const std::lock_guard lock(mutex_);
  for (const auto& [context, handle] : modules_) {
    if (const auto module = state().modules.find(handle)) module->unload();
  }
}

FunctionPtr Kernel::function(Context& context) const {
  const auto module = library_->module(context);
  return module ? state().functions.find(module->function(name_)) : nullptr;
}

}  // namespace heddle::driver
