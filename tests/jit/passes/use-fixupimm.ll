; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; With AVX-512 one instruction makes NaNs canonical.
; RUN: %heddle jit --passes=use-fixupimm --cpu x86-64-v4 %s | %FileCheck %s
; RUN: %heddle jit --passes=use-fixupimm --cpu x86-64-v3 %s | %FileCheck %s --check-prefix NONE
; CHECK: call <16 x float> @llvm.x86.avx512.mask.fixupimm.ps.512
; NONE: fcmp uno
; NONE-NEXT: select

define i32 @cta(ptr %context, ptr %frames) {
  %x = load <16 x float>, ptr %frames
  %nan = fcmp uno <16 x float> %x, zeroinitializer
  %y = select <16 x i1> %nan, <16 x float> splat (float 0x7FFFFFFFE0000000), <16 x float> %x
  store <16 x float> %y, ptr %frames
  ret i32 0
}
