// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/lower/semantics.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <set>

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

/// Attributes of the build's processor are removed: the kernel's counts.
void forget_processor(llvm::Function& function) {
  for (const char* name : {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width",
                           "stack-protector-buffer-size", "no-trapping-math"})
    function.removeFnAttr(name);
}

void materialize(llvm::Function& function) {
  if (!function.isMaterializable()) return;
  llvm::Error error = function.materialize();
  HEDDLE_CHECK(!error);
}

/// A function with more instructions is run by the fallback engine: only functions that round in
/// software are so long. An instruction on 128-bit numbers counts as kWide: LLVM splits it for each
/// of sixteen lanes.
constexpr std::size_t kLong = 280, kWide = 24;

bool is_wide(const llvm::Instruction& inst) {
  const auto is_wide_type = [](const llvm::Value* value) {
    return value->getType()->isIntegerTy() && value->getType()->getIntegerBitWidth() > 64;
  };
  return is_wide_type(&inst) || llvm::any_of(inst.operand_values(), is_wide_type);
}

std::size_t size_of(llvm::Function& function, std::set<const llvm::Function*>& seen) {
  if (!seen.insert(&function).second) return 0;
  materialize(function);
  std::size_t size = function.getInstructionCount();
  for (const llvm::Instruction& inst : llvm::instructions(function)) {
    if (is_wide(inst)) size += kWide - 1;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
    if (call && call->getCalledFunction()) size += size_of(*call->getCalledFunction(), seen);
  }
  return size;
}

}  // namespace

/// Functions and tables that the code of lane functions refers to, in the kernel's module.
class Semantics::Globals final : public llvm::ValueMaterializer {
 public:
  explicit Globals(llvm::Module& kernel) : kernel_(kernel) {}

  llvm::Value* materialize(llvm::Value* value) override {
    auto* global = llvm::dyn_cast<llvm::GlobalValue>(value);
    if (!global) return nullptr;
    if (const auto found = known_.find(global); found != known_.end()) return found->second;
    if (auto* function = llvm::dyn_cast<llvm::Function>(global)) return bring(*function);
    return bring(*llvm::cast<llvm::GlobalVariable>(global));
  }
  llvm::Value* map(llvm::Value* constant) {
    return llvm::MapValue(constant, values_, llvm::RF_NullMapMissingGlobalValues, nullptr, this);
  }

 private:
  llvm::Value* bring(llvm::Function& from) {
    heddle::jit::materialize(from);
    if (from.isDeclaration()) {
      auto callee = kernel_.getOrInsertFunction(from.getName(), from.getFunctionType());
      auto* to = llvm::cast<llvm::Function>(callee.getCallee());
      if (!to->isIntrinsic()) to->copyAttributesFrom(&from);
      return known_[&from] = to;
    }
    // Families share inline functions.
    if (auto* same = from.hasLinkOnceODRLinkage() ? kernel_.getFunction(from.getName()) : nullptr)
      return known_[&from] = same;
    auto* to = llvm::Function::Create(from.getFunctionType(), llvm::Function::InternalLinkage,
                                      from.getName(), kernel_);
    known_[&from] = to;
    llvm::ValueToValueMapTy map;
    for (auto [old, fresh] : llvm::zip(from.args(), to->args())) map[&old] = &fresh;
    llvm::SmallVector<llvm::ReturnInst*, 8> returns;
    llvm::CloneFunctionInto(to, &from, map, llvm::CloneFunctionChangeType::DifferentModule, returns,
                            "", nullptr, nullptr, this);
    forget_processor(*to);
    to->setComdat(nullptr);
    to->setLinkage(llvm::GlobalValue::InternalLinkage);
    return to;
  }
  llvm::Value* bring(llvm::GlobalVariable& from) {
    auto* to = new llvm::GlobalVariable(kernel_, from.getValueType(), from.isConstant(),
                                        llvm::GlobalValue::InternalLinkage, nullptr, "table");
    known_[&from] = to;
    to->setAlignment(from.getAlign());
    to->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    to->setInitializer(llvm::cast<llvm::Constant>(map(from.getInitializer())));
    return to;
  }

  llvm::Module& kernel_;
  llvm::ValueToValueMapTy values_;
  std::map<llvm::GlobalValue*, llvm::Value*> known_;
};

/// One lane function at one place.
class Semantics::Inliner {
 public:
  Inliner(Globals& globals, const LaneFunction& lane, std::span<llvm::Value* const> operands,
          llvm::IRBuilder<>& builder, llvm::IRBuilder<>& variables, const char* mark)
      : globals_(globals),
        lane_(lane),
        operands_(operands),
        builder_(builder),
        variables_(variables),
        mark_(mark),
        layout_(builder.GetInsertBlock()->getDataLayout()) {}

  std::vector<llvm::Value*> run();

 private:
  llvm::Value* of(llvm::Value* from) {
    if (const auto found = values_.find(from); found != values_.end()) return found->second;
    return llvm::isa<llvm::Constant>(from) ? globals_.map(from) : from;
  }
  unsigned bits_of(llvm::Type* type) const {
    return static_cast<unsigned>(layout_.getTypeSizeInBits(type));
  }
  /// The argument that a pointer leads into, and how far.
  std::pair<llvm::Argument*, u64> place(llvm::Value* pointer) const {
    llvm::APInt offset(64, 0);
    auto* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
    return {llvm::dyn_cast<llvm::Argument>(base), offset.getZExtValue()};
  }
  llvm::Value* part(llvm::Value* whole, u64 offset, llvm::Type* type) {
    if (offset) whole = builder_.CreateLShr(whole, offset * 8);
    whole = builder_.CreateTrunc(whole, builder_.getIntNTy(bits_of(type)));
    return builder_.CreateBitCast(whole, type);
  }
  void copy(llvm::Instruction& inst);
  void copy_operands(llvm::Instruction& inst);
  llvm::Value* at(u64 offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), variable_, offset);
  }
  void keep(u64 offset, llvm::Value* value);
  llvm::Value* result(u64 offset, u64 bytes);

  Globals& globals_;
  const LaneFunction& lane_;
  const std::span<llvm::Value* const> operands_;
  llvm::IRBuilder<>& builder_;
  llvm::IRBuilder<>& variables_;
  const char* const mark_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> values_;
  std::vector<llvm::PHINode*> phis_;                  ///< whose operands are still the original's
  std::vector<std::pair<u64, llvm::Value*>> stored_;  ///< results, by their offset
  llvm::BasicBlock* behind_ = nullptr;                ///< where a function of several blocks leads
  llvm::AllocaInst* variable_ = nullptr;              ///< for its results
};

void Semantics::Inliner::keep(u64 offset, llvm::Value* value) {
  if (behind_) {
    builder_.CreateStore(value, at(offset));
    return;
  }
  value = builder_.CreateBitCast(value, builder_.getIntNTy(bits_of(value->getType())));
  stored_.push_back({offset, value});
}

/// What was stored from `offset` on. Two results may have been stored as one, and one in parts.
llvm::Value* Semantics::Inliner::result(u64 offset, u64 bytes) {
  llvm::Type* type = builder_.getIntNTy(static_cast<unsigned>(bytes * 8));
  if (behind_) return builder_.CreateLoad(type, at(offset));
  llvm::Value* all = nullptr;
  for (const auto& [from, value] : stored_) {
    const u64 size = bits_of(value->getType()) / 8;
    if (from <= offset && offset + bytes <= from + size) return part(value, offset - from, type);
    if (from < offset || offset + bytes < from + size) continue;
    llvm::Value* piece = builder_.CreateShl(builder_.CreateZExt(value, type), (from - offset) * 8);
    all = all ? builder_.CreateOr(all, piece) : piece;
  }
  HEDDLE_CHECK(all);
  return all;
}

void Semantics::Inliner::copy_operands(llvm::Instruction& inst) {
  for (llvm::Use& use : inst.operands()) {
    if (!llvm::isa<llvm::MetadataAsValue>(use.get())) use.set(of(use.get()));
  }
}

void Semantics::Inliner::copy(llvm::Instruction& inst) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
    const auto [from, offset] = place(load->getPointerOperand());
    if (from) {
      values_[load] = part(operands_[from->getArgNo() - 1], offset, load->getType());
      return;
    }
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
    const auto [to, offset] = place(store->getPointerOperand());
    if (to) return keep(offset, of(store->getValueOperand()));
  } else if (llvm::isa<llvm::GetElementPtrInst>(inst) && place(&inst).first) {
    return;
  } else if (llvm::isa<llvm::ReturnInst>(inst)) {
    if (behind_) builder_.CreateBr(behind_);
    return;
  } else if (llvm::isa<llvm::AllocaInst>(inst)) {
    llvm::Instruction* variable = inst.clone();
    variables_.Insert(variable);
    values_[&inst] = variable;
    return;
  }
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst)) {
    // Nothing is gained from these once the variable is a value.
    if (call->isLifetimeStartOrEnd()) return;
  }
  llvm::Instruction* made = inst.clone();
  made->dropUnknownNonDebugMetadata({llvm::LLVMContext::MD_prof});  // [[unlikely]]
  if (mark_) made->setMetadata(mark_, llvm::MDNode::get(made->getContext(), {}));
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(made)) {
    phis_.push_back(phi);
  } else {
    copy_operands(*made);
  }
  builder_.Insert(made);
  if (!llvm::isa<llvm::PHINode>(made) && !made->isTerminator()) {
    if (llvm::Value* known = llvm::simplifyInstruction(made, layout_)) {
      made->eraseFromParent();
      values_[&inst] = known;
      return;
    }
  }
  if (!inst.getType()->isVoidTy()) values_[&inst] = made;
}

std::vector<llvm::Value*> Semantics::Inliner::run() {
  llvm::Function& function = *lane_.function;
  const bool several = function.size() > 1;
  if (several) {
    llvm::LLVMContext& context = function.getContext();
    llvm::Function* into = builder_.GetInsertBlock()->getParent();
    behind_ = llvm::BasicBlock::Create(context, "", into);
    for (llvm::BasicBlock& block : function)
      values_[&block] = llvm::BasicBlock::Create(context, "", into, behind_);
    // A pair is as large as two of its larger part.
    const u32 bytes = lane_.second_bytes ? 2 * std::max(lane_.second_offset, lane_.second_bytes)
                                         : lane_.result_bytes;
    variable_ = variables_.CreateAlloca(llvm::ArrayType::get(builder_.getInt8Ty(), bytes));
    variable_->setAlignment(llvm::Align(16));
    builder_.CreateBr(llvm::cast<llvm::BasicBlock>(values_[&function.getEntryBlock()]));
  }
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
    if (several) builder_.SetInsertPoint(llvm::cast<llvm::BasicBlock>(values_[block]));
    for (llvm::Instruction& inst : *block) copy(inst);
  }
  for (llvm::PHINode* phi : phis_) {
    copy_operands(*phi);
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      phi->setIncomingBlock(i, llvm::cast<llvm::BasicBlock>(of(phi->getIncomingBlock(i))));
  }
  if (several) builder_.SetInsertPoint(behind_);
  std::vector<llvm::Value*> results = {result(0, lane_.result_bytes)};
  if (lane_.second_bytes) results.push_back(result(lane_.second_offset, lane_.second_bytes));
  return results;
}

Semantics::Semantics(llvm::Module& kernel, LaneFunctions& lanes)
    : lanes_(lanes), globals_(std::make_unique<Globals>(kernel)) {}
Semantics::~Semantics() = default;

LaneFunctions::Family& LaneFunctions::family(u32 number) {
  Family& family = families_[number];
  if (family.module) return family;
  const Bitcode& code = kFamilies[number];
  auto module = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(
          llvm::StringRef(code.begin, static_cast<std::size_t>(code.end - code.begin)),
          "semantics"),
      context_);
  HEDDLE_CHECK(static_cast<bool>(module));
  family.module = std::move(*module);
  family.module->setTargetTriple(target_.getTargetTriple().str());
  family.module->setDataLayout(target_.createDataLayout());
  family.table = family.module->getGlobalVariable("lanes", true)->getInitializer();
  return family;
}

const LaneFunction& LaneFunctions::get(u32 index) {
  const auto [it, fresh] = lanes_.try_emplace(index);
  if (!fresh) return it->second;
  u32 number = 0;
  while (index >= kFamilies[number].base + kFamilies[number].count) ++number;
  const llvm::Constant* entry =
      family(number).table->getAggregateElement(index - kFamilies[number].base);
  const auto* variable = llvm::cast<llvm::GlobalVariable>(entry->stripPointerCasts());
  LaneFunction lane = read_entry(variable->getInitializer());
  materialize(*lane.function);
  std::set<const llvm::Function*> seen;
  lane.is_long = size_of(*lane.function, seen) > kLong;
  return it->second = lane;
}

std::vector<llvm::Value*> Semantics::emit(const LaneFunction& lane,
                                          std::span<llvm::Value* const> operands,
                                          llvm::IRBuilder<>& builder, llvm::IRBuilder<>& variables,
                                          const char* mark) {
  return Inliner(*globals_, lane, operands, builder, variables, mark).run();
}

}  // namespace heddle::jit
