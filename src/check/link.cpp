// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several modules become one (PTX ISA 11.6): `.extern` names find their definition, a strong
// definition wins over weak ones, common variables of one name are one variable of the largest
// size. Everything that is not visible outside stays apart.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "check/check.h"

namespace heddle::check {
namespace {

using ir::Linkage;

bool is_global(Linkage linkage) { return linkage != Linkage::internal; }

/// How strongly a declaration claims its name.
int strength(Linkage linkage, bool defined) {
  if (linkage == Linkage::external || !defined) return 0;
  if (linkage == Linkage::common) return 1;
  return linkage == Linkage::weak ? 2 : 3;
}

class Linker {
 public:
  explicit Linker(diag::Report& report) : report_(report), out_(std::make_shared<ir::Module>()) {}

  std::shared_ptr<ir::Module> run(const std::vector<std::shared_ptr<const ir::Module>>& modules) {
    out_->name = modules[0]->name;
    out_->address_size = modules[0]->address_size;
    for (const auto& module : modules) {
      if (module->address_size != out_->address_size) {
        report_.add(diag::Kind::different_address_sizes, {}, module->name, module->address_size,
                    out_->name, out_->address_size);
        return out_;
      }
      out_->version = std::max(out_->version, module->version);
      for (const isa::Target target : module->targets) {
        if (std::find(out_->targets.begin(), out_->targets.end(), target) == out_->targets.end()) {
          out_->targets.push_back(target);
        }
      }
      out_->texmode_independent |= module->texmode_independent;
      out_->map_f64_to_f32 |= module->map_f64_to_f32;
    }
    for (const auto& module : modules) place_symbols(*module);
    for (std::size_t i = 0; i < modules.size(); ++i) copy(*modules[i], maps_[i]);
    ir::resolve_aliases(*out_);
    return out_;
  }

 private:
  struct Map {
    std::vector<u32> variables, functions;
  };

  /// Chooses the output id of every variable and function of one module, and remembers who defines
  /// it.
  void place_symbols(const ir::Module& module) {
    Map map;
    for (const ir::Variable& variable : module.variables) {
      map.variables.push_back(place(variable.name, variable.linkage,
                                    variable.linkage != Linkage::external, module.name, variables_,
                                    variable_owners_));
    }
    for (const ir::Function& function : module.functions) {
      bool aliased = false;
      for (const auto& [alias, aliasee] : module.aliases)
        aliased |= &module.functions[alias.value] == &function;
      // A function without a body is a declaration even when it does not say .extern.
      const bool global = is_global(function.linkage) || !function.has_body;
      map.functions.push_back(place(
          function.name,
          global ? (function.has_body ? function.linkage : Linkage::external) : Linkage::internal,
          function.has_body || aliased, module.name, functions_, function_owners_));
    }
    maps_.push_back(std::move(map));
  }

  struct Owner {
    std::string module;
    int strength = -1;
    u64 order = 0;  ///< position in the input that defines it
  };

  u32 place(const std::string& name, Linkage linkage, bool defined, const std::string& module,
            std::unordered_map<std::string, u32>& known, std::vector<Owner>& owners) {
    const u64 order = next_order_++;
    if (!is_global(linkage)) {
      owners.push_back({module, 4, order});
      return static_cast<u32>(owners.size() - 1);
    }
    const auto [it, fresh] = known.try_emplace(name, static_cast<u32>(owners.size()));
    if (fresh) owners.emplace_back();
    Owner& owner = owners[it->second];
    const int mine = strength(linkage, defined);
    if (mine == 3 && owner.strength == 3) {
      report_.add(diag::Kind::duplicate_definition, {}, name, owner.module, module);
    }
    if (mine > owner.strength) owner = {module, mine, order};
    return it->second;
  }

  void copy(const ir::Module& module, const Map& map) {
    out_->variables.resize(variable_owners_.size());
    out_->functions.resize(function_owners_.size());
    const u32 file_base = static_cast<u32>(out_->files.size());
    out_->files.insert(out_->files.end(), module.files.begin(), module.files.end());
    for (std::size_t i = 0; i < module.variables.size(); ++i) {
      const u64 order = next_copy_++;
      ir::Variable& to = out_->variables[map.variables[i]];
      const ir::Variable& from = module.variables[i];
      if (from.linkage == Linkage::common) to.size = std::max(to.size, from.size);
      if (variable_owners_[map.variables[i]].order != order) continue;
      const u64 size = std::max(from.linkage == Linkage::common ? to.size : 0, from.size);
      to = from;
      to.size = size;
      for (ir::Relocation& relocation : to.relocations) {
        relocation.symbol = relocation.is_function ? map.functions[relocation.symbol]
                                                   : map.variables[relocation.symbol];
      }
    }
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      const u64 order = next_copy_++;
      if (function_owners_[map.functions[i]].order != order) continue;
      ir::Function& to = out_->functions[map.functions[i]];
      to = module.functions[i];
      for (ir::Operand& operand : to.operands) {
        if (operand.kind == ir::OperandKind::variable) operand.id = map.variables[operand.id];
        if (operand.kind == ir::OperandKind::function) operand.id = map.functions[operand.id];
      }
      for (ir::TargetList& list : to.target_lists) {
        for (ir::FunctionId& id : list.functions) id = ir::FunctionId(map.functions[id.value]);
      }
      for (ir::VarId& id : to.shared_used) id = ir::VarId(map.variables[id.value]);
      for (ir::Inst& inst : to.insts) {
        if (inst.at.loc_file) inst.at.loc_file = ir::FileId(inst.at.loc_file.value + file_base);
      }
    }
    for (const auto& [alias, aliasee] : module.aliases) {
      out_->aliases.emplace_back(map.functions[alias.value], map.functions[aliasee.value]);
    }
  }

  diag::Report& report_;
  std::shared_ptr<ir::Module> out_;
  std::vector<Map> maps_;
  std::unordered_map<std::string, u32> variables_, functions_;
  std::vector<Owner> variable_owners_, function_owners_;
  u64 next_order_ = 0, next_copy_ = 0;  // both walk the inputs in the same order
};

}  // namespace

std::shared_ptr<ir::Module> link(const std::vector<std::shared_ptr<const ir::Module>>& modules,
                                 diag::Report& report) {
  return Linker(report).run(modules);
}

}  // namespace heddle::check
