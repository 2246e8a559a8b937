; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; On processors that convert halves but lack half-precision arithmetic, arithmetic on vectors of halves becomes arithmetic on floats;
; signs are changed in the bits. With AVX512-FP16 the code does not change.
; RUN: %heddle jit --passes=widen-halves --cpu x86-64-v3 %s | %FileCheck %s
; RUN: %heddle jit --passes=widen-halves --cpu sapphirerapids %s | %FileCheck %s --check-prefix HAS

define i32 @cta(ptr %context, ptr %frames) {
  %a = load <16 x half>, ptr %frames
  %there = getelementptr i8, ptr %frames, i64 32
  %b = load <16 x half>, ptr %there
; CHECK: fpext <16 x half> %a to <16 x float>
; CHECK: [[LESS:%.*]] = fcmp olt <16 x float>
; HAS: fcmp olt <16 x half> %a, %b
  %less = fcmp olt <16 x half> %a, %b
; CHECK: xor <16 x i16> {{.*}}, <i16 -32768,
; HAS: fneg <16 x half> %a
  %negated = fneg <16 x half> %a
; CHECK: and <16 x i16> {{.*}}, <i16 32767,
  %size = call <16 x half> @llvm.fabs.v16f16(<16 x half> %b)
; CHECK: [[SUM:%.*]] = fadd <16 x float>
; CHECK: fptrunc <16 x float> [[SUM]] to <16 x half>
  %sum = fadd <16 x half> %negated, %size
; A select is not arithmetic.
; CHECK: select <16 x i1> [[LESS]], <16 x half>
  %chosen = select <16 x i1> %less, <16 x half> %sum, <16 x half> %a
  store <16 x half> %chosen, ptr %frames
  ret i32 0
}
declare <16 x half> @llvm.fabs.v16f16(<16 x half>)
