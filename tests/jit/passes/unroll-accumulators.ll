; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A loop with more accumulators than registers is unrolled twice, and the two additions to one accumulator are adjacent.
; RUN: %heddle jit --passes=unroll-accumulators %s | %FileCheck %s
; CHECK: loop:
; CHECK: %n0 = fadd float %s0, %x
; CHECK-NEXT: %n0.1 = fadd float %n0, %x.1
; CHECK-NEXT: %n1 = fadd float %s1, %x
; CHECK-NEXT: %n1.1 = fadd float %n1, %x.1
; CHECK: add nuw nsw i32 %i, 2

define void @kernel() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %n0, %loop ]
  %s1 = phi float [ 0.0, %entry ], [ %n1, %loop ]
  %s2 = phi float [ 0.0, %entry ], [ %n2, %loop ]
  %s3 = phi float [ 0.0, %entry ], [ %n3, %loop ]
  %s4 = phi float [ 0.0, %entry ], [ %n4, %loop ]
  %s5 = phi float [ 0.0, %entry ], [ %n5, %loop ]
  %s6 = phi float [ 0.0, %entry ], [ %n6, %loop ]
  %s7 = phi float [ 0.0, %entry ], [ %n7, %loop ]
  %s8 = phi float [ 0.0, %entry ], [ %n8, %loop ]
  %s9 = phi float [ 0.0, %entry ], [ %n9, %loop ]
  %s10 = phi float [ 0.0, %entry ], [ %n10, %loop ]
  %s11 = phi float [ 0.0, %entry ], [ %n11, %loop ]
  %s12 = phi float [ 0.0, %entry ], [ %n12, %loop ]
  %s13 = phi float [ 0.0, %entry ], [ %n13, %loop ]
  %s14 = phi float [ 0.0, %entry ], [ %n14, %loop ]
  %s15 = phi float [ 0.0, %entry ], [ %n15, %loop ]
  %w = uitofp i32 %i to float
  %x = fmul float %w, 2.0
  %n0 = fadd float %s0, %x
  %n1 = fadd float %s1, %x
  %n2 = fadd float %s2, %x
  %n3 = fadd float %s3, %x
  %n4 = fadd float %s4, %x
  %n5 = fadd float %s5, %x
  %n6 = fadd float %s6, %x
  %n7 = fadd float %s7, %x
  %n8 = fadd float %s8, %x
  %n9 = fadd float %s9, %x
  %n10 = fadd float %s10, %x
  %n11 = fadd float %s11, %x
  %n12 = fadd float %s12, %x
  %n13 = fadd float %s13, %x
  %n14 = fadd float %s14, %x
  %n15 = fadd float %s15, %x
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %done
done:
  %l0 = phi float [ %n0, %loop ]
  %l1 = phi float [ %n1, %loop ]
  %l2 = phi float [ %n2, %loop ]
  %l3 = phi float [ %n3, %loop ]
  %l4 = phi float [ %n4, %loop ]
  %l5 = phi float [ %n5, %loop ]
  %l6 = phi float [ %n6, %loop ]
  %l7 = phi float [ %n7, %loop ]
  %l8 = phi float [ %n8, %loop ]
  %l9 = phi float [ %n9, %loop ]
  %l10 = phi float [ %n10, %loop ]
  %l11 = phi float [ %n11, %loop ]
  %l12 = phi float [ %n12, %loop ]
  %l13 = phi float [ %n13, %loop ]
  %l14 = phi float [ %n14, %loop ]
  %l15 = phi float [ %n15, %loop ]
  call void @use(float %l0)
  call void @use(float %l1)
  call void @use(float %l2)
  call void @use(float %l3)
  call void @use(float %l4)
  call void @use(float %l5)
  call void @use(float %l6)
  call void @use(float %l7)
  call void @use(float %l8)
  call void @use(float %l9)
  call void @use(float %l10)
  call void @use(float %l11)
  call void @use(float %l12)
  call void @use(float %l13)
  call void @use(float %l14)
  call void @use(float %l15)
  ret void
}
declare void @use(float)
