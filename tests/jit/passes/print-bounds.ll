; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The bounds of integers at their definitions: from ranges, and from dominating branches.
; RUN: %heddle jit --passes='print<bounds>' %s | %FileCheck %s
; CHECK: bounds:
; CHECK-NEXT: %t: 0 to 63
; CHECK-NEXT: %w: 0 to 63
; CHECK-NEXT: %o: 0 to 252, a multiple of 4
; CHECK: %more: 1 to 8

define void @kernel() {
entry:
  %t = call i32 @heddle.tid(i32 0), !range !0
  %w = zext nneg i32 %t to i64
  %o = shl i64 %w, 2
  %few = icmp ult i32 %t, 8
  br i1 %few, label %there, label %exit
there:
  %more = add i32 %t, 1
  br label %exit
exit:
  ret void
}
declare i32 @heddle.tid(i32)
declare i64 @"heddle.param:i64"(i32)
declare i32 @"heddle.param:i32"(i32)
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
!0 = !{i32 0, i32 64}
