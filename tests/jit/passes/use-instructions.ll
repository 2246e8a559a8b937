; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Functions of the semantics for which the processor has an instruction become that instruction.
; RUN: %heddle jit --passes=use-instructions --cpu sapphirerapids %s | %FileCheck %s
; RUN: %heddle jit --passes=use-instructions --cpu x86-64-v4 %s | %FileCheck %s --check-prefix NONE
; CHECK: define half @heddle_fma_f16
; CHECK: call half @llvm.fma.f16(half %a, half %b, half %c)
; CHECK: select i1 {{.*}}, half 0xH7FFF
; NONE-NOT: llvm.fma

define void @kernel() {
  %a = call half @heddle_fma_f16(half 1.0, half 2.0, half 3.0)
  ret void
}
define half @heddle_fma_f16(half %a, half %b, half %c) {
  ret half %a
}
