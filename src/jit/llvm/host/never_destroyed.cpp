// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exit() runs the destructors of static objects while other threads run, and one of them may be
// compiling with LLVM. So no static object of this library is destroyed: all code that is linked
// into it calls this function instead of the C library's to register destructors (Itanium C++ ABI
// 3.3.6.3), and it does nothing. Memory goes with the process.
extern "C" [[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
