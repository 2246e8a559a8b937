; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The initial zero of a register is removed if another write dominates each read.
; RUN: %heddle jit --passes=drop-first-writes %s | %FileCheck %s
; CHECK: %written = alloca
; CHECK-NOT: store i32 0, ptr %written
; CHECK: store i32 0, ptr %read
; CHECK-NOT: store i32 0, ptr %written
; CHECK: ret void

define void @kernel() {
  %written = alloca i32
  %read = alloca i32
  store i32 0, ptr %written
  store i32 0, ptr %read
  %t = call i32 @heddle.tid(i32 0)
  %first = icmp eq i32 %t, 0
  br i1 %first, label %there, label %behind
there:
  store i32 7, ptr %read
  br label %behind
behind:
  %old = load i32, ptr %read
  store i32 %old, ptr %written
  %new = load i32, ptr %written
  call void @use(i32 %new)
  ret void
}
declare i32 @heddle.tid(i32)
declare void @use(i32)
