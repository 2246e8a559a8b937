// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One CTA of a compiled kernel. Each warp's code runs up to a barrier, and when all warps have come
// there, on from it.
#pragma once

#include <csetjmp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jit/code.h"
#include "jit/watch.h"
#include "machine/engine.h"
#include "machine/fault.h"
#include "machine/special_values.h"

namespace heddle::jit {

class Cta final : public machine::Cta {
 public:
  Cta(std::shared_ptr<const Code> code, machine::Launch& launch);
  ~Cta() override;

  Result<bool> begin(u64 index) override;
  machine::CtaStatus run(u64 budget) override;
  const machine::Trap& trap() const override { return trap_; }

  // For helpers.
  const Site& site(u32 number) const { return code_->image().sites[number]; }
  machine::WarpIdentity identity() const { return {&launch_, cta_, cta_index_, context_.warp, 0}; }
  /// Traps, and returns 1, when an access of the lanes in Context is not legal.
  u32 check_access(const Site& site, u64 distance = 0);
  /// Whether those in a line (HelperId::check_line) are; it looks at the ends.
  bool line_is_legal(const Site& site) const;
  void raise(machine::TrapKind kind, const Site& site, u32 lane) {
    const CodeLine line{0, site.function, site.inst};
    trapped(kind, &line, lane, std::nullopt);
  }

 private:
  struct Free {
    void operator()(u8* memory) const { std::free(memory); }
  };

  WarpState& state(u32 warp) const {
    return *reinterpret_cast<WarpState*>(frames_.get() +
                                         std::size_t{warp} * code_->image().frame_bytes);
  }
  bool is_legal(ir::Space space, u64 address, u64 bytes) const;
  machine::CtaStatus run_warps();
  bool release();
  machine::CtaStatus trapped(machine::TrapKind kind, const CodeLine* line, u32 lane,
                             std::optional<u64> address);
  machine::CtaStatus faulted();

  const std::shared_ptr<const Code> code_;
  machine::Launch& launch_;
  const machine::Region& region_;
  const u32 warps_;
  Context context_{};
  std::optional<Watched> watched_;  ///< when its code has loops
  std::unique_ptr<u8, Free> frames_;
  machine::Dim3 cta_{};
  u64 cta_index_ = 0;
  u64 shared_base_ = 0, local_base_ = 0, local_stride_ = 0;
  sigjmp_buf recover_;
  machine::Fault fault_;
  machine::Trap trap_{};
};

}  // namespace heddle::jit
