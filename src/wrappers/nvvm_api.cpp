// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wrapper in front of libNVVM, NVIDIA's compiler for LLVM IR, a library that works without a
// GPU. Its option -gen-lto asks for LTO-IR, which only NVIDIA's linker reads. Here such programs
// are compiled to PTX, which Heddle's linker takes in the place of LTO-IR. All other functions are
// the vendor's.
#include <algorithm>
#include <string_view>
#include <vector>

#include "wrappers/vendor.h"

extern "C" {
using Compile = int (*)(void* program, int count, const char** options);
}

extern "C" __attribute__((visibility("default"))) int nvvmCompileProgram(void* program, int count,
                                                                         const char** options) {
  static const Compile compile = [] {
    Compile found;
    heddle::wrappers::VendorLibrary(HEDDLE_REAL).find("nvvmCompileProgram", found);
    return found;
  }();
  if (count <= 0 || !options) return compile(program, count, options);
  std::vector<const char*> words(options, options + count);
  std::erase_if(words,
                [](const char* word) { return word && std::string_view(word) == "-gen-lto"; });
  return compile(program, static_cast<int>(words.size()), words.data());
}
