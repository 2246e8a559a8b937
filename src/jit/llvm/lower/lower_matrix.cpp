// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix and stmatrix (PTX ISA 9.7.14.5.15, 9.7.14.5.16). Where compiled code moves the rows, and
// Site::bytes is the size of a row, the warp_op has these operands behind its site: the address,
// the registers that the fallback engine needs, the values that are stored, the membermask.
#include "ir/registers.h"
#include "isa/sem/matrix_move.h"
#include "jit/llvm/lower/lowering.h"

namespace heddle::jit {

/// Compiled code moves matrices of 16-bit elements, if no register is left out or written twice.
/// The fallback engine moves the others.
void FunctionLowering::row_access(const Operand& moved, bool loads) {
  const auto data = elements(moved);
  const std::size_t written = ir::registers_of(f_, *inst_).written.size();
  if (!slot("b16") || (loads && written != data.size())) return step(MachineOp::warp_op);
  const u32 number = site();
  site_of(number).bytes = sem::kRowBytes;
  site_of(number).count = static_cast<u8>(data.size());
  site_of(number).op = slot("trans");
  std::vector<llvm::Value*> operands = registers_read();
  operands.insert(operands.begin(), address(operand("a")));
  for (std::size_t i = 0; !loads && i < data.size(); ++i) operands.push_back(value(data[i]));
  emit_step(MachineOp::warp_op, number, std::move(operands));
}

void FunctionLowering::ldmatrix() { row_access(operand("d"), true); }
void FunctionLowering::stmatrix() { row_access(operand("r"), false); }

}  // namespace heddle::jit
