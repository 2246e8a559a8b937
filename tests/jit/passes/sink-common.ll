; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; An operation that both predecessors compute is sunk into their successor; different operands become a phi node.
; RUN: %heddle jit --passes=sink-common %s | %FileCheck %s
; CHECK: meet:
; CHECK-NEXT: %differs = phi i32
; CHECK-NEXT: [[SAME:%.*]] = mul i32 %t, 3
; CHECK: call void @use(i32 [[SAME]])
; CHECK: call void @use(i32 %differs)

define void @kernel() {
  %t = call i32 @heddle.tid(i32 0)
  %small = icmp ult i32 %t, 8
  br i1 %small, label %one, label %other
one:
  %a = mul i32 %t, 3
  %x = add i32 %t, 1
  br label %meet
other:
  %b = mul i32 %t, 3
  %y = add i32 %t, 2
  br label %meet
meet:
  %same = phi i32 [ %a, %one ], [ %b, %other ]
  %differs = phi i32 [ %x, %one ], [ %y, %other ]
  call void @use(i32 %same)
  call void @use(i32 %differs)
  ret void
}
declare i32 @heddle.tid(i32)
declare void @use(i32)
