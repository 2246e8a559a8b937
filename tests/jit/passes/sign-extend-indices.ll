; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; An index that a dominating branch shows to be not negative is sign-extended; an index without known bounds does not change.
; RUN: %heddle jit --passes=sign-extend-indices %s | %FileCheck %s
; CHECK: there:
; CHECK: [[INDEX:%.*]] = sext i32 %less to i64
; CHECK: call void @use(i64 [[INDEX]])
; CHECK: %unknown = zext i32 %p to i64

define void @kernel() {
entry:
  %t = call i32 @heddle.tid(i32 0), !range !0
  %enough = icmp uge i32 %t, 4
  br i1 %enough, label %there, label %done
there:
  %less = sub i32 %t, 4
  %index = zext i32 %less to i64
  call void @use(i64 %index)
  %p = call i32 @"heddle.param:i32"(i32 0)
  %unknown = zext i32 %p to i64
  call void @use(i64 %unknown)
  br label %done
done:
  ret void
}
declare i32 @heddle.tid(i32)
declare i32 @"heddle.param:i32"(i32)
declare void @use(i64)
!0 = !{i32 0, i32 64}
