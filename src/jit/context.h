// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code and the run-time share while a CTA runs. The code reads and writes the fields
// by their offsets (offsetof), so their types are plain.
#pragma once

#include <cstddef>

#include "base/types.h"

namespace heddle::jit {

inline constexpr u32 kLanes = 32;

struct Context;

/// What a warp's code ends with.
enum class Outcome : u32 {
  finished,
  trapped,  ///< Context says why
  barrier,  ///< Context::barrier_*; the warp goes on behind it
};

/// What the code calls. A non-zero result: trapped.
using Helper = u32 (*)(Context*, u32 site);
enum class HelperId : u32 {
  check_access,  ///< Context::addresses of the lanes in Context::lanes: traps if one is not legal
  atomic,
  ordered_load,
  ordered_store,
  warp_op,
  special,  ///< Context::words[0] = special register `site` (register << 2 | component)
  trap,
  count_,
};

/// Operands of a helper, lane by lane; elements of `bytes` bytes lie side by side.
inline constexpr u32 kHelperOperands = 16;

struct Context {
  // Memory.
  u64 low_base, low_size, high_base, high_size;
  u64 shared_base, shared_size;
  u64 local_base, local_stride;  ///< of lane 0 of the warp; bytes from thread to thread
  u64 params;
  const u64* symbols;  ///< addresses of Image::symbols

  // The CTA and the warp.
  u32 ctaid[3], nctaid[3];
  u32 warp;
  u32 lanes_of_warp;  ///< threads that exist

  // Out.
  u32 barrier_number, barrier_count, barrier_predicate, barrier_result;
  u8 barrier_kind, barrier_has_count;

  const Helper* helpers;
  void* owner;  ///< the Cta

  // Of helpers.
  u32 lanes;
  u32 trap_kind;
  alignas(64) u64 addresses[kLanes];
  alignas(64) u64 operands[kHelperOperands][kLanes];
};

}  // namespace heddle::jit
