// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/warp_calls.h"

#include "interp/windows.h"
#include "machine/warp_fault.h"

namespace heddle::interp {

void call_warp_function(Warp& warp, const Op& op) {
  const WarpCall& call = *op.warp_call;
  void* registers[machine::kMostWarpRegisters];
  for (std::size_t i = 0; i < call.registers.size(); ++i)
    registers[i] = warp.at<u8>(call.registers[i]);
  void* operands[machine::kMostWarpOperands];
  for (u32 i = 0; call.function->has_registers && i < call.operands; ++i)
    operands[i] = static_cast<void*>(registers + call.first[i]);
  isa::WarpContext context{.core = *warp.tensor_core,
                           .warp = warp.first_thread / kLanes,
                           .shared = reinterpret_cast<const u8*>(warp.shared_base),
                           .shared_bytes = static_cast<u32>(warp.shared_size),
                           .textures = &warp.memory->textures().handles()};
  call.function->run(op.runtime, context, {warp.members, warp.mask},
                     call.function->has_registers ? operands : registers, call.operands);
  if (!context.failed()) return;
  const machine::FaultReport report =
      machine::report_of(context.fault, *context.textures, warp.mask);
  raise_trap(warp, report.kind, report.lane, report.address ? &*report.address : nullptr,
             report.detail);
}

}  // namespace heddle::interp
