// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exports of the compiler's library. Both sides belong to one build (compiler.cpp compares
// version and layout of objects), so C++ objects may pass between them.
#include "jit/library.h"
#include "jit/compiler.h"
#include "jit/llvm/host/codegen.h"

namespace heddle::jit {
Result<Compiled> compile_here(const Request& request);
Result<std::string> run_passes_here(const TextRequest& request);
std::vector<PassInfo> list_passes_here();
}  // namespace heddle::jit

extern "C" [[gnu::visibility("default")]] void heddle_jit_compile(
    const heddle::jit::Request& request, heddle::Result<heddle::jit::Compiled>& result) {
  result = heddle::jit::compile_here(request);
}

extern "C" [[gnu::visibility("default")]] void heddle_jit_run_passes(
    const heddle::jit::TextRequest& request, heddle::Result<std::string>& result) {
  result = heddle::jit::run_passes_here(request);
}

extern "C" [[gnu::visibility("default")]] void heddle_jit_list_passes(
    std::vector<heddle::jit::PassInfo>& passes) {
  passes = heddle::jit::list_passes_here();
}

extern "C" [[gnu::visibility("default")]] bool heddle_jit_knows_cpu(const std::string& name) {
  return heddle::jit::is_known_cpu(name);
}

extern "C" [[gnu::visibility("default")]] const char heddle_jit_version[] = HEDDLE_VERSION;
extern "C" [[gnu::visibility("default")]] const heddle::u64 heddle_jit_layout =
    heddle::jit::layout();
