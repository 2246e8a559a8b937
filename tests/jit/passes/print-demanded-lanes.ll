; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Only one lane of a value is demanded if only that lane stores it.
; RUN: %heddle jit --passes='choose-team,print<demanded-lanes>' %s | %FileCheck %s
; CHECK: demanded lanes:
; CHECK-NEXT: %v: 0x1
; CHECK-NEXT: %d: 0x1

define void @kernel() {
entry:
  %p = call i64 @"heddle.param:i64"(i32 0)
  %t = call i32 @heddle.tid(i32 0)
  %v = call i32 @"heddle.load:1.i32"(i32 0, i64 %p)
  %d = mul i32 %v, %t
  %one = icmp eq i32 %t, 0
  br i1 %one, label %there, label %exit
there:
  call void @"heddle.store:1.i32"(i32 1, i64 %p, i32 %d)
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
!0 = !{!"block", i64 32, i64 1, i64 1}
!heddle.sites = !{!1, !2}
!1 = !{!"sem", !"ld", !"space", !"global"}
!2 = !{!"sem", !"st", !"space", !"global"}
