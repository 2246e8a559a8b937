; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A function that calls itself becomes a loop, with frames in the thread's local memory.
; RUN: %heddle jit --passes=inline-recursion %s | %FileCheck %s
; CHECK: define void @kernel()
; CHECK-NOT: call i1 @down
; CHECK: switch i32
; CHECK-NOT: define {{.*}} @down
; CHECK: !{!"frame_of_call", i64 [[BYTES:[1-9][0-9]*]]}

define void @kernel() {
  %argument = alloca i32
  store i32 5, ptr %argument
  %gone = call i1 @down(ptr %argument)
  ret void
}
define internal i1 @down(ptr %n) !heddle.recursive !3 {
entry:
  %argument = alloca i32
  %v = load i32, ptr %n
  %stop = icmp eq i32 %v, 0
  br i1 %stop, label %exit, label %more
more:
  %less = sub i32 %v, 1
  store i32 %less, ptr %argument
  %gone = call i1 @down(ptr %argument)
  br label %exit
exit:
  ret i1 false
}
!heddle.kernel = !{!0}
!0 = !{!"block", i64 32, i64 1, i64 1}
!heddle.sites = !{!1}
!1 = !{!"sem", !"call"}
!3 = !{i64 0, i64 0, i64 0, i64 1, i64 4}
