; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Local variables get consecutive places in the thread's local memory.
; RUN: %heddle jit --passes=place-locals %s | %FileCheck %s
; CHECK: store:1.i32"(i32 0, i64 0, i32 1)
; CHECK: !{!"local_bytes", i64 32}

define void @kernel() {
  %first = call i64 @heddle.local(i32 0)
  %second = call i64 @heddle.local(i32 1)
  %place = add i64 %second, 8
  call void @"heddle.store:1.i32"(i32 0, i64 %first, i32 1)
  call void @"heddle.store:1.i32"(i32 2, i64 %place, i32 2)
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
