// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See module.h.
#include "driver/core/module/module.h"

#include <algorithm>
#include <iterator>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/module/library.h"
#include "driver/core/module/tables.h"
#include "driver/core/process.h"
#include "driver/core/texture/reference.h"
#include "driver/core/texture/tables.h"

namespace heddle::driver {
namespace {

u64 volume(const std::array<u32, 3>& extent) {
  return u64{extent[0]} * std::max(extent[1], 1u) * std::max(extent[2], 1u);
}

}  // namespace

Function::Function(ModulePtr module, ir::FunctionId id)
    : module_(std::move(module)),
      id_(id),
      static_shared_(module_->loaded()->shared_layout(id).static_bytes) {
  // A kernel that does not opt in may use the shared memory that every device has (CUDA guide, 48
  // KiB).
  const auto all = context()->device().profile.shared_per_block;
  max_dynamic_shared = static_cast<int>(all > static_shared_ ? all - static_shared_ : 0);
}

Context* Function::context() const { return module_->context(); }

const ir::Function& Function::kernel() const { return module_->ir().functions[id_.value]; }

Result<std::shared_ptr<const machine::Program>> Function::program() {
  const std::lock_guard lock(mutex_);
  if (!program_) {
    auto made = context()->device().engine->prepare(module_->loaded(), id_);
    if (!made.ok()) return made.error();
    program_ = std::move(*made);
  }
  return program_;
}

u32 Function::max_threads() const {
  u64 most = context()->device().profile.max_threads_per_block;
  for (const auto& limit : {kernel().max_ntid, kernel().req_ntid}) {
    if (limit[0]) most = std::min(most, volume(limit));
  }
  return static_cast<u32>(most);
}

Result<ModulePtr> Module::load(Context& context, std::shared_ptr<const ir::Module> ir,
                               bool of_library, std::shared_ptr<const machine::Loaded> first) {
  auto loaded = machine::Loaded::create(device_memory(), std::move(ir), std::move(first));
  if (!loaded.ok()) return loaded.error();
  ModulePtr module(new Module(&context, std::move(*loaded), of_library));
  module->handle_ = module_tables().modules.add(module);
  return module;
}

CUfunction Module::function(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
  const auto& all = ir().functions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is_entry || all[i].name != name) continue;
    const auto handle = module_tables().functions.add(
        std::make_shared<Function>(shared_from_this(), ir::FunctionId(i)));
    functions_.emplace(name, handle);
    return handle;
  }
  return nullptr;
}

std::optional<Module::VariableInfo> Module::variable(std::string_view name) const {
  const auto* found = ir().find_variable(name);
  if (!found || (found->space != ir::Space::global && found->space != ir::Space::constant)) {
    return std::nullopt;
  }
  const ir::VarId id(static_cast<std::size_t>(found - ir().variables.data()));
  return VariableInfo{{loaded_->address_of(id), found->size}, found->managed};
}

std::optional<Module::VariableInfo> Module::variable_at(u64 address) const {
  const auto& variables = ir().variables;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto space = variables[i].space;
    if (space != ir::Space::global && space != ir::Space::constant) continue;
    const machine::AddressRange range{loaded_->address_of(ir::VarId(i)), variables[i].size};
    if (range.contains(address)) return VariableInfo{range, variables[i].managed};
  }
  return std::nullopt;
}

template <class Kind, class Handle>
Handle Module::reference(Table<Handle, Kind>& table, isa::Type type, std::string_view name) {
  const auto* const found = ir().find_variable(name);
  if (!found || found->type != type || found->space != ir::Space::global) return nullptr;
  const ir::VarId id(static_cast<std::size_t>(found - ir().variables.data()));
  const auto handle = reinterpret_cast<Handle>(loaded_->address_of(id));
  const std::lock_guard lock(mutex_);
  if (table.find(handle)) return handle;
  auto made = std::make_shared<Kind>(*context_, loaded_->address_of(id));
  table.add(handle, made);
  references_.push_back(std::move(made));
  has_references_ = true;
  return handle;
}

CUtexref Module::texture_reference(std::string_view name) {
  return reference(texture_tables().texture_references, isa::Type::texref, name);
}

CUsurfref Module::surface_reference(std::string_view name) {
  return reference(texture_tables().surface_references, isa::Type::surfref, name);
}

CUresult Module::publish_references() {
  if (!has_references_) return CUDA_SUCCESS;
  std::vector<std::shared_ptr<Reference>> changed;
  {
    const std::lock_guard lock(mutex_);
    std::ranges::copy_if(references_, std::back_inserter(changed),
                         [](const auto& each) { return each->has_changed(); });
  }
  if (changed.empty()) return CUDA_SUCCESS;
  if (const CUresult error = context_->synchronize()) return error;
  for (const auto& each : changed) {
    if (const CUresult bad = each->publish()) return bad;
  }
  return CUDA_SUCCESS;
}

void Module::unload() {
  module_tables().modules.remove(handle_);
  {
    const std::lock_guard lock(mutex_);
    const auto is_mine = [&](const Reference& reference) {
      return std::ranges::any_of(references_,
                                 [&](const auto& each) { return each.get() == &reference; });
    };
    texture_tables().texture_references.remove_if(is_mine);
    texture_tables().surface_references.remove_if(is_mine);
  }
  module_tables().functions.remove_if(
      [&](const Function& function) { return &function.module() == this; });
}

FunctionPtr find_function(Context& context, CUfunction handle) {
  if (auto function = module_tables().functions.find(handle)) return function;
  const auto kernel = module_tables().kernels.find(reinterpret_cast<CUkernel>(handle));
  return kernel ? kernel->function(context) : nullptr;
}

std::vector<std::string> kernel_names(const ir::Module& module) {
  std::vector<std::string> names;
  for (const auto& function : module.functions) {
    if (function.is_entry) names.push_back(function.name);
  }
  return names;
}

}  // namespace heddle::driver
