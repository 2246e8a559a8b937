// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/semantics.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/Linker/Linker.h>

#include <span>

#include "base/check.h"

namespace heddle::jit {
namespace {

// The bitcode: symbols of a generated source file (CMakeLists.txt).
extern "C" {
#define HEDDLE_LANE_FAMILY(family, base, count) \
  extern const char heddle_bitcode_##family[];  \
  extern const char heddle_bitcode_##family##_end[];
#include "isa/lane_families.inc"
#undef HEDDLE_LANE_FAMILY
}

struct Bitcode {
  const char* begin;
  const char* end;
  u32 base, count;
};
constexpr Bitcode kFamilies[] = {
#define HEDDLE_LANE_FAMILY(family, base, count) \
  {heddle_bitcode_##family, heddle_bitcode_##family##_end, base, count},
#include "isa/lane_families.inc"
#undef HEDDLE_LANE_FAMILY
};

u32 number(const llvm::Constant* constant, unsigned field) {
  return static_cast<u32>(
      llvm::cast<llvm::ConstantInt>(constant->getAggregateElement(field))->getZExtValue());
}

/// A LaneEntry of semantics_family.h.
LaneFunction read_entry(const llvm::Constant* entry) {
  LaneFunction lane;
  lane.function = llvm::cast<llvm::Function>(entry->getAggregateElement(0u)->stripPointerCasts());
  lane.result_bytes = number(entry, 1);
  lane.second_offset = number(entry, 2);
  lane.second_bytes = number(entry, 3);
  lane.late_canonical = number(entry, 4) != 0;
  lane.operands = number(entry, 5);
  const llvm::Constant* bytes = entry->getAggregateElement(6);
  for (u32 i = 0; i < lane.operands; ++i) lane.operand_bytes[i] = number(bytes, i);
  return lane;
}

}  // namespace

Semantics::Family& Semantics::family(u32 number) {
  Family& family = families_[number];
  if (family.module) return family;
  const Bitcode& code = kFamilies[number];
  auto module = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(
          llvm::StringRef(code.begin, static_cast<std::size_t>(code.end - code.begin)),
          "semantics"),
      kernel_.getContext());
  HEDDLE_CHECK(static_cast<bool>(module));
  family.module = std::move(*module);
  family.module->setTargetTriple(kernel_.getTargetTriple());
  family.module->setDataLayout(kernel_.getDataLayout());
  family.table = family.module->getGlobalVariable("lanes", true)->getInitializer();
  return family;
}

const LaneFunction& Semantics::lane(u32 index) {
  const auto [it, fresh] = lanes_.try_emplace(index);
  if (!fresh) return it->second;
  u32 number = 0;
  while (index >= kFamilies[number].base + kFamilies[number].count) ++number;
  const llvm::Constant* entry =
      family(number).table->getAggregateElement(index - kFamilies[number].base);
  const auto* variable = llvm::cast<llvm::GlobalVariable>(entry->stripPointerCasts());
  LaneFunction lane = read_entry(variable->getInitializer());
  lane.function = llvm::cast<llvm::Function>(
      kernel_.getOrInsertFunction(lane.function->getName(), lane.function->getFunctionType())
          .getCallee());
  return it->second = lane;
}

std::string Semantics::link() {
  for (auto& [number, family] : families_) {
    if (llvm::Linker::linkModules(kernel_, std::move(family.module), llvm::Linker::LinkOnlyNeeded))
      return "the semantics cannot be linked";
  }
  families_.clear();
  for (llvm::Function& function : kernel_) {
    // The kernel's own processor counts.
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("tune-cpu");
    function.removeFnAttr("min-legal-vector-width");
    function.removeFnAttr("stack-protector-buffer-size");
    function.removeFnAttr("no-trapping-math");
  }
  return {};
}

}  // namespace heddle::jit
