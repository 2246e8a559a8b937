// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is linked with NVRTC.
#include <stdio.h>

int nvrtcVersion(int* major, int* minor);
int nvrtcCreateProgram(void** program, const char* source, const char* name, int count,
                       const char* const* headers, const char* const* includes);
int nvrtcCompileProgram(void* program, int count, const char* const* options);
int nvrtcGetCUBIN(void* program, char* out);

int main(void) {
  char out[10000] = "";
  void* program = NULL;
  int major = 0, minor = 0;
  const char* const options[] = {"-arch=sm_90"};
  nvrtcVersion(&major, &minor);
  nvrtcCreateProgram(&program, "", "k.cu", 0, NULL, NULL);
  nvrtcCompileProgram(program, 1, options);
  nvrtcGetCUBIN(program, out);
  printf("%d.%d %s\n", major, minor, out[0] == '\177' ? "a container" : out);
  return 0;
}
