; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A helper of the run-time that is hardly ever called keeps all registers.
; RUN: %heddle jit --passes=cold-calls --cpu x86-64-v4 %s | %FileCheck %s
; CHECK: call i32 @keep_all(ptr %context, i32 7, ptr %helper)
; CHECK: define internal i32 @keep_all

define i32 @cta(ptr %context, ptr %frames) {
entry:
  %x = load <16 x i32>, ptr %frames
  %bad = load i1, ptr %context
  br i1 %bad, label %cold, label %done, !prof !0
cold:
  %there = getelementptr i8, ptr %context, i64 312
  %helpers = load ptr, ptr %there
  %place = getelementptr ptr, ptr %helpers, i32 0
  %helper = load ptr, ptr %place
  %r = call i32 %helper(ptr %context, i32 7)
  br label %done
done:
  store <16 x i32> %x, ptr %frames
  ret i32 0
}
!0 = !{!"branch_weights", i32 1, i32 1048575}
