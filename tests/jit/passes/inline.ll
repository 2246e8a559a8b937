; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Functions are inlined, except the flush, which a later pass places.
; RUN: %heddle jit --passes=inline %s | %FileCheck %s
; CHECK: define void @kernel()
; CHECK: call float @heddle_flush_f32(float 1.000000e+00)
; CHECK: call void @use(i32 3,
; CHECK-NOT: @add

define void @kernel() {
  %x = call i32 @add(i32 1, i32 2)
  %f = call float @heddle_flush_f32(float 1.0)
  call void @use(i32 %x, float %f)
  ret void
}
define i32 @add(i32 %a, i32 %b) {
  %sum = add i32 %a, %b
  ret i32 %sum
}
define float @heddle_flush_f32(float %x) {
  ret float %x
}
declare void @use(i32, float)
