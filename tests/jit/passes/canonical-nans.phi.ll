; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A phi node hands a NaN's bits on to whoever looks at them, so its operand is made canonical. The other operand was loaded,
; and keeps its bits.
; RUN: %heddle jit --passes=canonical-nans %s | %FileCheck %s
; CHECK: square:
; CHECK: fmul float
; CHECK: [[IS_NAN:%.*]] = fcmp uno float [[PRODUCT:%.*]], [[PRODUCT]]
; CHECK: [[CANONICAL:%.*]] = select i1 [[IS_NAN]], float 0x7FFFFFFFE0000000, float [[PRODUCT]]
; CHECK: [[BITS:%.*]] = bitcast float [[CANONICAL]] to i32
; CHECK: join:
; CHECK-NEXT: phi i32 [ %loaded, %entry ], [ [[BITS]], %square ]

define void @kernel() {
entry:
  %p = call i64 @"heddle.param:i64"(i32 0)
  %loaded = call i32 @"heddle.load:1.i32"(i32 0, i64 %p)
  %x = bitcast i32 %loaded to float
  %negative = fcmp ult float %x, 0.0
  br i1 %negative, label %square, label %join
square:
  %raw = fmul float %x, %x
  %product = call float @"heddle.canonical:f32"(float %raw)
  %bits = bitcast float %product to i32
  br label %join
join:
  %out = phi i32 [ %loaded, %entry ], [ %bits, %square ]
  call void @"heddle.store:1.i32"(i32 1, i64 %p, i32 %out)
  ret void
}
declare i64 @"heddle.param:i64"(i32)
declare i32 @"heddle.load:1.i32"(i32, i64)
declare void @"heddle.store:1.i32"(i32, i64, i32)
declare float @"heddle.canonical:f32"(float)
!heddle.sites = !{!0, !1}
!0 = !{!"sem", !"ld", !"space", !"global"}
!1 = !{!"sem", !"st", !"space", !"global"}
