// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image in executable memory.
#pragma once

#include <memory>

#include "base/result.h"
#include "jit/context.h"
#include "jit/image.h"
#include "machine/loaded.h"

namespace heddle::jit {

/// Runs the warps of a CTA. Their frames are consecutive.
using CtaCode = u32(Context*, u8* frames);

class Code {
 public:
  /// Fails when the host has no memory.
  static Result<std::shared_ptr<const Code>> load(Image image, const machine::Loaded& loaded);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  /// The image without its code, which is at base().
  const Image& image() const { return image_; }
  CtaCode* cta() const { return reinterpret_cast<CtaCode*>(base_ + image_.entry); }
  const u8* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  const u64* symbols() const { return symbols_.data(); }
  bool allocates_tensor_memory() const { return allocates_tensor_memory_; }
  /// The instruction of the code at a host address; null: it is not in this code.
  const CodeLine* line_at(u64 address) const;

 private:
  Code() = default;
  Image image_;
  u8* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<u64> symbols_;
  bool allocates_tensor_memory_ = false;
};

}  // namespace heddle::jit
