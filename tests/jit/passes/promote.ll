; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Registers, which are variables at first, become values.
; RUN: %heddle jit --passes=promote %s | %FileCheck %s
; CHECK-NOT: alloca
; CHECK: [[T:%.*]] = call i32 @heddle.tid(i32 0)
; CHECK-NEXT: [[SUM:%.*]] = add i32 [[T]], 3
; CHECK-NEXT: call void @use(i32 [[SUM]])

define void @kernel() {
  %r1 = alloca i32
  store i32 0, ptr %r1
  %t = call i32 @heddle.tid(i32 0)
  store i32 %t, ptr %r1
  %x = load i32, ptr %r1
  %y = add i32 %x, 1
  %z = add i32 %y, 2
  call void @use(i32 %z)
  ret void
}
declare i32 @heddle.tid(i32)
declare void @use(i32)
