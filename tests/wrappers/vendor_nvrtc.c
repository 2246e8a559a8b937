// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in for NVRTC: its PTX has the options in a comment, its machine code and its LTO-IR are
// words.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Program {
  char ptx[1000];
};

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 7;
  return 0;
}
int nvrtcCreateProgram(struct Program** program, const char* source, const char* name, int count,
                       const char* const* headers, const char* const* includes) {
  (void)source, (void)name, (void)count, (void)headers, (void)includes;
  *program = calloc(1, sizeof **program);
  return 0;
}
int nvrtcDestroyProgram(struct Program** program) {
  free(*program);
  *program = NULL;
  return 0;
}
int nvrtcCompileProgram(struct Program* program, int count, const char* const* options) {
  strcpy(program->ptx, ".version 8.0\n//");
  for (int i = 0; i < count; ++i) {
    if (!strcmp(options[i], "-wrong")) return 5;
    strcat(strcat(program->ptx, " "), options[i]);
  }
  strcat(program->ptx, "\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n");
  return 0;
}
static int size_of(const char* text, size_t* size) {
  *size = strlen(text) + 1;
  return 0;
}
static int copy(const char* text, char* out) {
  strcpy(out, text);
  return 0;
}
int nvrtcGetPTXSize(struct Program* program, size_t* size) { return size_of(program->ptx, size); }
int nvrtcGetPTX(struct Program* program, char* out) { return copy(program->ptx, out); }
int nvrtcGetCUBINSize(struct Program* program, size_t* size) {
  (void)program;
  return size_of("machine code", size);
}
int nvrtcGetCUBIN(struct Program* program, char* out) {
  (void)program;
  return copy("machine code", out);
}
int nvrtcGetLTOIRSize(struct Program* program, size_t* size) {
  (void)program;
  return size_of("LTO-IR", size);
}
int nvrtcGetLTOIR(struct Program* program, char* out) {
  (void)program;
  return copy("LTO-IR", out);
}
