// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One CTA of a compiled kernel. Each warp's code runs up to a barrier, and when all warps have come
// there, on from it.
#pragma once

#include <csetjmp>
#include <memory>
#include <string>
#include <vector>

#include "jit/code.h"
#include "machine/engine.h"
#include "machine/fault.h"

namespace heddle::jit {

class Cta final : public machine::Cta {
 public:
  Cta(std::shared_ptr<const Code> code, machine::Launch& launch);
  ~Cta() override;

  Result<bool> begin(u64 index) override;
  machine::CtaStatus run(u64 budget) override;
  const machine::Trap& trap() const override { return trap_; }

 private:
  enum class State : u8 { ready, waits, finished };
  struct Free {
    void operator()(u8* memory) const { std::free(memory); }
  };

  u8* frame(u32 warp) const {
    return frames_.get() + std::size_t{warp} * code_->image().frame_bytes;
  }
  u32 lanes_of(u32 warp) const;
  machine::CtaStatus run_warps();
  void release();
  machine::CtaStatus trapped(machine::TrapKind kind, const CodeLine* line, u32 lane,
                             std::optional<u64> address);
  machine::CtaStatus faulted();
  u32 check_access(const Site& site, u32 number);
  friend struct Helpers;

  const std::shared_ptr<const Code> code_;
  machine::Launch& launch_;
  const machine::Region& region_;
  const u32 warps_;
  Context context_{};
  std::unique_ptr<u8, Free> frames_;
  std::vector<State> states_;
  std::vector<u32> barriers_;  ///< by warp: at which it waits
  u32 finished_ = 0;
  machine::Dim3 cta_{};
  u64 shared_base_ = 0, local_base_ = 0, local_stride_ = 0;
  sigjmp_buf recover_;
  machine::Fault fault_;
  machine::Trap trap_{};
};

/// What compiled code calls, by HelperId.
extern const Helper kHelpers[];

}  // namespace heddle::jit
