; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The two sides of a divergent branch lead to different barriers: a warp cannot arrive at both as a whole.
; RUN: not %heddle jit --passes=choose-team,resolve-waits %s 2>&1 | %FileCheck %s
; CHECK: heddle: a barrier that only some threads of a warp may come to

define void @kernel() {
entry:
  %t = call i32 @heddle.tid(i32 0)
  %few = icmp ult i32 %t, 8
  br i1 %few, label %one, label %other
one:
  call void @heddle.barrier(i32 0, i32 0)
  br label %exit
other:
  call void @heddle.barrier(i32 1, i32 1)
  br label %exit
exit:
  ret void
}
declare i32 @heddle.tid(i32)
declare void @heddle.barrier(i32, i32)
!heddle.kernel = !{!0}
!0 = !{!"block", i64 64, i64 1, i64 1}
!heddle.sites = !{!1, !1}
!1 = !{!"sem", !"bar_sync"}
