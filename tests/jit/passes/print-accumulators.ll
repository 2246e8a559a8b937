; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A loop carries more vectors than there are registers: each is an accumulator that one place in
; the frame can hold. A loop with few vectors is not listed.
; RUN: %heddle jit --passes='print<accumulators>' %s | %FileCheck %s
; CHECK: accumulators:
; CHECK-NEXT: %a0: kept in the frame
; CHECK: %a28: kept in the frame
; CHECK-NOT: %few

define i32 @cta(ptr %context, ptr %frames) {
entry:
  br label %cta
cta:
  br label %warp
warp:
  br label %loop
loop:
  %i = phi i32 [ 0, %warp ], [ %more.i, %loop ]
  %a0 = phi <16 x float> [ zeroinitializer, %warp ], [ %b0, %loop ]
  %a1 = phi <16 x float> [ zeroinitializer, %warp ], [ %b1, %loop ]
  %a2 = phi <16 x float> [ zeroinitializer, %warp ], [ %b2, %loop ]
  %a3 = phi <16 x float> [ zeroinitializer, %warp ], [ %b3, %loop ]
  %a4 = phi <16 x float> [ zeroinitializer, %warp ], [ %b4, %loop ]
  %a5 = phi <16 x float> [ zeroinitializer, %warp ], [ %b5, %loop ]
  %a6 = phi <16 x float> [ zeroinitializer, %warp ], [ %b6, %loop ]
  %a7 = phi <16 x float> [ zeroinitializer, %warp ], [ %b7, %loop ]
  %a8 = phi <16 x float> [ zeroinitializer, %warp ], [ %b8, %loop ]
  %a9 = phi <16 x float> [ zeroinitializer, %warp ], [ %b9, %loop ]
  %a10 = phi <16 x float> [ zeroinitializer, %warp ], [ %b10, %loop ]
  %a11 = phi <16 x float> [ zeroinitializer, %warp ], [ %b11, %loop ]
  %a12 = phi <16 x float> [ zeroinitializer, %warp ], [ %b12, %loop ]
  %a13 = phi <16 x float> [ zeroinitializer, %warp ], [ %b13, %loop ]
  %a14 = phi <16 x float> [ zeroinitializer, %warp ], [ %b14, %loop ]
  %a15 = phi <16 x float> [ zeroinitializer, %warp ], [ %b15, %loop ]
  %a16 = phi <16 x float> [ zeroinitializer, %warp ], [ %b16, %loop ]
  %a17 = phi <16 x float> [ zeroinitializer, %warp ], [ %b17, %loop ]
  %a18 = phi <16 x float> [ zeroinitializer, %warp ], [ %b18, %loop ]
  %a19 = phi <16 x float> [ zeroinitializer, %warp ], [ %b19, %loop ]
  %a20 = phi <16 x float> [ zeroinitializer, %warp ], [ %b20, %loop ]
  %a21 = phi <16 x float> [ zeroinitializer, %warp ], [ %b21, %loop ]
  %a22 = phi <16 x float> [ zeroinitializer, %warp ], [ %b22, %loop ]
  %a23 = phi <16 x float> [ zeroinitializer, %warp ], [ %b23, %loop ]
  %a24 = phi <16 x float> [ zeroinitializer, %warp ], [ %b24, %loop ]
  %a25 = phi <16 x float> [ zeroinitializer, %warp ], [ %b25, %loop ]
  %a26 = phi <16 x float> [ zeroinitializer, %warp ], [ %b26, %loop ]
  %a27 = phi <16 x float> [ zeroinitializer, %warp ], [ %b27, %loop ]
  %a28 = phi <16 x float> [ zeroinitializer, %warp ], [ %b28, %loop ]
  %x = load <16 x float>, ptr %frames
  %b0 = fadd <16 x float> %a0, %x
  %b1 = fadd <16 x float> %a1, %x
  %b2 = fadd <16 x float> %a2, %x
  %b3 = fadd <16 x float> %a3, %x
  %b4 = fadd <16 x float> %a4, %x
  %b5 = fadd <16 x float> %a5, %x
  %b6 = fadd <16 x float> %a6, %x
  %b7 = fadd <16 x float> %a7, %x
  %b8 = fadd <16 x float> %a8, %x
  %b9 = fadd <16 x float> %a9, %x
  %b10 = fadd <16 x float> %a10, %x
  %b11 = fadd <16 x float> %a11, %x
  %b12 = fadd <16 x float> %a12, %x
  %b13 = fadd <16 x float> %a13, %x
  %b14 = fadd <16 x float> %a14, %x
  %b15 = fadd <16 x float> %a15, %x
  %b16 = fadd <16 x float> %a16, %x
  %b17 = fadd <16 x float> %a17, %x
  %b18 = fadd <16 x float> %a18, %x
  %b19 = fadd <16 x float> %a19, %x
  %b20 = fadd <16 x float> %a20, %x
  %b21 = fadd <16 x float> %a21, %x
  %b22 = fadd <16 x float> %a22, %x
  %b23 = fadd <16 x float> %a23, %x
  %b24 = fadd <16 x float> %a24, %x
  %b25 = fadd <16 x float> %a25, %x
  %b26 = fadd <16 x float> %a26, %x
  %b27 = fadd <16 x float> %a27, %x
  %b28 = fadd <16 x float> %a28, %x
  %more.i = add i32 %i, 1
  %more = icmp ult i32 %more.i, 8
  br i1 %more, label %loop, label %second
second:
  %few = phi <16 x float> [ zeroinitializer, %loop ], [ %sum, %second ]
  %sum = fadd <16 x float> %few, %few
  %again = load i1, ptr %context
  br i1 %again, label %second, label %next.team
next.team:
  store <16 x float> %b0, ptr %frames
  store <16 x float> %b1, ptr %frames
  store <16 x float> %b2, ptr %frames
  store <16 x float> %b3, ptr %frames
  store <16 x float> %b4, ptr %frames
  store <16 x float> %b5, ptr %frames
  store <16 x float> %b6, ptr %frames
  store <16 x float> %b7, ptr %frames
  store <16 x float> %b8, ptr %frames
  store <16 x float> %b9, ptr %frames
  store <16 x float> %b10, ptr %frames
  store <16 x float> %b11, ptr %frames
  store <16 x float> %b12, ptr %frames
  store <16 x float> %b13, ptr %frames
  store <16 x float> %b14, ptr %frames
  store <16 x float> %b15, ptr %frames
  store <16 x float> %b16, ptr %frames
  store <16 x float> %b17, ptr %frames
  store <16 x float> %b18, ptr %frames
  store <16 x float> %b19, ptr %frames
  store <16 x float> %b20, ptr %frames
  store <16 x float> %b21, ptr %frames
  store <16 x float> %b22, ptr %frames
  store <16 x float> %b23, ptr %frames
  store <16 x float> %b24, ptr %frames
  store <16 x float> %b25, ptr %frames
  store <16 x float> %b26, ptr %frames
  store <16 x float> %b27, ptr %frames
  store <16 x float> %b28, ptr %frames
  br label %next
next:
  br label %done
done:
  br label %finished
finished:
  ret i32 0
}
