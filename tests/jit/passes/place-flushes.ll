; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A flushed value is not flushed again. There is arithmetic without .ftz, so the processor's flushing mode cannot be used.
; RUN: %heddle jit --passes=place-flushes %s | %FileCheck %s
; CHECK: %a = call float @heddle_flush_f32(float %x)
; CHECK: %b = call float @heddle_flush_f32(float %sum)
; CHECK-NOT: %c = call
; CHECK: %product = fmul float %b, %b
; CHECK: %d = call float @heddle_flush_f32(float %product)
; CHECK-NOT: "zeroes_subnormals"

define void @kernel() {
  %p = call i64 @"heddle.param:i64"(i32 0)
  %bits = call i32 @"heddle.load:1.i32"(i32 0, i64 %p)
  %x = bitcast i32 %bits to float
  %a = call float @heddle_flush_f32(float %x)
  %sum = fadd float %a, 1.0
  %b = call float @heddle_flush_f32(float %sum)
  %c = call float @heddle_flush_f32(float %b)
  %product = fmul float %c, %c
  %d = call float @heddle_flush_f32(float %product)
  %out = bitcast float %d to i32
  call void @"heddle.store:1.i32"(i32 1, i64 %p, i32 %out)
  %plain = fadd float %x, 2.0
  %more = bitcast float %plain to i32
  call void @"heddle.store:1.i32"(i32 2, i64 %p, i32 %more)
  ret void
}
declare i64 @"heddle.param:i64"(i32)
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
define float @heddle_flush_f32(float %x) {
  ret float %x
}
!heddle.sites = !{!0, !1, !1}
!0 = !{!"sem", !"ld", !"space", !"global"}
!1 = !{!"sem", !"st", !"space", !"global"}
