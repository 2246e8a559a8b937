// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's output for a kernel: position-independent machine code, and what the run-time
// needs to know about it. Plain data, so that it can be kept on disk.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"
#include "ir/module.h"
#include "isa/sem_ids.h"
#include "jit/context.h"
#include "machine/trap.h"

namespace heddle::jit {

/// The code from `offset` to the next entry's comes from instruction `inst` of function `function`.
struct CodeLine {
  u32 offset = 0;
  u32 function = 0;  ///< FunctionId
  u32 inst = 0;
};

/// The instruction that an access or a helper's call is made for.
struct Site {
  u32 function = 0, inst = 0;  ///< FunctionId, index into ir::Function::insts
  isa::SemId sem = isa::SemId::none;
  ir::Space space = ir::Space::generic;
  isa::Type type = isa::Type::none;  ///< of an atomic operation
  u8 bytes = 4;                      ///< of an element
  u8 count = 1;                      ///< elements
  bool strong = false;   ///< other threads may write at the same time, and a loop may wait for that
  bool ordered = false;  ///< those run on other host threads: an atomic access
  bool has_third = false;  ///< of an atomic operation: there is an operand c, for all elements
  u8 op = 0;               ///< sem::Atomop, or of bar.red sem::Boolop; 0: another operation
  u8 runtime[6] = {};      ///< run-time modifiers of a warp operation
  u8 registers[12] = {};   ///< of a warp operation: how many each of its operands has, sources
                           ///< before results; 0 behind the last operand
  u8 first_result = 0;     ///< of a warp operation: the operand of the helper that has the result
  u16 dispatch = 0;        ///< of a warp or atomic operation: isa::dispatch_index()
  u32 next = 0;            ///< of an access that is checked in a group: the next one
  u64 distance = 0;        ///< bytes behind the address that is given
  // Of affine addresses: see Context::lines.
  bool in_line = false;      ///< addresses are in Context::lines; else in Context::addresses
  u8 shared = 1;             ///< halves of warps that share a first address
  s64 step = 0;              ///< from lane to lane
  u8 widens = 0;             ///< 1: a widened index may have wrapped around; 2: a signed one
  s32 index_step = 0;        ///< that index's stride from lane to lane
  s64 factor = 0;            ///< bytes of address for each step of the widened index
  bool narrow = false;       ///< only 32 bits of the address are valid
  bool alone = false;        ///< of a wait: its loop has no other effect
  bool has_count = false;    ///< of a barrier: it has a thread count
  bool has_members = false;  ///< of a warp operation: its last operand is a membermask
  bool gathered = false;     ///< of that or a barrier: its lanes have been waited for
};

/// Flag in Image::symbols: a function, not a variable.
inline constexpr u32 kFunctionSymbol = 1u << 31;

struct Image {
  std::vector<u8> code;       ///< position-independent; begins on a page
  std::vector<u32> absolute;  ///< offsets of 64-bit words to which the code's own address is added
  u32 entry = 0;              ///< offset of the CTA's function
  std::vector<CodeLine> lines;     ///< by offset
  u32 team = kLanes;               ///< threads of a team: one warp, or two
  u32 frame_bytes = 0;             ///< a team's frame, a multiple of 64; 0: no barriers
  bool loops = false;              ///< it looks at Context::stop
  bool waits = false;              ///< it may wait for other CTAs (waits.h)
  bool switches_ctas = false;      ///< it switches between CTAs of a column (cta_switching.h)
  bool zeroes_subnormals = false;  ///< subnormal operands shall count as zero (float_mode.h)
  u64 local_bytes = 0;             ///< local memory of a thread
  u64 frame_of_call = 0;           ///< of a recursive function, the largest; 0: none
  bool allocates = false;          ///< it has alloca, at the end of the room for calls
  std::vector<Site> sites;         ///< by the number that the code gives to helpers
  std::vector<u32> symbols;        ///< variables (VarId), or functions with kFunctionSymbol, whose
                                   ///< addresses Context::symbols has
};

}  // namespace heddle::jit
