// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole program on the device, for nvptx-none-run: its arguments, its output, its exit status.
//
// run: nvptx-none-run
// arguments: one "two three"
// expect: 3 arguments
// expect: one
// expect: two three
// status: 42
#include <stdio.h>

int main(int argc, char** argv) {
  printf("%d arguments\n", argc);
  for (int i = 1; i < argc; ++i) puts(argv[i]);
  return argc + 39;
}
