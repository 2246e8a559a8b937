; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; All warps read a word of shared memory that a warp overwrites before the next barrier: a barrier is inserted in between.
; RUN: %heddle jit --passes=separate-broadcasts %s | %FileCheck %s
; CHECK: load:1.i32"(i32 0, i64 0)
; CHECK-NEXT: call void @heddle.barrier(i32 3, i32 0)
; CHECK: store:1.i32"(i32 1

define void @kernel() {
  call void @heddle.barrier(i32 2, i32 0)
  %x = call i32 @"heddle.load:1.i32"(i32 0, i64 0)
  %t = call i32 @heddle.tid(i32 0)
  %w = zext i32 %t to i64
  %a = shl i64 %w, 2
  call void @"heddle.store:1.i32"(i32 1, i64 %a, i32 %x)
  ret void
}
declare i32 @heddle.tid(i32)
declare i64 @"heddle.param:i64"(i32)
declare i32 @"heddle.param:i32"(i32)
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
declare void @heddle.barrier(i32, i32)
!heddle.kernel = !{!0}
!0 = !{!"block", i64 64, i64 1, i64 1}
!heddle.sites = !{!1, !2, !3}
!1 = !{!"sem", !"ld", !"space", !"shared"}
!2 = !{!"sem", !"st", !"space", !"shared"}
!3 = !{!"sem", !"bar_sync"}
