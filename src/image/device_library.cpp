// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See device_library.h. The handle of a grid is the address of its machine::GridWorkspace, or 0 in
// a launch that is not cooperative.
#include "image/device_library.h"

#include <algorithm>

namespace heddle::image {
namespace {

// The barrier is a counter whose top bit flips each time that all CTAs have arrived, because their
// increments add up to 2^31: each CTA adds 1, and the first CTA the rest. cooperative_groups
// (details/sync.h) uses the same counter in the same way, so a grid may use both.
constexpr std::string_view kText = R"(
.version 6.0
.target sm_30
.address_size 64

// (cudaCGScope): only cudaCGScopeGrid, 1, has a handle.
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .pred %is_grid;
  .reg .b32 %scope, %high, %low;
  .reg .b64 %handle;
  ld.param.u32 %scope, [scope];
  mov.u32 %high, %envreg1;
  mov.u32 %low, %envreg2;
  mov.b64 %handle, {%low, %high};
  setp.eq.u32 %is_grid, %scope, 1;
  selp.b64 %handle, %handle, 0, %is_grid;
  st.param.b64 [handle], %handle;
  ret;
}

// (handle, flags): cudaErrorInvalidValue, 1, without a handle.
.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %p;
  .reg .b32 %a, %b, %step, %before, %now;
  .reg .b64 %handle;
  ld.param.u64 %handle, [handle];
  setp.eq.u64 %p, %handle, 0;
  @%p bra NOT_COOPERATIVE;
  barrier.sync 0;
  mov.u32 %a, %tid.x;
  mov.u32 %b, %tid.y;
  or.b32 %a, %a, %b;
  mov.u32 %b, %tid.z;
  or.b32 %a, %a, %b;
  setp.ne.u32 %p, %a, 0;
  @%p bra MEET;

  mov.u32 %a, %nctaid.x;
  mov.u32 %b, %nctaid.y;
  mul.lo.u32 %a, %a, %b;
  mov.u32 %b, %nctaid.z;
  mul.lo.u32 %a, %a, %b;
  sub.u32 %step, 0x80000001, %a;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ctaid.y;
  or.b32 %a, %a, %b;
  mov.u32 %b, %ctaid.z;
  or.b32 %a, %a, %b;
  setp.eq.u32 %p, %a, 0;
  selp.b32 %step, %step, 1, %p;

  membar.gl;
  atom.add.u32 %before, [%handle+4], %step;
WAIT:
  ld.volatile.u32 %now, [%handle+4];
  xor.b32 %now, %now, %before;
  setp.ge.s32 %p, %now, 0;
  @%p bra WAIT;
  membar.gl;
MEET:
  barrier.sync 0;
  st.param.b32 [error], 0;
  ret;
NOT_COOPERATIVE:
  st.param.b32 [error], 1;
  ret;
}
)";

}  // namespace

std::optional<PtxText> device_library_for(std::span<const PtxText> texts) {
  const auto mentions = [](const PtxText& text) {
    return std::ranges::any_of(device_library_names(), [&](const std::string& name) {
      return text.text.find(name) != std::string::npos;
    });
  };
  if (std::ranges::none_of(texts, mentions)) return std::nullopt;
  return PtxText{"<device run-time>", std::string(kText)};
}

const std::set<std::string, std::less<>>& device_library_names() {
  static const std::set<std::string, std::less<>> names{"cudaCGGetIntrinsicHandle",
                                                        "cudaCGSynchronize"};
  return names;
}

}  // namespace heddle::image
