; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Accesses of the kernel's memory are checked when they run; accesses of the compiler's own memory are not.
; RUN: %heddle jit --passes=verify-accesses %s | %FileCheck %s
; CHECK: %x = load i32, ptr %frames
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr %p to i64
; CHECK: sub i64 [[ADDRESS]]
; CHECK: br i1
; CHECK: store i32 %x, ptr %p
; CHECK-NOT: br i1
; CHECK: %y = call <4 x i32> @llvm.masked.gather

define i32 @cta(ptr %context, ptr %frames) {
  %x = load i32, ptr %frames
  %at = load i64, ptr %context
  %p = inttoptr i64 %at to ptr
  store i32 %x, ptr %p
  %y = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> getelementptr ([4 x i32], <4 x ptr> <ptr @table, ptr @table, ptr @table, ptr @table>, <4 x i64> zeroinitializer, <4 x i64> <i64 3, i64 2, i64 1, i64 0>), i32 4, <4 x i1> splat (i1 true), <4 x i32> poison)
  %first = extractelement <4 x i32> %y, i32 0
  ret i32 %first
}
@table = private constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)

