// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code and the run-time share while a CTA runs. The code reads and writes the fields
// by their offsets (offsetof), so their types are plain.
#pragma once

#include <cstddef>

#include "base/types.h"

namespace heddle::jit {

inline constexpr u32 kLanes = 32;
inline constexpr u32 kMostWarps = 2;  ///< that run together, as a team

struct Context;

/// What the code of a CTA ends with. Where all warps come to one barrier it goes on by itself.
enum class Outcome : u32 {
  finished,
  trapped,   ///< the CTA says why
  barriers,  ///< the warps came to different ends: their frames say which
  stopped,   ///< Context::stop was set; the CTA is lost
  paused,    ///< its turn is over; all warps are where Context::resume says
};

/// How a warp's frame begins, when its code has barriers: where it goes on, 0 at the beginning, and
/// the barrier at which it waits. The run-time says which warps may go on.
struct WarpState {
  static constexpr u32 kFinished = ~0u;     ///< of both
  static constexpr u32 kYields = ~0u - 3;   ///< of barrier: none; others shall have their turns
  static constexpr u32 kLooks = ~0u - 4;    ///< the same, and it only looks what others do
  static constexpr u32 kArrived = ~0u - 5;  ///< ... or one that the run-time knows
  u32 resume;
  u32 barrier;
  u32 ready;
  u32 site;  ///< of the instruction at which it waits
};

/// What the code calls; the lanes in Context::lanes take part. A result that is not 0: trapped.
using Helper = u32 (*)(Context*, u32 site);
enum class HelperId : u32 {
  check_access,  ///< of the team's lanes: traps if one of Context::addresses is not legal
  check_line,    ///< the same for addresses in lines, Site::step apart: from each of Context::lines
  atomic,   ///< at Context::addresses; operands: b of each element, then c; results in their place
  load,     ///< ordered, from Context::addresses; results: the elements
  store,    ///< ordered; operands: the elements
  warp_op,  ///< operands in order; results in the place of operands, in order
  special,  ///< a special register; the argument is its number << 2 | component
  trap,     ///< by a trap instruction, a breakpoint or a branch to nowhere
  step,     ///< the instruction of the site, by the engine below; operands: machine::Stepper's rows
  call,     ///< the function call of the site, by the engine below; operands: words, results too
  wait,  ///< the same as step of a wait for a barrier object; Context::again: nobody has an answer
         ///< yet
  arrive,  ///< at barrier operand 0, of which operand 1 is the thread count, if it has one; operand
           ///< 2: predicates. All that live of the warp
  arrive_in_cluster,  ///< all that live of the warp
  wait_in_cluster,    ///< they do, for those of the cluster; Context::again: some are missing
  verify_access,      ///< of Context::verified: ends the process where one is not accessible
  members,  ///< operand 0: the membermask of each lane; traps, in a strict launch, if it is wrong
};
inline constexpr u32 kHelpers = 16;

/// Most operands of a helper. An operand's lanes lie side by side, predicates as a word of bits.
inline constexpr u32 kHelperOperands = 24;
inline constexpr u32 kRowBits = 64;  ///< of a lane; larger operands take two places

struct Context {
  // Memory.
  u64 low_base, low_size, high_base, high_size;
  u64 shared_base, shared_size;
  u64 cluster_base, cluster_size;  ///< the windows of all CTAs of the cluster
  u64 local_base, local_stride;    ///< of thread 0; bytes from thread to thread
  u64 params, params_size;
  u64 const_base, const_size;  ///< the module's .const variables
  const u64* symbols;          ///< addresses of Image::symbols

  // The CTA and the warp.
  u32 ctaid[3], nctaid[3];
  u64 left;    ///< CTAs behind this one that the code goes on to, x fastest
  u32 warp;    ///< that runs
  u32 begins;  ///< no warp has run yet; else WarpState says how far each is

  u32 stop;  ///< not 0: give up at the next round of a loop

  // Of code whose CTAs take turns (Image::columns).
  u32 turns;   ///< barriers until this one's is over
  u64 resume;  ///< how the turn before ended: WarpState's resume and barrier; 0: the CTA begins

  u32 alone;  ///< the lane that goes through a loop by itself, counted from 1; 0: none

  u32 again;                   ///< out of HelperId::wait and wait_in_cluster
  u32 barrier_result[kLanes];  ///< by warp: of the bar.red at which it waited

  const Helper* helpers;
  void* owner;  ///< the Cta

  // Of helpers.
  u32 lanes;
  u64 team_lanes;  ///< in place of `lanes`, where the helper goes from warp to warp
  /// Where the team's lines of addresses begin, of as many halves of warps each as Site::shared
  /// says; and their indices before they were widened, if they were.
  u64 lines[2 * kMostWarps];
  u32 indices[2 * kMostWarps];
  alignas(64) u64 addresses[kLanes * kMostWarps];
  alignas(64) u64 operands[kHelperOperands][kLanes];

  /// Of verify_access: host addresses, of which those count whose bits are set in `verified_lanes`.
  u64 verified_lanes, verified_bytes;
  u64 verified[kLanes * kMostWarps];
};

}  // namespace heddle::jit
