// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See nvrtc.h.
#include "wrappers/nvrtc.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "image/container.h"

namespace heddle::wrappers {

Result Programs::create(Program* program, const char* source, const char* name, int count,
                        const char* const* headers, const char* const* includes) {
  const Result result = vendor_.create(program, source, name, count, headers, includes);
  if (result != kSuccess) return result;
  State state;
  if (name && *name) state.name = std::string(name) + ".ptx";
  const std::lock_guard lock(mutex_);
  programs_[*program] = std::move(state);
  return result;
}

Result Programs::destroy(Program* program) {
  if (program) {
    const std::lock_guard lock(mutex_);
    programs_.erase(*program);
  }
  return vendor_.destroy(program);
}

Result Programs::compile(Program program, int count, const char* const* words) {
  const bool good = count > 0 && words && std::none_of(words, words + count, std::logical_not());
  const Options options = good ? make_virtual({words, words + count}) : Options{};
  std::vector<const char*> changed;
  for (const std::string& word : options.words) changed.push_back(word.c_str());
  const Result result = vendor_.compile(program, count, good ? changed.data() : words);
  compiled(program, result == kSuccess ? options.asked : Asked::ptx, options.max_registers);
  return result;
}

void Programs::compiled(Program program, Asked asked, u32 max_registers) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(program);
  if (found == programs_.end()) return;
  State& state = found->second;
  state = {std::move(state.name), asked, max_registers, ""};
}

Result Programs::container_of(Asked kind, Program program, std::optional<std::string>& container) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(program);
  if (found == programs_.end() || found->second.asked != kind) return kSuccess;
  State& state = found->second;
  if (state.container.empty()) {
    std::size_t size = 0;
    if (const Result bad = vendor_.ptx_size(program, &size)) return bad;
    std::string text(size, '\0');
    if (const Result bad = vendor_.ptx(program, text.data())) return bad;
    text.resize(std::strlen(text.c_str()));
    const image::PtxText one{state.name, std::move(text), state.max_registers};
    state.container = image::write_container({&one, 1});
  }
  container = state.container;
  return kSuccess;
}

Result Programs::size(Asked kind, Program program, std::size_t* size) {
  std::optional<std::string> container;
  if (const Result bad = container_of(kind, program, container)) return bad;
  if (!container)
    return (kind == Asked::lto_ir ? vendor_.lto_ir_size : vendor_.cubin_size)(program, size);
  if (!size) return kInvalidInput;
  *size = container->size();
  return kSuccess;
}

Result Programs::output(Asked kind, Program program, char* out) {
  std::optional<std::string> container;
  if (const Result bad = container_of(kind, program, container)) return bad;
  if (!container) return (kind == Asked::lto_ir ? vendor_.lto_ir : vendor_.cubin)(program, out);
  if (!out) return kInvalidInput;
  std::ranges::copy(*container, out);
  return kSuccess;
}

}  // namespace heddle::wrappers
