// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/fixups.h"

#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include "base/types.h"

namespace heddle::jit {

void use_fixups(llvm::Function& cta, llvm::TargetMachine& target) {
  using namespace llvm::PatternMatch;
  if (!target.getTargetTriple().isX86() || !target.getSubtargetImpl(cta)->checkFeatures("+avx512f"))
    return;
  // What comes of each kind of operand, four bits each: of NaNs (the first two kinds) the
  // destination as it was, of the others the operand.
  constexpr u32 kNanStays = 0x11111100;
  constexpr unsigned kLanes = 16;
  llvm::IRBuilder<> builder(cta.getContext());
  llvm::Type* vector = llvm::FixedVectorType::get(builder.getFloatTy(), kLanes);
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(cta))) {
    llvm::Value *value = nullptr, *test = nullptr;
    llvm::Constant* nan = nullptr;
    if (inst.getType() != vector ||
        !match(&inst, m_Select(m_Value(test), m_Constant(nan), m_Value(value))) ||
        !match(test,
               m_OneUse(m_SpecificFCmp(llvm::CmpInst::FCMP_UNO, m_Specific(value), m_AnyZeroFP()))))
      continue;
    builder.SetInsertPoint(&inst);
    llvm::Value* kinds = builder.CreateVectorSplat(kLanes, builder.getInt32(kNanStays));
    constexpr unsigned kNoException = 0, kCurrentRounding = 4;
    llvm::Value* canonical =
        builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_fixupimm_ps_512, {},
                                {nan, value, kinds, builder.getInt32(kNoException),
                                 builder.getInt16(~u16{0}), builder.getInt32(kCurrentRounding)});
    inst.replaceAllUsesWith(canonical);
    inst.eraseFromParent();
    llvm::cast<llvm::Instruction>(test)->eraseFromParent();
  }
}

}  // namespace heddle::jit
