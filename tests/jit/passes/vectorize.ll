; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The code of one thread becomes the code of CTAs: lanes under a mask, consecutive addresses as one access.
; RUN: %heddle jit --passes=choose-team,vectorize %s | %FileCheck %s
; CHECK: define i32 @cta(ptr noalias %context, ptr %frames)
; CHECK: warp:
; CHECK: icmp ult <16 x i32>
; CHECK: call <16 x i32> @llvm.masked.load.v16i32
; CHECK: add <16 x i32>
; CHECK: call void @llvm.masked.store.v16i32
; CHECK-NOT: @heddle.tid(i32 0)

define void @kernel() {
entry:
  %t = call i32 @heddle.tid(i32 0)
  %n = call i32 @"heddle.param:i32"(i32 0)
  %inside = icmp ult i32 %t, %n
  br i1 %inside, label %there, label %exit
there:
  %base = call i64 @"heddle.param:i64"(i32 8)
  %w = zext i32 %t to i64
  %o = shl i64 %w, 2
  %a = add i64 %base, %o
  %v = call i32 @"heddle.load:1.i32"(i32 0, i64 %a)
  %s = add i32 %v, 1
  call void @"heddle.store:1.i32"(i32 1, i64 %a, i32 %s)
  br label %exit
exit:
  ret void
}
declare i32 @heddle.tid(i32)
declare i64 @"heddle.param:i64"(i32)
declare i32 @"heddle.param:i32"(i32)
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
!heddle.kernel = !{!0}
!0 = !{!"block", i64 64, i64 1, i64 1}
!heddle.sites = !{!1, !2}
!1 = !{!"sem", !"ld", !"space", !"global"}
!2 = !{!"sem", !"st", !"space", !"global"}
