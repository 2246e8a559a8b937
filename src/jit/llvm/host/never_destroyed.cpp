// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exit() runs the destructors of static objects while other threads go on, and one of them may be
// compiling: LLVM would use what is gone. So objects of this library have none: what registers
// destructors with the C library (Itanium C++ ABI 3.3.6.3) is, for all that is linked into it, this
// function. The process ends, and its memory with it.
extern "C" [[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
