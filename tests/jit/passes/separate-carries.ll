; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A mask with some constant lanes, used as a number in a sum: a copy that is opaque to LLVM is inserted.
; RUN: %heddle jit --passes=separate-carries --cpu x86-64-v4 %s | %FileCheck %s
; CHECK: %c = zext <16 x i1> %k to <16 x i32>
; CHECK: [[COPY:%.*]] = call <16 x i32> asm "", "=v,0"
; CHECK: add <16 x i32> %a, [[COPY]]

define i32 @cta(ptr %context, ptr %frames) {
  %a = load <16 x i32>, ptr %frames
  %m = load <16 x i1>, ptr %frames
  %k = select <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x i1> %m, <16 x i1> zeroinitializer
  %c = zext <16 x i1> %k to <16 x i32>
  %y = add <16 x i32> %a, %c
  store <16 x i32> %y, ptr %frames
  ret i32 0
}
