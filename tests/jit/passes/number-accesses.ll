; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Two accesses with the same Site get one each; the copy has the same contents.
; RUN: %heddle jit --passes=number-accesses %s | %FileCheck %s
; CHECK: load:1.i32"(i32 1, i64 0)
; CHECK: load:1.i32"(i32 [[OWN:2]], i64 4)
; CHECK: store:1.i32"(i32 0, i64 8
; CHECK: !heddle.sites = !{![[STORE:[0-9]+]], ![[LOAD:[0-9]+]], ![[LOAD]]}

define void @kernel() {
  %x = call i32 @"heddle.load:1.i32"(i32 1, i64 0)
  %y = call i32 @"heddle.load:1.i32"(i32 1, i64 4)
  call void @"heddle.store:1.i32"(i32 0, i64 8, i32 %x)
  ret void
}
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
!heddle.sites = !{!0, !1}
!0 = !{!"sem", !"st", !"space", !"global"}
!1 = !{!"sem", !"ld", !"space", !"global", !"strong", i64 1}
