// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// client LIBRARY OPTION...: loads a library and calls it as its clients do. Prints what it got.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* library;

static void* function(const char* name) {
  void* const found = dlsym(library, name);
  if (!found) {
    printf("no %s\n", name);
    exit(1);
  }
  return found;
}

/// "CUBIN: machine code", or "CUBIN: a container".
static void print_output(void* program, const char* kind) {
  char name[100];
  size_t size = 0;
  snprintf(name, sizeof name, "nvrtcGet%sSize", kind);
  ((int (*)(void*, size_t*))function(name))(program, &size);
  char* const bytes = calloc(1, size + 1);
  snprintf(name, sizeof name, "nvrtcGet%s", kind);
  ((int (*)(void*, char*))function(name))(program, bytes);
  printf("%s: %s\n", kind, memcmp(bytes, "\177ELF", 4) ? bytes : "a container");
  free(bytes);
}

static void use_nvrtc(int count, char** options) {
  int major = 0, minor = 0;
  void* program = NULL;
  ((int (*)(int*, int*))function("nvrtcVersion"))(&major, &minor);
  printf("version %d.%d\n", major, minor);
  ((int (*)(void**, const char*, const char*, int, void*, void*))function("nvrtcCreateProgram"))(
      &program, "", "k.cu", 0, NULL, NULL);
  printf("compile %d\n",
         ((int (*)(void*, int, char**))function("nvrtcCompileProgram"))(program, count, options));
  print_output(program, "PTX");
  print_output(program, "CUBIN");
  print_output(program, "LTOIR");
  ((int (*)(void**))function("nvrtcDestroyProgram"))(&program);
}

int main(int count, char** words) {
  library = dlopen(words[1], RTLD_NOW);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  if (strstr(words[1], "nvrtc")) use_nvrtc(count - 2, words + 2);
  if (strstr(words[1], "nvvm"))
    ((int (*)(void*, int, char**))function("nvvmCompileProgram"))(NULL, count - 2, words + 2);
  if (strstr(words[1], "cupti")) {
    unsigned version = 0;
    const int result = ((int (*)(unsigned*))function("cuptiGetVersion"))(&version);
    printf("cuptiGetVersion %d %u, cuptiActivityFlushAll %d\n", result, version,
           ((int (*)(unsigned))function("cuptiActivityFlushAll"))(4));
  }
  if (strstr(words[1], "libcuda."))
    printf("cuInit %d\n", ((int (*)(unsigned))function("cuInit"))(0));
  return 0;
}
