; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A local variable whose accesses are all known becomes a value; one that is indexed by the thread stays.
; RUN: %heddle jit --passes=promote-locals %s | %FileCheck %s
; CHECK-NOT: @heddle.local(i32 0)
; CHECK: call i64 @heddle.local(i32 1)
; CHECK: call void @"heddle.store:1.i32"(i32 2, i64 {{.*}}, i32 7)
; CHECK: call void @use(i32 7)
; CHECK-NOT: @heddle.local(i32 0)

define void @kernel() {
  %known = call i64 @heddle.local(i32 0)
  %there = add i64 %known, 4
  call void @"heddle.store:1.i32"(i32 0, i64 %there, i32 7)
  %x = call i32 @"heddle.load:1.i32"(i32 1, i64 %there)
  %indexed = call i64 @heddle.local(i32 1)
  %t = call i32 @heddle.tid(i32 0)
  %w = zext i32 %t to i64
  %place = add i64 %indexed, %w
  call void @"heddle.store:1.i32"(i32 2, i64 %place, i32 %x)
  %y = call i32 @"heddle.load:1.i32"(i32 3, i64 %place)
  call void @use(i32 %x)
  call void @use(i32 %y)
  ret void
}
declare i64 @heddle.local(i32)
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
declare i32 @heddle.tid(i32)
declare void @use(i32)
!heddle.locals = !{!1, !1}
!1 = !{i64 16, i64 4}
!heddle.sites = !{!2, !3, !2, !3}
!2 = !{!"sem", !"st", !"space", !"local"}
!3 = !{!"sem", !"ld", !"space", !"local"}
