; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A generic address relative to the CTA's shared memory (Context::shared_base) is a shared address. The state space of a parameter's address is unknown.
; RUN: %heddle jit --passes=infer-spaces %s | %FileCheck %s
; CHECK: load:1.i32"(i32 0, i64 [[PLACE:%[0-9]+]])
; CHECK: load:1.i32"(i32 1, i64 %param)
; CHECK: !heddle.sites = !{![[SHARED:[0-9]+]], ![[OTHER:[0-9]+]]}
; CHECK: ![[SHARED]] = !{!"sem", !"ld", !"space", !"shared"}
; CHECK: ![[OTHER]] = !{!"sem", !"ld"}

define void @kernel() {
  %base = call i64 @heddle.context.i64(i32 32)
  %generic = add i64 %base, 12
  %x = call i32 @"heddle.load:1.i32"(i32 0, i64 %generic)
  %param = call i64 @"heddle.param:i64"(i32 0)
  %y = call i32 @"heddle.load:1.i32"(i32 1, i64 %param)
  call void @use(i32 %x)
  call void @use(i32 %y)
  ret void
}
declare i64 @heddle.context.i64(i32)
declare i64 @"heddle.param:i64"(i32)
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @use(i32)
!heddle.sites = !{!0, !0}
!0 = !{!"sem", !"ld"}
