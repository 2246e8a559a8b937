// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in for libNVVM, which prints the options that it gets.
#include <stdio.h>

int nvvmVersion(int* major, int* minor) {
  *major = 2;
  *minor = 9;
  return 0;
}
int nvvmCompileProgram(void* program, int count, const char** options) {
  (void)program;
  for (int i = 0; i < count; ++i) printf("%s\n", options[i]);
  return 0;
}
