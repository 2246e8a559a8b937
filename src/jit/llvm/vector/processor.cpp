// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/processor.h"

#include "jit/llvm/vector/lane_vectors.h"

namespace heddle::jit {

bool Processor::has_gather(const llvm::CallInst& call, const Site& site) const {
  auto* type = llvm::cast<llvm::VectorType>(
      vector_of(llvm::Type::getIntNTy(call.getContext(), site.bytes * 8u)));
  const llvm::Align align(1);
  return machine_op(call) == MachineOp::load ? info.isLegalMaskedGather(type, align) &&
                                                   !info.forceScalarizeMaskedGather(type, align)
                                             : info.isLegalMaskedScatter(type, align) &&
                                                   !info.forceScalarizeMaskedScatter(type, align);
}

}  // namespace heddle::jit
