; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The processor flushes operands, so flushes go. One stays whose operand LLVM may find to be a subnormal constant: LLVM would
; take the product into the ways of the phi node, and compute with the constant as it is.
; RUN: %heddle jit --passes=place-flushes %s | %FileCheck %s
; CHECK: %x = phi float
; CHECK: %y = phi float
; CHECK: %a = call float @heddle_flush_f32(float %x)
; CHECK: %product = fmul float %a, 0x47E0000000000000
; CHECK-NOT: %b = call
; CHECK: %sum = fadd float %y, 1.0
; CHECK: "zeroes_subnormals"

define void @kernel() {
entry:
  %p = call i64 @"heddle.param:i64"(i32 0)
  %bits = call i32 @"heddle.load:1.i32"(i32 0, i64 %p)
  %loaded = bitcast i32 %bits to float
  %odd = trunc i32 %bits to i1
  br i1 %odd, label %other, label %join
other:
  br label %join
join:
  %x = phi float [ %loaded, %entry ], [ 0x36DA000000000000, %other ]
  %y = phi float [ %loaded, %entry ], [ 2.0, %other ]
  %a = call float @heddle_flush_f32(float %x)
  %product = fmul float %a, 0x47E0000000000000
  %b = call float @heddle_flush_f32(float %y)
  %sum = fadd float %b, 1.0
  %out = bitcast float %product to i32
  call void @"heddle.store:1.i32"(i32 1, i64 %p, i32 %out)
  %more = bitcast float %sum to i32
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
