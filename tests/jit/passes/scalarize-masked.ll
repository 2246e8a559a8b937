; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A gather becomes a loop over the lanes of the mask if the processor has no gather instruction; otherwise it stays.
; RUN: %heddle jit --passes=scalarize-masked --cpu sapphirerapids %s | %FileCheck %s
; CHECK-NOT: @llvm.masked.gather.v16i8
; CHECK: lanes:
; CHECK: call i16 @llvm.cttz.i16
; CHECK: load i8, ptr
; CHECK: done:
; CHECK: call <16 x i32> @llvm.masked.gather.v16i32

define i32 @cta(ptr %context, ptr %frames) {
  %p = load <16 x ptr>, ptr %frames
  %m = load <16 x i1>, ptr %frames
  %y = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> %p, i32 1, <16 x i1> %m, <16 x i8> zeroinitializer)
  store <16 x i8> %y, ptr %frames
  %z = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %m, <16 x i32> zeroinitializer)
  store <16 x i32> %z, ptr %frames
  ret i32 0
}
declare <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i8>)
declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i32>)
