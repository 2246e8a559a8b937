// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp-level instructions and barriers (PTX ISA 9.7.9.5, 9.7.13).
#include <algorithm>

#include "ir/registers.h"
#include "jit/llvm/lower/lowering.h"

namespace heddle::jit {

void FunctionLowering::warp_function() {
  const isa::Form& form = inst_->get_form();
  const u32 number = site();
  const bool aligned = form.effects().aligned;
  std::vector<llvm::Value*> operands = {constant(number)};
  llvm::Value* members = aligned ? constant(~0u) : nullptr;
  std::vector<const Operand*> targets;
  std::vector<llvm::Type*> results;
  std::string types;
  site_of(number).dispatch = static_cast<u16>(isa::dispatch_index(form, inst_->slots));
  site_of(number).has_members = form.members >= 0 || aligned;
  for (std::size_t i = 0; i < form.runtime_slots.size(); ++i)
    site_of(number).runtime[i] = inst_->slots[form.runtime_slots[i]];
  u32 count = 0;
  const auto count_registers = [&](std::size_t registers) {
    site_of(number).registers[count++] = static_cast<u8>(registers);
  };
  const auto pass = [&](llvm::Value* operand) {
    operands.push_back(operand);
    types += fmt::format("i{}", operand->getType()->getIntegerBitWidth());
  };
  const auto for_each_operand = [&](bool written, auto f) {
    for (u32 i = 0; i < form.operands.size() && i < inst_->operands.count; ++i) {
      if (form.operands[i].written == written) f(i, operand(i));
    }
  };
  for_each_operand(false, [&](u32 i, const Operand& one) {
    if (static_cast<int>(i) == form.members) {
      members = value(one);
      return;
    }
    count_registers(elements(one).size());
    for (const Operand& element : elements(one)) pass(value(element));
  });
  if (members) pass(members);
  const u32 sources = static_cast<u32>(operands.size()) - 1;
  for_each_operand(true, [&](u32 i, const Operand& one) {
    // The result is left out, or is a second one that goes to a sink.
    if (one.type == Type::none && one.kind != OperandKind::vector) return;
    if (!targets.empty() && one.kind == OperandKind::none) return;
    count_registers(elements(one).size());
    for (const Operand& element : elements(one)) {
      targets.push_back(&element);
      results.push_back(integer(bits_of(element.type)));
      if (form.operands[i].also_read) pass(value(element));
    }
  });
  for (llvm::Type* result : results) types += fmt::format("r{}", result->getIntegerBitWidth());
  site_of(number).first_result = static_cast<u8>(sources);
  llvm::Type* result = results.empty()       ? builder_.getVoidTy()
                       : results.size() == 1 ? results[0]
                                             : llvm::StructType::get(shared_.context, results);
  llvm::Value* all = emit(MachineOp::warp_op, result, operands, types);
  for (std::size_t i = 0; i < targets.size(); ++i)
    write(*targets[i],
          results.size() == 1 ? all : builder_.CreateExtractValue(all, static_cast<unsigned>(i)));
}

/// An instruction that the fallback engine runs: it gets the values of the registers that the
/// instruction reads, and returns those that it writes. A warp_op is one of all lanes.
void FunctionLowering::step(MachineOp what) {
  const u32 number = site();
  // For a wait: how many of the registers name the object and the phase (shape.cpp).
  site_of(number).count = static_cast<u8>((operand("a").kind == OperandKind::reg ? 1 : 0) +
                                          (operand("parity").kind != OperandKind::none ? 1 : 0));
  emit_step(what, number, registers_read());
}

/// The registers that the fallback engine needs for the instruction.
std::vector<llvm::Value*> FunctionLowering::registers_read() {
  for (const Operand& whole :
       std::span(f_.operands).subspan(inst_->operands.first, inst_->operands.count)) {
    for (const Operand& one : elements(whole)) {
      // The fallback engine has another layout of local memory.
      if (one.kind == OperandKind::local)
        fail(fmt::format("'{}' of a local variable is not compiled", inst_->get_form().opcode));
    }
  }
  const auto rows_of = [&](const std::vector<ir::RegId>& all) {
    u32 rows = 0;
    for (const ir::RegId id : all)
      rows += registers_[id.value]->getAllocatedType()->getIntegerBitWidth() > kRowBits ? 2 : 1;
    return rows;
  };
  const ir::InstRegisters registers = ir::registers_of(f_, *inst_);
  if (std::max(rows_of(registers.read), rows_of(registers.written)) > kHelperOperands)
    fail(fmt::format("'{}' of so many registers is not compiled", inst_->get_form().opcode));
  std::vector<llvm::Value*> operands;
  for (const ir::RegId id : registers.read) {
    llvm::AllocaInst* from = registers_[id.value];
    operands.push_back(builder_.CreateLoad(from->getAllocatedType(), from));
  }
  return operands;
}

/// Results are the registers that the instruction writes.
void FunctionLowering::emit_step(MachineOp what, u32 site, std::vector<llvm::Value*> operands) {
  if (what == MachineOp::warp_op) {  // the membermask, of all lanes
    site_of(site).has_members = true;
    operands.push_back(constant(~0u));
  }
  std::string types;
  for (const llvm::Value* one : operands)
    types += fmt::format("i{}", one->getType()->getIntegerBitWidth());
  operands.insert(operands.begin(), constant(site));
  const std::vector<ir::RegId> written = ir::registers_of(f_, *inst_).written;
  std::vector<llvm::Type*> results;
  for (const ir::RegId id : written) {
    results.push_back(registers_[id.value]->getAllocatedType());
    types += fmt::format("r{}", results.back()->getIntegerBitWidth());
  }
  llvm::Type* result = results.empty()       ? builder_.getVoidTy()
                       : results.size() == 1 ? results[0]
                                             : llvm::StructType::get(shared_.context, results);
  llvm::Value* all = emit(what, result, operands, types);
  for (std::size_t i = 0; i < results.size(); ++i)
    builder_.CreateStore(
        results.size() == 1 ? all : builder_.CreateExtractValue(all, static_cast<unsigned>(i)),
        registers_[written[i].value]);
}

bool is_unusual_barrier(const ir::Function& f, const ir::Inst& inst) {
  const isa::Form& form = inst.get_form();
  if (!form.effects().barrier) return false;
  if (form.sem_id != SemId::bar_sync) return true;
  for (u32 i = 0; i < form.operands.size() && i < inst.operands.count; ++i) {
    const Operand& one = f.operands[inst.operands.first + i];
    if (form.operands[i].name == "b" && one.kind != OperandKind::none) return true;
    if (form.operands[i].name == "a" && one.kind != OperandKind::immediate) return true;
  }
  return false;
}

/// If all barriers of a kernel are waits of all threads, compiled code implements them; otherwise
/// the run-time does.
void FunctionLowering::barrier() {
  const isa::Form& form = inst_->get_form();
  Operand number = operand("a");
  if (number.type == Type::none) number.type = Type::u32;
  const Operand& count = operand("b");
  const bool reduces = form.sem_id == SemId::bar_red;
  const u32 at = site();
  site_of(at).op = slot("boolop");
  site_of(at).has_count = count.kind != OperandKind::none;
  const bool usual = !shared_.unusual_barriers;
  std::vector<llvm::Value*> operands = {constant(at), resize(value(number), 32, false)};
  if (!usual) {
    operands.push_back(site_of(at).has_count ? resize(value(count), 32, false) : constant(0));
    if (reduces) operands.push_back(value(operand("c")));
  }
  const bool arrives = !form.effects().waits;
  llvm::Type* type = usual || arrives ? builder_.getVoidTy() : integer(32);
  const MachineOp op = usual     ? MachineOp::barrier
                       : arrives ? MachineOp::barrier_arrive
                                 : MachineOp::barrier_wait;
  llvm::Value* made = emit(op, type, operands, !usual && reduces ? "red" : "");
  if (!reduces) return;
  if (!slot("boolop"))  // .popc
    write(operand("d"), made);
  else
    write(operand("p"), builder_.CreateICmpNE(made, constant(0)));
}

void FunctionLowering::bar_sync() { barrier(); }
void FunctionLowering::bar_arrive() { barrier(); }
void FunctionLowering::bar_red() { barrier(); }

/// The run-time knows the group.
void FunctionLowering::warp_group_wait() {
  emit(MachineOp::barrier_wait, integer(32), {constant(site()), constant(0), constant(0)});
}

/// The active lanes of a warp run together; vectorize() refuses a kernel whose lanes may be
/// divergent here.
void FunctionLowering::warp_barrier() {
  const u32 at = site();
  emit(MachineOp::warp_barrier, builder_.getVoidTy(), {constant(at), value(operand("m"))});
}

/// The run-time knows which threads have arrived.
void FunctionLowering::cluster_arrive() {
  emit(MachineOp::barrier_cluster_arrive, builder_.getVoidTy(), {constant(site())});
}
/// A warp that waits asks the run-time again and again.
void FunctionLowering::cluster_wait() {
  const u32 at = site();
  site_of(at).alone = true;
  emit(MachineOp::barrier_cluster_wait, builder_.getVoidTy(), {constant(at)});
}

void FunctionLowering::mbarrier_wait() { step(MachineOp::wait); }

}  // namespace heddle::jit
