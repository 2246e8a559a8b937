; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A phi node of a struct becomes phi nodes of its used elements.
; RUN: %heddle jit --passes=scalarize-phis %s | %FileCheck %s
; CHECK: [[A:%.*]] = extractvalue { i32, i32 } %a, 1
; CHECK: [[B:%.*]] = extractvalue { i32, i32 } %b, 1
; CHECK: meet:
; CHECK-NEXT: [[SECOND:%.*]] = phi i32 [ [[A]], %entry ], [ [[B]], %one ]
; CHECK-NEXT: call void @use(i32 [[SECOND]])

define void @kernel() {
entry:
  %p = call i64 @"heddle.param:i64"(i32 0)
  %t = call i32 @heddle.tid(i32 0)
  %a = call {i32, i32} @"heddle.load:2.i32"(i32 0, i64 %p)
  %b = call {i32, i32} @"heddle.load:2.i32"(i32 1, i64 %p)
  %small = icmp ult i32 %t, 8
  br i1 %small, label %one, label %meet
one:
  br label %meet
meet:
  %both = phi {i32, i32} [ %a, %entry ], [ %b, %one ]
  %second = extractvalue {i32, i32} %both, 1
  call void @use(i32 %second)
  ret void
}
declare i64 @"heddle.param:i64"(i32)
declare i32 @heddle.tid(i32)
declare {i32, i32} @"heddle.load:2.i32"(i32, i64)
declare void @use(i32)
!heddle.sites = !{!0, !0}
!0 = !{!"sem", !"ld", !"space", !"global", !"count", i64 2}
