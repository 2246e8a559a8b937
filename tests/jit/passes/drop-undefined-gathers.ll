; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A gather with no active lane has undefined addresses, and is removed; other gathers stay.
; RUN: %heddle jit --passes=drop-undefined-gathers %s | %FileCheck %s
; CHECK: store <16 x i32> zeroinitializer
; CHECK: %y = call <16 x i32> @llvm.masked.gather

define i32 @cta(ptr %context, ptr %frames) {
  %x = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> undef, i32 4, <16 x i1> zeroinitializer, <16 x i32> zeroinitializer)
  store <16 x i32> %x, ptr %frames
  %p = load <16 x ptr>, ptr %frames
  %m = load <16 x i1>, ptr %frames
  %y = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %m, <16 x i32> zeroinitializer)
  store <16 x i32> %y, ptr %frames
  ret i32 0
}
declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i32>)
