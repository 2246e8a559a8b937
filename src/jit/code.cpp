// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/code.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace heddle::jit {

Result<std::shared_ptr<const Code>> Code::load(Image image, const machine::Loaded& loaded) {
  auto code = std::shared_ptr<Code>(new Code());
  code->image_ = std::move(image);
  const std::vector<u8>& bytes = code->image_.code;
  void* at =
      mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return Error{"no memory for compiled code"};
  code->base_ = static_cast<u8*>(at);
  code->bytes_ = bytes.size();
  std::memcpy(at, bytes.data(), bytes.size());
  for (u32 offset : code->image_.absolute) {
    u64 word;
    std::memcpy(&word, code->base_ + offset, sizeof word);
    word += reinterpret_cast<u64>(at);
    std::memcpy(code->base_ + offset, &word, sizeof word);
  }
  if (mprotect(at, bytes.size(), PROT_READ | PROT_EXEC) != 0)
    return Error{"the host does not let compiled code run"};
  __builtin___clear_cache(static_cast<char*>(at), static_cast<char*>(at) + bytes.size());
  for (u32 symbol : code->image_.symbols) {
    code->symbols_.push_back(symbol & kFunctionSymbol
                                 ? loaded.address_of(ir::FunctionId(symbol & ~kFunctionSymbol))
                                 : loaded.address_of(ir::VarId(symbol)));
  }
  code->allocates_tensor_memory_ = std::ranges::any_of(
      code->image_.sites, [](const Site& one) { return one.sem == isa::SemId::tensor_alloc; });
  code->image_.code = {};
  return std::shared_ptr<const Code>(std::move(code));
}

Code::~Code() {
  if (base_) munmap(base_, bytes_);
}

const CodeLine* Code::line_at(u64 address) const {
  const u64 offset = address - reinterpret_cast<u64>(base_);
  if (offset >= bytes_) return nullptr;
  const auto next = std::upper_bound(image_.lines.begin(), image_.lines.end(), offset,
                                     [](u64 at, const CodeLine& line) { return at < line.offset; });
  return next == image_.lines.begin() ? nullptr : &*std::prev(next);
}

}  // namespace heddle::jit
