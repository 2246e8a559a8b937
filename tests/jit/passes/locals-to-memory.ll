; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A variable that is indexed at run time is moved to the thread's local memory.
; RUN: %heddle jit --passes=locals-to-memory %s | %FileCheck %s
; CHECK-NOT: alloca
; CHECK: store:1.i32"(i32 {{[0-9]+}}, i64 [[PLACE:%.*]], i32 %t)
; CHECK: load:1.i32"(i32 {{[0-9]+}}, i64 [[PLACE]])
; CHECK: !{!"local_bytes", i64 16}
; CHECK: !{!"local_in_lanes", i64 1}

define void @kernel() {
  %t = call i32 @heddle.tid(i32 0)
  %array = alloca [4 x i32]
  %index = and i32 %t, 3
  %place = getelementptr [4 x i32], ptr %array, i32 0, i32 %index
  store i32 %t, ptr %place
  %x = load i32, ptr %place
  call void @use(i32 %x)
  ret void
}
declare i32 @heddle.tid(i32)
declare void @use(i32)
!heddle.sites = !{!0}
!0 = !{!"sem", !"ld"}
