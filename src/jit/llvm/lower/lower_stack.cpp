// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// alloca, stacksave and stackrestore (PTX ISA 9.7.17). The stack pointer is a local variable,
// so it becomes a value where no recursive call is left. alloca takes from the end of a thread's
// local memory downwards; frames of calls grow upwards.
#include "jit/llvm/lower/lowering.h"
#include "jit/llvm/scalar/local_memory.h"

namespace heddle::jit {
namespace {

constexpr u64 kLeastAlign = 8;

}  // namespace

llvm::Value* FunctionLowering::stack_pointer() {
  return LocalMemory(shared_.kernel, builder_).load_pointer();
}

void FunctionLowering::set_stack_pointer(llvm::Value* offset) {
  LocalMemory(shared_.kernel, builder_).store_pointer(offset);
}

/// A kernel begins with an empty stack; a function restores the stack pointer when it returns.
void FunctionLowering::begin_stack() {
  if (f_.is_entry && shared_.kernel.stack_pointer)
    set_stack_pointer(context_field(offsetof(Context, local_stride), 64));
  if (f_.is_entry ||
      llvm::none_of(f_.insts, [](const ir::Inst& inst) { return inst.get_form().effects().stack; }))
    return;
  stack_at_entry_ = variable(integer(64), "stack");
  builder_.CreateStore(stack_pointer(), stack_at_entry_);
}

void FunctionLowering::give_back_stack() {
  if (stack_at_entry_) set_stack_pointer(builder_.CreateLoad(integer(64), stack_at_entry_));
}

void FunctionLowering::trap_unless(llvm::Value* fits, llvm::Value* pointer) {
  auto* full = llvm::BasicBlock::Create(shared_.context, "full", function_);
  auto* moved = llvm::BasicBlock::Create(shared_.context, "moved", function_);
  builder_.CreateCondBr(fits, moved, full);
  builder_.SetInsertPoint(full);
  emit(MachineOp::trap_at, builder_.getVoidTy(), {constant(site()), pointer});
  builder_.CreateBr(moved);
  builder_.SetInsertPoint(moved);
}

void FunctionLowering::stack_save() {
  const Operand& d = operand("d");
  write(d, resize(stack_pointer(), bits_of(d.type), false));
}

void FunctionLowering::stack_restore() {
  llvm::Value* least = emit(MachineOp::stack, integer(64), {});
  llvm::Value* pointer = resize(value(operand("a")), 64, false);
  llvm::Value* end = context_field(offsetof(Context, local_stride), 64);
  trap_unless(builder_.CreateAnd(builder_.CreateICmpUGE(pointer, least),
                                 builder_.CreateICmpULE(pointer, end)),
              pointer);
  set_stack_pointer(pointer);
}

void FunctionLowering::stack_allocate() {
  llvm::Value* top = stack_pointer();
  llvm::Value* least = emit(MachineOp::stack, integer(64), {});
  const Operand& align = operand("align");
  const u64 asked = align.kind == OperandKind::immediate ? align.value : 0;
  llvm::Value* size = resize(value(operand("size")), 64, false);
  llvm::Value* pointer = builder_.CreateAnd(builder_.CreateSub(top, size),
                                            builder_.getInt64(~(std::max(asked, kLeastAlign) - 1)));
  trap_unless(
      builder_.CreateAnd(builder_.CreateICmpULE(size, top), builder_.CreateICmpUGE(pointer, least)),
      size);
  set_stack_pointer(pointer);
  write(operand("d"), resize(pointer, bits_of(operand("d").type), false));
}

}  // namespace heddle::jit
