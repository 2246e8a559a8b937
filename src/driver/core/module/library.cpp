// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See library.h.
#include "driver/core/module/library.h"

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/tables.h"
#include "driver/core/launch/function_attributes.h"
#include "driver/core/log.h"
#include "driver/core/module/module.h"
#include "driver/core/module/tables.h"

namespace heddle::driver {

CUlibrary Library::create(std::shared_ptr<const ir::Module> ir) {
  std::shared_ptr<Library> library(new Library(std::move(ir)));
  library->handle_ = module_tables().libraries.add(library);
  return library->handle_;
}

ModulePtr Library::module(Context& context) {
  const std::lock_guard lock(mutex_);
  CUmodule& handle = modules_[&context];
  if (auto module = module_tables().modules.find(handle)) return module;
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
  const auto handle =
      module_tables().kernels.add(std::make_shared<Kernel>(shared_from_this(), name));
  kernels_.emplace(name, handle);
  return handle;
}

void Library::unload() {
  module_tables().libraries.remove(handle_);
  module_tables().kernels.remove_if(
      [&](const Kernel& kernel) { return &kernel.library() == this; });
  const std::lock_guard lock(mutex_);
  for (const auto& [context, handle] : modules_) {
    if (const auto module = module_tables().modules.find(handle)) module->unload();
  }
}

std::vector<ModulePtr> Library::modules() {
  const std::lock_guard lock(mutex_);
  std::vector<ModulePtr> loaded;
  for (const auto& [context, handle] : modules_) {
    if (auto module = module_tables().modules.find(handle)) loaded.push_back(std::move(module));
  }
  return loaded;
}

FunctionPtr Kernel::function(Context& context) {
  const auto module = library_->module(context);
  auto function = module ? module_tables().functions.find(module->function(name_)) : nullptr;
  if (function && !function->has_kernel_attributes.load()) apply(*function);
  return function;
}

/// Attributes that were set for the function itself stay.
void Kernel::apply(Function& function) {
  const std::lock_guard lock(mutex_);
  function.has_kernel_attributes = true;
  const auto found = wanted_.find(&function.context()->device());
  if (found == wanted_.end()) return;
  for (const auto& [which, value] : found->second.attributes) {
    if (!(function.set_directly >> which & 1)) set_function_attribute(function, which, value);
  }
  if (found->second.cache && !function.has_own_cache_config) {
    function.cache_config = *found->second.cache;
  }
}

void Kernel::apply_on(const Device& device) {
  for (const auto& module : library_->modules()) {
    if (&module->context()->device() != &device) continue;
    if (const auto function = module_tables().functions.find(module->function(name_)))
      apply(*function);
  }
}

/// Runs `use(function)` for the kernel in a context of the device. When there is none, retains the
/// primary context meanwhile.
template <class Use>
CUresult Kernel::on_device(Device& device, Use use) {
  for (const auto& context : context_tables().contexts.all()) {
    if (&context->device() != &device || context->is_destroyed()) continue;
    const auto found = function(*context);
    return found ? use(*found) : CUDA_ERROR_OUT_OF_MEMORY;
  }
  const auto primary = retain_primary(device);
  const auto found = function(*primary);
  const CUresult result = found ? use(*found) : CUDA_ERROR_OUT_OF_MEMORY;
  release_primary(device);
  return result;
}

CUresult Kernel::get(Device& device, CUfunction_attribute which, int& value) {
  {
    const std::lock_guard lock(mutex_);
    const auto& wanted = wanted_[&device].attributes;
    if (const auto found = wanted.find(which); found != wanted.end()) {
      value = found->second;
      return CUDA_SUCCESS;
    }
  }
  return on_device(device,
                   [&](Function& function) { return function_attribute(function, which, value); });
}

CUresult Kernel::set(Device& device, CUfunction_attribute which, int value) {
  const CUresult result = on_device(device, [&](Function& function) {
    int before = 0;
    function_attribute(function, which, before);
    const CUresult tried = set_function_attribute(function, which, value);
    if (function.set_directly >> which & 1) set_function_attribute(function, which, before);
    return tried;
  });
  if (result != CUDA_SUCCESS) return result;
  {
    const std::lock_guard lock(mutex_);
    wanted_[&device].attributes[which] = value;
  }
  apply_on(device);
  return CUDA_SUCCESS;
}

CUresult Kernel::set_cache_config(Device& device, CUfunc_cache config) {
  {
    const std::lock_guard lock(mutex_);
    wanted_[&device].cache = config;
  }
  apply_on(device);
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
