// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/trap.h"

#include <fmt/format.h>

#include "ir/print.h"
#include "machine/memory.h"

namespace heddle::machine {

std::string_view name_of(TrapKind kind) {
  switch (kind) {
    case TrapKind::illegal_address:
      return "illegal memory access";
    case TrapKind::misaligned_address:
      return "misaligned memory access";
    case TrapKind::illegal_barrier:
      return "illegal use of a barrier";
    case TrapKind::illegal_call:
      return "illegal call or branch target";
    case TrapKind::stack_overflow:
      return "stack overflow";
    case TrapKind::trap_instruction:
      return "trap instruction";
    case TrapKind::breakpoint:
      return "breakpoint";
    case TrapKind::time_limit:
      return "time limit exceeded";
    case TrapKind::deadlock:
      return "deadlock";
    case TrapKind::assertion:
      return "assertion failed";
    case TrapKind::membermask:
      return "wrong membermask";
    case TrapKind::tensor_memory:
      return "illegal use of tensor memory";
    case TrapKind::tensor_map:
      return "illegal use of a tensor map";
    case TrapKind::tensor_memory_leak:
      return "tensor memory not freed";
  }
  return "unknown trap";
}

Trap trap_at(TrapKind kind, const ir::Module& module, ir::FunctionId kernel,
             const ir::Function* function, u32 inst, Dim3 block, Dim3 cta, u32 thread) {
  Trap trap{};
  trap.kind = kind;
  trap.kernel = module.functions[kernel.value].name;
  trap.file = module.name;
  trap.cta = cta;
  trap.thread = {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
  if (!function) return trap;
  trap.function = function->name;
  if (inst < function->insts.size()) {
    const ir::Inst& one = function->insts[inst];
    trap.instruction = ir::mnemonic(one);
    trap.at = one.at;
    if (one.at.loc_file) trap.loc_file = module.files[one.at.loc_file.value];
  }
  return trap;
}

std::string describe_address(const Memory& memory, u64 address) {
  if (memory.multimem().contains(address))
    return "a multimem address: only multimem operations may access it";
  if (const auto range = memory.reservation(address))
    return fmt::format(
        "inside the reserved range of {} bytes at {:#x}, where nothing is mapped that may be "
        "accessed so",
        range->size, range->base);
  if (address < kPage) return "a null pointer, or close to one";
  if (!memory.low().all.contains(address) && !memory.high().all.contains(address))
    return "no address of device memory or of registered host memory";
  const auto near = memory.nearest(address);
  if (!near) return {};
  if (near->contains(address))
    return fmt::format("inside the allocation of {} bytes at {:#x}", near->size, near->base);
  const bool before = address < near->base;
  return fmt::format("{} bytes {} the nearest allocation: {} bytes at {:#x}",
                     before ? near->base - address : address - near->end(),
                     before ? "before" : "after the end of", near->size, near->base);
}

std::string describe(const Trap& trap) {
  // First the line of the source, if .loc gives one.
  const bool has_source = !trap.loc_file.empty();
  std::string text = fmt::format("{}:{}: trap: {}", has_source ? trap.loc_file : trap.file,
                                 has_source ? trap.at.loc_line : trap.at.line, name_of(trap.kind));
  if (trap.address) text += fmt::format(" at address {:#x}", *trap.address);
  if (!trap.instruction.empty()) text += fmt::format("\n  instruction: {}", trap.instruction);
  if (has_source) text += fmt::format("\n  PTX: {}:{}", trap.file, trap.at.line);
  text += fmt::format("\n  kernel: {}", trap.kernel);
  if (!trap.function.empty() && trap.function != trap.kernel)
    text += fmt::format(", in function {}", trap.function);
  text += fmt::format("\n  CTA ({}, {}, {}), thread ({}, {}, {})", trap.cta.x, trap.cta.y,
                      trap.cta.z, trap.thread.x, trap.thread.y, trap.thread.z);
  if (!trap.detail.empty()) text += "\n  " + trap.detail;
  return text;
}

}  // namespace heddle::machine
