// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several modules become one (PTX ISA 11.6): `.extern` names find their definition, a strong
// definition wins over weak ones, common variables of one name are one variable of the largest
// size. Names that are not visible outside of a module stay separate.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "check/check.h"
#include "check/link.h"
#include "check/module_checker.h"

namespace heddle::check {
namespace {

using ir::Linkage;

bool is_global(Linkage linkage) { return linkage != Linkage::internal; }

/// The priority of a declaration among declarations of one name.
int strength(Linkage linkage, bool defined, bool overrides) {
  if (linkage == Linkage::external || !defined) return 0;
  if (overrides) return 4;
  if (linkage == Linkage::common) return 1;
  return linkage == Linkage::weak ? 2 : 3;
}

// The properties that must agree between declarations of one name, as text. Types of the same size
// and class count as equal.
std::string describe(const ir::Variable& variable) {
  const std::string_view space = variable.space == ir::Space::constant ? "const"
                                 : variable.space == ir::Space::shared ? "shared"
                                                                       : "global";
  return fmt::format("a .{} variable{}", space, variable.managed ? " with .managed" : "");
}
std::string describe(const ir::Parameter& parameter) {
  const isa::TypeInfo& type = isa::type_info(parameter.type);
  const int bytes = std::max(1, type.bits / 8);
  if (parameter.unsized) return fmt::format("any number of {} bytes", bytes);
  if (parameter.is_array) return fmt::format("{} times {} bytes", parameter.size / bytes, bytes);
  return fmt::format("{} bytes{}", parameter.size,
                     type.cls == isa::TypeClass::float_ ? " of float" : "");
}
std::string describe(const std::vector<ir::Parameter>& parameters) {
  std::string list;
  for (const ir::Parameter& parameter : parameters)
    list += (list.empty() ? "" : ", ") + describe(parameter);
  return list.empty() ? "nothing" : list;
}
std::string describe(const ir::Function& function) {
  return fmt::format("a {} that takes {} and returns {}", function.is_entry ? "kernel" : "function",
                     describe(function.signature.params), describe(function.signature.returns));
}

/// A name that several modules declare: its declarations so far.
struct Symbol {
  bool is_function = false;
  u32 id = 0;  ///< index into the variables or functions of the result
  Span first;  ///< declaration
  std::string description;
  u64 size = 0;  ///< of a variable, from declarations that give one
  Span size_at;
  bool common = false;  ///< all declarations with a size are .common
};

/// The module that defines a variable or function of the result.
struct Owner {
  int strength = -1;
  u64 order = 0;  ///< position in the input
  Span span;
};

class Linker {
 public:
  explicit Linker(diag::Report& report) : report_(report), out_(std::make_shared<ir::Module>()) {}

  std::shared_ptr<ir::Module> run(std::span<const Part> parts) {
    const ir::Module& first = *parts[0].module;
    out_->name = first.name;
    out_->address_size = first.address_size;
    for (const Part& part : parts) {
      const ir::Module& module = *part.module;
      if (module.address_size != out_->address_size) {
        report_.add(diag::Kind::different_address_sizes, {part.base, part.base},
                    module.address_size, out_->name, out_->address_size);
        return out_;
      }
      out_->version = std::max(out_->version, module.version);
      for (const isa::Target target : module.targets) {
        if (std::find(out_->targets.begin(), out_->targets.end(), target) == out_->targets.end()) {
          out_->targets.push_back(target);
        }
      }
      out_->texmode_independent |= module.texmode_independent;
      out_->map_f64_to_f32 |= module.map_f64_to_f32;
    }
    for (const Part& part : parts) place_symbols(part);
    for (std::size_t i = 0; i < parts.size(); ++i) copy(parts[i], maps_[i]);
    ir::resolve_aliases(*out_);
    ir::size_open_parameters(*out_);
    return out_;
  }

 private:
  struct Map {
    std::vector<u32> variables, functions;
  };

  /// Chooses the output id of every variable and function of one module, and remembers which module
  /// defines it.
  void place_symbols(const Part& part) {
    const ir::Module& module = *part.module;
    Map map;
    for (const ir::Variable& variable : module.variables) {
      const Span at = moved(variable.span, part.base);
      const int claim = strength(variable.linkage, true, part.overrides);
      const u32 id = place(variable.name, variable.linkage, claim, at, false, describe(variable));
      map.variables.push_back(id);
      if (is_global(variable.linkage)) compare_size(variable, at);
    }
    std::vector<bool> aliased(module.functions.size());
    for (const auto& [alias, aliasee] : module.aliases) aliased[alias.value] = true;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      const ir::Function& function = module.functions[i];
      // A function without a body is a declaration even when it does not say .extern.
      const Linkage linkage =
          !function.has_body && !is_global(function.linkage) ? Linkage::external : function.linkage;
      const int claim = strength(linkage, function.has_body || aliased[i], part.overrides);
      map.functions.push_back(place(function.name, linkage, claim, moved(function.span, part.base),
                                    true, describe(function)));
    }
    maps_.push_back(std::move(map));
  }

  static Span moved(Span span, u32 base) { return {span.begin + base, span.end + base}; }

  u32 place(const std::string& name, Linkage linkage, int mine, Span at, bool is_function,
            std::string description) {
    std::vector<Owner>& owners = is_function ? function_owners_ : variable_owners_;
    const u64 order = next_order_++;
    const u32 fresh_id = static_cast<u32>(owners.size());
    if (!is_global(linkage)) {
      owners.push_back({4, order, at});
      return fresh_id;
    }
    const auto [it, fresh] = symbols_.try_emplace(name);
    Symbol& symbol = it->second;
    if (fresh) {
      owners.emplace_back();
      symbol = {is_function, fresh_id, at, std::move(description), 0, {}, false};
    } else if (symbol.description != description) {
      differ(name, at, description, symbol.first, symbol.description);
    }
    // A reported mistake: the symbol gets a separate id.
    if (symbol.is_function != is_function) {
      owners.push_back({4, order, at});
      return fresh_id;
    }
    Owner& owner = owners[symbol.id];
    if (mine == 3 && owner.strength == 3) {
      report_.add(diag::Kind::duplicate_definition, at, name)
          .label(owner.span, "it is defined here, too")
          .help("make all definitions but one .extern, or those that may be replaced .weak");
    }
    if (mine > owner.strength) owner = {mine, order, at};
    return symbol.id;
  }

  void differ(const std::string& name, Span at, const std::string& description, Span other,
              const std::string& other_description) {
    report_.add(diag::Kind::different_declarations, at, name, description, other_description)
        .label(other, "the other declaration");
  }

  /// Sizes agree where both are given; common variables grow to the largest.
  void compare_size(const ir::Variable& variable, Span at) {
    Symbol& symbol = symbols_.at(variable.name);
    if (!variable.size || symbol.is_function) return;
    const bool common = variable.linkage == Linkage::common;
    if (symbol.size && symbol.size != variable.size && !common && !symbol.common) {
      differ(variable.name, at, fmt::format("{} bytes large", variable.size), symbol.size_at,
             fmt::format("{} bytes", symbol.size));
    }
    if (!symbol.size || (symbol.common && !common)) {
      symbol.size = variable.size, symbol.size_at = at, symbol.common = common;
    }
  }

  void copy(const Part& part, const Map& map) {
    const ir::Module& module = *part.module;
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
      to.span = moved(from.span, part.base);
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
      to.span = moved(to.span, part.base);
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
  std::unordered_map<std::string, Symbol> symbols_;
  std::vector<Owner> variable_owners_, function_owners_;
  u64 next_order_ = 0, next_copy_ = 0;  // both walk the inputs in the same order
};

/// The functions that instructions and initialisers name.
class Uses {
 public:
  std::vector<bool> functions;

  Uses(const ir::Module& module, Complete complete) : functions(module.functions.size()) {
    for (const ir::Variable& variable : module.variables) {
      for (const ir::Relocation& relocation : variable.relocations) {
        if (relocation.is_function) use(relocation.symbol);
      }
    }
    for (const ir::Function& function : module.functions) {
      if (complete == Complete::everything || function.is_entry) walk(function);
    }
    while (!reached_.empty()) {
      const u32 next = reached_.back();
      reached_.pop_back();
      walk(module.functions[next]);
    }
  }

 private:
  void walk(const ir::Function& function) {
    for (const ir::Operand& operand : function.operands) {
      if (operand.kind == ir::OperandKind::function) use(operand.id);
    }
    for (const ir::TargetList& list : function.target_lists) {
      for (const ir::FunctionId id : list.functions) use(id.value);
    }
  }
  void use(u32 id) {
    if (functions[id]) return;
    functions[id] = true;
    reached_.push_back(id);
  }

  std::vector<u32> reached_;
};

/// Reports functions that are used and not defined, and variables that are declared and not
/// defined. As in the vendor's tools, the linker refuses a variable without definition, but a
/// program of one module defines it, filled with zeros, if its size is known.
void check_complete(const ir::Module& module, bool linked, Complete complete, Provides provides,
                    diag::Report& report) {
  const Uses uses(module, complete);
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const ir::Variable& variable = module.variables[i];
    const bool dynamic = variable.space == ir::Space::shared && variable.unsized;
    if (variable.linkage != Linkage::external || dynamic) continue;
    if (linked || variable.unsized)
      report.add(diag::Kind::undefined_symbol, variable.span, "variable", variable.name);
    else
      report.add(diag::Kind::extern_defined_here, variable.span, variable.name);
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const ir::Function& function = module.functions[i];
    if (!uses.functions[i] || function.has_body || provides(function.name) != Provided::no)
      continue;
    auto& problem =
        report.add(diag::Kind::undefined_symbol, function.span, "function", function.name);
    const auto mentions = [&](std::string_view part) {
      return function.name.find(part) != std::string::npos;
    };
    if (mentions("DeviceSynchronize")) {
      problem.note(
          "kernels cannot wait for what they launch, since CUDA 12 and on devices from sm_90 on; "
          "what is launched into cudaStreamTailLaunch begins when the rest is done");
    } else if (mentions("__cuda_syscall_") || function.name.starts_with("cnp")) {
      // The undefined function is one that the PTX of that library calls.
      problem.note(
          "NVIDIA's device run-time library calls it, which is not documented; docs/driver.md says "
          "which functions of that library Heddle has itself");
    }
  }
}

/// Removes the bodies of functions that the machine provides always.
std::shared_ptr<const ir::Module> without_provided(std::shared_ptr<const ir::Module> module,
                                                   Provides provides) {
  const auto goes = [&](const ir::Function& function) {
    return function.has_body && !function.is_entry && provides(function.name) == Provided::always;
  };
  if (!module || std::ranges::none_of(module->functions, goes)) return module;
  auto copy = std::make_shared<ir::Module>(*module);
  for (ir::Function& function : copy->functions) {
    if (!goes(function)) continue;
    ir::Function declared;
    declared.name = function.name;
    declared.span = function.span;
    declared.linkage = Linkage::external;
    declared.signature = function.signature;
    declared.registers = function.registers;  // parameters may be registers
    declared.locals = function.locals;
    function = std::move(declared);
  }
  return copy;
}

}  // namespace

std::shared_ptr<const ir::Module> link(std::span<const Part> parts, Provides provides,
                                       diag::Report& report, Complete complete, Program program) {
  const bool several = parts.size() > 1;
  const auto own = std::ranges::count_if(parts, [](const Part& part) { return !part.overrides; });
  std::shared_ptr<const ir::Module> module = several ? Linker(report).run(parts) : parts[0].module;
  if (several && !report.has_errors()) check_memory(*module, report);
  if (provides && !report.has_errors()) {
    module = without_provided(std::move(module), provides);
    const bool linked = own > 1 || program == Program::relocatable;
    check_complete(*module, linked, complete, provides, report);
  }
  return module;
}

}  // namespace heddle::check
