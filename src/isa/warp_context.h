// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp function may know beside its operands: the device, the warp, its shared memory, the
// textures.
#pragma once

#include "base/types.h"
#include "isa/tensor_core.h"
#include "isa/texture.h"

namespace heddle::isa {

/// Why a warp function has no results.
struct WarpFault {
  enum class Kind : u8 {
    none,
    shared_address,      ///< `value`: an address outside of the CTA's shared memory
    no_handle,           ///< `value` is the handle of no object
    wrong_kind,          ///< the object of handle `value` is not what the instruction needs
    not_bound,           ///< no memory is bound to the variable with handle `value`
    outside_surface,     ///< `coordinate` lies outside of the surface of handle `value`
    misaligned_surface,  ///< the first coordinate is no multiple of `bytes`
  };
  Kind kind = Kind::none;
  u32 lane = 0;
  u64 value = 0;
  s32 coordinate[3] = {};
  u32 layer = 0;
  u32 bytes = 0;  ///< of an access to a surface
};

struct WarpContext {
  const TensorCore& core;
  u32 warp;  ///< number in the CTA
  const u8* shared;
  u32 shared_bytes;
  const TextureHandles* textures = nullptr;
  WarpFault fault = {};

  /// The first fault counts.
  void fail(const WarpFault& what) {
    if (!failed()) fault = what;
  }
  bool failed() const { return fault.kind != WarpFault::Kind::none; }
};

}  // namespace heddle::isa
