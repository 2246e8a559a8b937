; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Bits of two vectors combined under a mask: with AVX-512, a copy that is opaque to LLVM is inserted.
; RUN: %heddle jit --passes=separate-choices --cpu x86-64-v4 %s | %FileCheck %s
; RUN: %heddle jit --passes=separate-choices --cpu x86-64-v3 %s | %FileCheck %s --check-prefix NONE
; CHECK: %both = or <16 x i32>
; CHECK: [[COPY:%.*]] = call <16 x i32> asm "", "=v,0"
; CHECK: select <16 x i1> %m, <16 x i32> [[COPY]], <16 x i32> %a
; NONE-NOT: asm

define i32 @cta(ptr %context, ptr %frames) {
  %a = load <16 x i32>, ptr %frames
  %b = load <16 x i32>, ptr %context
  %m = load <16 x i1>, ptr %frames
  %high = and <16 x i32> %a, splat (i32 -2147483648)
  %low = and <16 x i32> %b, splat (i32 2147483647)
  %both = or <16 x i32> %high, %low
  %y = select <16 x i1> %m, <16 x i32> %both, <16 x i32> %a
  store <16 x i32> %y, ptr %frames
  ret i32 0
}
