; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The remaining flushes are inlined.
; RUN: %heddle jit --passes=inline-late %s | %FileCheck %s
; CHECK: define void @kernel()
; CHECK-NOT: call float @heddle_flush_f32
; CHECK: call void @use(float
; CHECK-NOT: define {{.*}} @heddle_flush_f32

define void @kernel() {
  %f = call float @heddle_flush_f32(float 1.0)
  call void @use(float %f)
  ret void
}
define float @heddle_flush_f32(float %x) {
  %y = fmul float %x, 1.0
  ret float %y
}
declare void @use(float)
