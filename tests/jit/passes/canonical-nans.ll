; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A NaN becomes the canonical one where its bits are stored, and not between two operations.
; RUN: %heddle jit --passes=canonical-nans %s | %FileCheck %s
; CHECK: [[SUM:%.*]] = fadd float
; CHECK-NEXT: [[PRODUCT:%.*]] = fmul float [[SUM]], [[SUM]]
; CHECK-NOT: @"heddle.canonical
; CHECK: fcmp uno float
; CHECK: select i1 {{.*}}, float 0x7FFFFFFFE0000000
; CHECK: store:1.i32

define void @kernel() {
  %p = call i64 @"heddle.param:i64"(i32 0)
  %bits = call i32 @"heddle.load:1.i32"(i32 0, i64 %p)
  %x = bitcast i32 %bits to float
  %raw = fadd float %x, 1.0
  %sum = call float @"heddle.canonical:f32"(float %raw)
  %raw2 = fmul float %sum, %sum
  %product = call float @"heddle.canonical:f32"(float %raw2)
  %out = bitcast float %product to i32
  call void @"heddle.store:1.i32"(i32 1, i64 %p, i32 %out)
  ret void
}
declare i64 @"heddle.param:i64"(i32)
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
declare float @"heddle.canonical:f32"(float)
!heddle.sites = !{!0, !1}
!0 = !{!"sem", !"ld", !"space", !"global"}
!1 = !{!"sem", !"st", !"space", !"global"}
