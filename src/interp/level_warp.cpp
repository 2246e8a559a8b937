// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers of warp functions (isa/sem/lanes.h). Compiled once per level, for the vectors of its
// loops. When the CTA calls them, Warp::mask is the lanes that get a result, and Warp::members the
// lanes that take part, which are all present. The two are the same, except where membermasks are
// wrong (machine/membermask.h).
#include "interp/level_lanes.h"
#include "isa/sem/warp_function.h"
#include "isa/warp_headers.inc"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {
namespace {

/// Sources are src[0..], results dst[0..1]; the second result may be missing.
template <auto kFunction>
void warp_function(Warp& warp, const Op& op) {
  using Function = sem::WarpFunction<kFunction>;
  u32 unwanted = 0;
  Function::call(op.runtime, {warp.members, warp.mask}, [&](u32 i) -> void* {
    if (i < Function::kSources) return warp.at<u8>(op.src[i]);
    const Place to = op.dst[i - Function::kSources];
    return to == kNoPlace ? static_cast<void*>(&unwanted) : warp.at<u8>(to);
  });
}

constexpr Handler kHandlers[] = {
#define HEDDLE_WARP(index, ...) &warp_function<&__VA_ARGS__>,
#define HEDDLE_NO_WARP(index) nullptr,
#include "isa/warp_functions.inc"
#undef HEDDLE_WARP
#undef HEDDLE_NO_WARP
};

}  // namespace

std::span<const Handler> warp_table() { return kHandlers; }

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
