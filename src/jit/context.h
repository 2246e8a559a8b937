// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between compiled code and the run-time while a CTA runs. The code accesses fields
// by their offsets (offsetof), so their types are plain.
#pragma once

#include <cstddef>

#include "base/types.h"

namespace heddle::jit {

inline constexpr u32 kLanes = 32;
inline constexpr u32 kMostWarps = 2;  ///< of a team

struct Context;

/// Why the code of a CTA returns. Where all warps come to one barrier, it continues without
/// returning.
enum class Outcome : u32 {
  finished,
  trapped,   ///< Cta::trap() has the reason
  barriers,  ///< the warps ended in different regions: see their WarpState
  stopped,   ///< Context::stop was set; the CTA cannot resume
  paused,    ///< switches to another CTA; all warps resume at Context::resume
};

/// The head of a warp's frame, when its code has barriers: where the warp resumes, 0 at the
/// beginning, and the barrier at which it waits. The run-time decides which warps are ready.
struct WarpState {
  static constexpr u32 kFinished = ~0u;     ///< in both fields
  static constexpr u32 kYields = ~0u - 3;   ///< no barrier: the warp yields to others
  static constexpr u32 kLooks = ~0u - 4;    ///< the same, and it has only polled memory
  static constexpr u32 kArrived = ~0u - 5;  ///< the run-time knows the barrier
  u32 resume;
  u32 barrier;
  u32 ready;
  u32 site;  ///< the instruction at which it waits
};

/// A function that compiled code calls, for the lanes in Context::lanes. A result that is not 0: a
/// trap.
using Helper = u32 (*)(Context*, u32 site);
enum class HelperId : u32 {
  check_access,  ///< traps if an address of the team's lanes in Context::addresses is not legal
  check_line,    ///< the same for affine addresses: Context::lines, with stride Site::step
  atomic,   ///< at Context::addresses; operands: b of each element, then c; results in their place
  load,     ///< ordered, from Context::addresses; results: the elements
  store,    ///< ordered; operands: the elements
  warp_op,  ///< operands in order; results in the place of operands or, if these have several
            ///< registers, behind them
  special,  ///< a special register; the argument is its number << 2 | component
  trap,     ///< by a trap instruction, a breakpoint or a branch to nowhere
  step,     ///< the site's instruction, by the fallback engine; operands: machine::Stepper's rows
  call,     ///< the site's function call, by the fallback engine; operands and results: words
  wait,     ///< as step, for a wait for a barrier object; Context::again: no lane has an answer yet
  arrive,  ///< at barrier operand 0, of which operand 1 is the thread count, if it has one; operand
           ///< 2: predicates. For all lanes of the warp that have not exited
  arrive_in_cluster,  ///< for all lanes of the warp that have not exited
  wait_in_cluster,    ///< the same; Context::again: other threads have not arrived yet
  verify_access,      ///< aborts if an address in Context::verified is not accessible
  members,  ///< operand 0: the membermask of each lane; traps, in a strict launch, if it is wrong
};
inline constexpr u32 kHelpers = 16;

/// The most operands of a helper; wgmma.mma_async has up to 140. An operand's lanes are
/// consecutive; a predicate is a word of bits.
inline constexpr u32 kHelperOperands = 144;
inline constexpr u32 kRowBits = 64;  ///< of a lane; larger operands take two

struct Context {
  // Memory.
  u64 low_base, low_size, high_base, high_size;
  u64 shared_base, shared_size;
  u64 cluster_base, cluster_size;  ///< the windows of all CTAs of the cluster
  u64 local_base, local_stride;    ///< address of thread 0's; bytes from thread to thread
  u64 params, params_size;
  u64 const_base, const_size;  ///< the module's .const variables
  const u64* symbols;          ///< addresses of Image::symbols

  // The CTA and the warp.
  u32 ctaid[3], nctaid[3];
  u64 left;    ///< CTAs that follow in this run, x fastest
  u32 warp;    ///< number of the one that runs
  u32 begins;  ///< not 0: no warp has run yet, WarpState is not valid

  u32 stop;  ///< not 0: return at the next round of a loop

  // For code that switches between CTAs (Image::switches_ctas).
  u32 barriers_left;  ///< barriers until the next switch
  u64 resume;         ///< WarpState's resume and barrier, of all warps; 0: the CTA begins

  u32 alone;  ///< the lane that executes a sequential loop, counted from 1; 0: none

  u32 again;                   ///< result of HelperId::wait and wait_in_cluster
  u32 barrier_result[kLanes];  ///< by warp: the result of its bar.red

  const Helper* helpers;
  void* owner;  ///< the Cta

  // For helpers.
  u32 lanes;
  u64 team_lanes;  ///< instead of `lanes`, for helpers that work on all warps of the team
  /// Affine addresses of the team: those of the first lanes, each shared by Site::shared halves of
  /// warps; and their indices before widening, if Site::widens.
  u64 lines[2 * kMostWarps];
  u32 indices[2 * kMostWarps];
  alignas(64) u64 addresses[kLanes * kMostWarps];
  alignas(64) u64 operands[kHelperOperands][kLanes];

  /// For verify_access: host addresses, one for each bit that is set in `verified_lanes`.
  u64 verified_lanes, verified_bytes;
  u64 verified[kLanes * kMostWarps];

  /// For code of Request::clustered: the address of the first byte of the CTA's shared memory.
  u64 first_shared;
};

}  // namespace heddle::jit
