// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/loaded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace heddle::machine {
namespace {

bool in_device_memory(const ir::Variable& variable) {
  return variable.space == ir::Space::global || variable.space == ir::Space::constant;
}

bool is_opaque(const ir::Variable& variable) {
  return isa::type_info(variable.type).cls == isa::TypeClass::opaque;
}

TextureObject::Kind kind_of(isa::Type type) {
  return type == isa::Type::texref       ? TextureObject::Kind::texture
         : type == isa::Type::samplerref ? TextureObject::Kind::sampler
                                         : TextureObject::Kind::surface;
}

/// Writes `relocation.size` low bytes of `address >> shift` at the variable's image.
void relocate(u8* image, const ir::Relocation& relocation, u64 address) {
  const u64 value = (address + static_cast<u64>(relocation.addend)) >> relocation.shift;
  std::memcpy(image + relocation.offset, &value, relocation.size);
}

}  // namespace

Result<std::shared_ptr<const Loaded>> Loaded::create(Memory& memory,
                                                     std::shared_ptr<const ir::Module> module,
                                                     std::shared_ptr<const Loaded> first) {
  std::shared_ptr<Loaded> loaded(new Loaded(memory, std::move(module), std::move(first)));
  const ir::Module& ir = *loaded->module_;
  const bool low = ir.address_size == 32;
  if (low && memory.low().all.size == 0) {
    return Error{
        "this process has no free address range below 4 GiB, which a module with 32-bit addresses "
        "needs"};
  }
  for (const ir::Variable& variable : ir.variables) {
    // An external variable with a size is its own definition, with zeros (see check::link()).
    if (variable.linkage == ir::Linkage::external && in_device_memory(variable) && !variable.size) {
      return Error{
          fmt::format("undefined symbol '{}': declared .extern and defined in no linked module",
                      variable.name)};
    }
  }
  // Each global variable has its own allocation, so that a stray index hits a guard page and not
  // another variable. The constants lie together: `isspacep.const` tests for their window.
  loaded->variable_address_.assign(ir.variables.size(), 0);
  u64 constant_bytes = 0;
  for (std::size_t i = 0; i < ir.variables.size(); ++i) {
    const ir::Variable& variable = ir.variables[i];
    if (variable.space == ir::Space::constant) {
      constant_bytes = round_up(constant_bytes, std::max<u32>(variable.align, 1));
      loaded->variable_address_[i] = constant_bytes;  // offset in the block, for now
      constant_bytes += variable.size;
    } else if (loaded->is_shared(variable)) {
      loaded->variable_address_[i] = loaded->first_->variable_address_[i];
    } else if (is_opaque(variable)) {
      const auto handle = loaded->make_handles(variable);
      if (!handle.ok()) return handle.error();
      loaded->variable_address_[i] = *handle;
    } else if (variable.space == ir::Space::global) {
      const auto address = memory.allocate(std::max<u64>(variable.size, 1), variable.align, low);
      if (!address.ok())
        return Error{fmt::format("variable '{}': {}", variable.name, address.error().message)};
      loaded->allocations_.push_back(*address);
      loaded->variable_address_[i] = *address;
    }
  }
  if (constant_bytes) {
    const auto block = memory.allocate(constant_bytes, 256, low);
    if (!block.ok()) return Error{fmt::format("constant memory: {}", block.error().message)};
    loaded->allocations_.push_back(*block);
    loaded->constants_ = {*block, constant_bytes};
    for (std::size_t i = 0; i < ir.variables.size(); ++i) {
      if (ir.variables[i].space == ir::Space::constant) loaded->variable_address_[i] += *block;
    }
  }
  const auto code = memory.allocate(kCodeStep * (ir.functions.size() + 1), 256, low);
  if (!code.ok()) return code.error();
  loaded->allocations_.push_back(*code);
  loaded->code_base_ = *code;

  for (std::size_t i = 0; i < ir.variables.size(); ++i) {
    const ir::Variable& variable = ir.variables[i];
    if (!in_device_memory(variable) || loaded->is_shared(variable) || is_opaque(variable)) continue;
    u8* image = reinterpret_cast<u8*>(loaded->variable_address_[i]);
    if (!variable.init.empty())
      std::memcpy(image, variable.init.data(), std::min<u64>(variable.init.size(), variable.size));
    for (const ir::Relocation& relocation : variable.relocations) {
      // A global's own address and its generic address are the same number here.
      relocate(image, relocation,
               relocation.is_function ? loaded->address_of(ir::FunctionId(relocation.symbol))
                                      : loaded->variable_address_[relocation.symbol]);
    }
  }
  return std::shared_ptr<const Loaded>(std::move(loaded));
}

/// The handle of the first element of the variable: the program binds memory to it.
Result<u64> Loaded::make_handles(const ir::Variable& variable) {
  const TextureObject object{.kind = kind_of(variable.type), .name = variable.name};
  const u64 count = std::max<u64>(variable.size / isa::TextureHandles::kStep, 1);
  const u64 first = memory_.textures().add(object, module_->address_size == 32, count);
  if (!first)
    return Error{fmt::format("variable '{}': there are too many textures", variable.name)};
  for (u64 i = 0; i < count; ++i) {
    handles_.push_back(first + i * isa::TextureHandles::kStep);
    if (i >= variable.samplers.size()) continue;
    TextureObject initialised = object;
    initialised.sampler = variable.samplers[i];
    memory_.textures().set(handles_.back(), initialised);
  }
  return first;
}

Loaded::~Loaded() {
  for (const u64 handle : handles_) memory_.textures().remove(handle);
  for (const u64 address : allocations_) memory_.release(address);
}

const Region& Loaded::region() const {
  return module_->address_size == 32 ? memory_.low() : memory_.high();
}

ir::FunctionId Loaded::function_at(u64 code_address) const {
  const u64 offset = code_address - code_base_;
  if (offset % kCodeStep || offset < kCodeStep || offset > kCodeStep * module_->functions.size())
    return {};
  return ir::FunctionId(offset / kCodeStep - 1);
}

const SharedLayout& Loaded::shared_layout(ir::FunctionId entry) const {
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = shared_layouts_.try_emplace(entry.value);
  if (fresh) at->second = ir::lay_out_shared(*module_, entry);
  return at->second;
}

}  // namespace heddle::machine
