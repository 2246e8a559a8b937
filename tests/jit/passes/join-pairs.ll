; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The same operation on both halves of words becomes one, if the processor has half-precision arithmetic.
; RUN: %heddle jit --passes=join-pairs --cpu sapphirerapids %s | %FileCheck %s
; RUN: %heddle jit --passes=join-pairs --cpu x86-64-v4 %s | %FileCheck %s --check-prefix NONE
; CHECK: fadd <2 x half>
; CHECK-NOT: fadd half
; NONE: fadd half
; NONE: fadd half

define void @kernel() {
  %p = call i32 @"heddle.param:i32"(i32 0)
  %q = call i32 @"heddle.param:i32"(i32 4)
  %pl = trunc i32 %p to i16
  %ps = lshr i32 %p, 16
  %ph = trunc i32 %ps to i16
  %ql = trunc i32 %q to i16
  %qs = lshr i32 %q, 16
  %qh = trunc i32 %qs to i16
  %a = bitcast i16 %pl to half
  %b = bitcast i16 %ph to half
  %c = bitcast i16 %ql to half
  %d = bitcast i16 %qh to half
  %low = fadd half %a, %c
  %high = fadd half %b, %d
  %lb = bitcast half %low to i16
  %hb = bitcast half %high to i16
  %lw = zext i16 %lb to i32
  %hw = zext i16 %hb to i32
  %hs = shl i32 %hw, 16
  %all = or disjoint i32 %hs, %lw
  call void @use(i32 %all)
  ret void
}
declare i32 @"heddle.param:i32"(i32)
declare void @use(i32)
