; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Accesses of the kernel's memory are looked at when they run; those of the compiler's own places are not.
; RUN: %heddle jit --passes=verify-accesses %s | %FileCheck %s
; CHECK: %x = load i32, ptr %frames
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr %p to i64
; CHECK: sub i64 [[ADDRESS]]
; CHECK: br i1
; CHECK: store i32 %x, ptr %p

define i32 @cta(ptr %context, ptr %frames) {
  %x = load i32, ptr %frames
  %at = load i64, ptr %context
  %p = inttoptr i64 %at to ptr
  store i32 %x, ptr %p
  ret i32 0
}
