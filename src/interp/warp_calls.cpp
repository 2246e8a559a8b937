// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/warp_calls.h"

namespace heddle::interp {

void call_warp_function(Warp& warp, const Op& op) {
  const WarpCall& call = *op.warp_call;
  void* registers[machine::kMostWarpRegisters];
  for (std::size_t i = 0; i < call.registers.size(); ++i)
    registers[i] = warp.at<u8>(call.registers[i]);
  void* operands[machine::kMostWarpOperands];
  const u32 count = call.function->sources + call.function->results;
  for (u32 i = 0; call.function->has_registers && i < count; ++i)
    operands[i] = registers + call.first[i];
  call.function->run(op.runtime, *warp.tensor_core, {warp.members, warp.mask},
                     call.function->has_registers ? operands : registers);
}

}  // namespace heddle::interp
