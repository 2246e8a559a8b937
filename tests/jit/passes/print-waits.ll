; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A loop that reads memory until another thread has written there may wait.
; RUN: %heddle jit --passes='choose-team,print<waits>' %s | %FileCheck %s
; CHECK: waits:
; CHECK-NEXT: the loop at %loop may wait for what %v gives

define void @kernel() {
entry:
  %p = call i64 @"heddle.param:i64"(i32 0)
  br label %loop
loop:
  %v = call i32 @"heddle.load:1.i32"(i32 0, i64 %p)
  %again = icmp eq i32 %v, 0
  br i1 %again, label %loop, label %exit
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
!1 = !{!"sem", !"ld", !"space", !"global", !"strong", i64 1, !"ordered", i64 1}
!2 = !{!"sem", !"st", !"space", !"global"}
