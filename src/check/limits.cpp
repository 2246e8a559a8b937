// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits of static memory: the .shared variables of a kernel (PTX ISA 5.1.7), and the .const
// variables of a module (5.1.3). The manual gives the second limit; the first is the static limit
// of all targets, also of devices that allow more in a launch.
#include <algorithm>
#include <array>

#include "check/module_checker.h"
#include "ir/shared_layout.h"

namespace heddle::check {

using diag::Kind;

namespace {

constexpr u64 kKiB = 1024;
constexpr u64 kMostConstant = 64 * kKiB;  // per bank; PTX 1.x has several banks (5.1.3.1)

u64 most_shared(const ir::Module& module) {
  const bool is_sm_1x = !module.targets.empty() && module.targets.front().sm < 20;
  return (is_sm_1x ? 16 : 48) * kKiB;
}

bool is_defined(const ir::Variable& variable, ir::Space space) {
  return variable.space == space && variable.linkage != ir::Linkage::external;
}

void check_constant(const ir::Module& module, diag::Report& report) {
  std::array<u64, 256> bytes{};  // by bank
  for (const ir::Variable& variable : module.variables) {
    if (!is_defined(variable, ir::Space::constant)) continue;
    u64& bank = bytes[variable.bank];
    const u64 align = std::max<u32>(variable.align, 1);
    const u64 before = bank;
    bank = (bank + align - 1) / align * align + variable.size;
    if (bank <= kMostConstant || before > kMostConstant) continue;
    report.add(Kind::constant_too_large, variable.span, variable.name, bank, kMostConstant)
        .help("what is larger is a .global variable");
  }
}

}  // namespace

void check_memory(const ir::Module& module, diag::Report& report) {
  check_constant(module, report);
  const u64 most = most_shared(module);
  u64 all = 0;  // of the module; seldom more than the limit of a kernel
  for (const ir::Variable& variable : module.variables) {
    if (variable.space == ir::Space::shared) all += variable.size + variable.align;
  }
  if (all <= most) return;
  for (u32 i = 0; i < module.functions.size(); ++i) {
    const ir::Function& function = module.functions[i];
    if (!function.is_entry || !function.has_body) continue;
    const ir::SharedLayout layout = ir::lay_out_shared(module, ir::FunctionId(i));
    u64 bytes = 0;
    const ir::Variable* largest = nullptr;
    for (const auto& [id, offset] : layout.offset) {
      const ir::Variable& variable = module.variables[id];
      bytes = std::max(bytes, offset + variable.size);
      if (!largest || variable.size > largest->size ||
          (variable.size == largest->size && &variable < largest))
        largest = &variable;
    }
    if (bytes <= most) continue;
    report.add(Kind::shared_too_large, function.span, function.name, bytes, most)
        .label(largest->span, "the largest of them")
        .help("memory whose size a launch says may be larger: .extern .shared x[]");
  }
}

}  // namespace heddle::check
