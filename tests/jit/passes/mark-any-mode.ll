; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Functions that are called by an instruction whose result does not depend on the processor's mode are marked, too: in a copy of the function.
; RUN: %heddle jit --passes=mark-any-mode %s | %FileCheck %s
; CHECK: %marked = call float @[[COPY:twice.*]](float 1.000000e+00), !heddle.any_mode
; CHECK: %plain = call float @twice(float 2.000000e+00)
; CHECK: define float @twice(
; CHECK-NEXT: fadd float %x, %x{{$}}
; CHECK: define float @[[COPY]](
; CHECK-NEXT: fadd float %x, %x, !heddle.any_mode

define void @kernel(){
  %p = call i64 @"heddle.param:i64"(i32 0)
  %marked = call float @twice(float 1.0), !heddle.any_mode !0
  %plain = call float @twice(float 2.0)
  %flushed = call float @heddle_flush_f32(float %plain)
  ret void
}
define float @twice(float %x) {
  %sum = fadd float %x, %x
  ret float %sum
}
define float @heddle_flush_f32(float %x) {
  ret float %x
}
declare i64 @"heddle.param:i64"(i32)
!0 = !{}
