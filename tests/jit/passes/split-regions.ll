; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A barrier splits the code into regions: warps run the region before it one after the other, store in their frames where they
; continue, and keep the values there that are live across the barrier.
; RUN: %heddle jit --passes='choose-team,vectorize,sroa<preserve-cfg>,early-cse,adce,split-regions' --cpu x86-64-v4 %s | %FileCheck %s
; RUN: not %heddle jit --passes=split-regions %S/limit-size.ll 2>&1 | %FileCheck %s --check-prefix LOST
; CHECK: define i32 @cta(ptr noalias %context, ptr %frames)
; CHECK: getelementptr {{.*}} ptr %frames
; CHECK: store <16 x i32> [[HALF:%.*]], ptr
; CHECK: load <16 x i32>, ptr
; CHECK-NOT: call void @heddle.region.end
; CHECK: !{!"frame_bytes", i64 {{[1-9]}}
; LOST: heddle: the function has lost the blocks by which regions are found

define void @kernel() {
  %t = call i32 @heddle.tid(i32 0)
  %base = call i64 @"heddle.param:i64"(i32 0)
  %w = zext i32 %t to i64
  %o = shl i64 %w, 2
  %a = add i64 %base, %o
  %v = call i32 @"heddle.load:1.i32"(i32 0, i64 %a)
  call void @heddle.barrier(i32 2, i32 0)
  %far = add i64 %a, 1024
  call void @"heddle.store:1.i32"(i32 1, i64 %far, i32 %v)
  ret void
}
declare i32 @heddle.tid(i32)
declare i64 @"heddle.param:i64"(i32)
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
declare void @heddle.barrier(i32, i32)
!heddle.kernel = !{!0}
!0 = !{!"block", i64 128, i64 1, i64 1}
!heddle.sites = !{!1, !2, !3}
!1 = !{!"sem", !"ld", !"space", !"global"}
!2 = !{!"sem", !"st", !"space", !"global"}
!3 = !{!"sem", !"bar_sync"}
