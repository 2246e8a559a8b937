; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; 2 x - (x & 7) becomes x + (x & -8), which is not negative. With the mask of another number it stays.
; RUN: %heddle jit --passes=add-masked %s | %FileCheck %s
; CHECK: [[HIGH:%.*]] = and i32 %t, -8
; CHECK: [[INDEX:%.*]] = add i32 %t, [[HIGH]]
; CHECK: %kept = sub i32 %twice, %others
; CHECK: call void @use(i32 [[INDEX]])

define void @kernel() {
  %t = call i32 @heddle.tid(i32 0)
  %twice = shl i32 %t, 1
  %low = and i32 %t, 7
  %index = sub i32 %twice, %low
  %u = call i32 @heddle.tid(i32 1)
  %others = and i32 %u, 7
  %kept = sub i32 %twice, %others
  call void @use(i32 %index)
  call void @use(i32 %kept)
  ret void
}
declare i32 @heddle.tid(i32)
declare void @use(i32)
