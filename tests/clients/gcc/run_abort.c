// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// abort on the device ends nvptx-none-run with an error.
//
// run: nvptx-none-run
// expect: before
// status: nonzero
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  puts("before");
  if (argc > 0) abort();
  puts("after");
  return 0;
}
