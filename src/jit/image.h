// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler makes of a kernel: machine code that can lie anywhere, with everything that
// tells the run-time about it. Plain data, so it can be kept on disk.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"
#include "ir/module.h"
#include "isa/sem_ids.h"
#include "jit/context.h"
#include "machine/trap.h"

namespace heddle::jit {

/// From `offset` in the code up to the next entry: instruction `inst` of function `function`.
struct CodeLine {
  u32 offset = 0;
  u32 function = 0;  ///< FunctionId
  u32 inst = 0;
};

/// What a call of a helper is about.
struct Site {
  u32 function = 0, inst = 0;  ///< FunctionId, index into ir::Function::insts
  isa::SemId sem = isa::SemId::none;
  ir::Space space = ir::Space::generic;
  isa::Type type = isa::Type::none;  ///< of what an atomic operation works on
  u8 bytes = 4;                      ///< of an element
  u8 count = 1;                      ///< elements
  bool strong = false;               ///< others may write meanwhile, and a loop may wait for that
  bool ordered = false;              ///< others are on other host threads: atomic accesses
  u8 op = 0;                         ///< sem::Atomop
  u8 runtime[3] = {};                ///< of a warp operation or bar.red: run-time modifiers
  u32 next = 0;                      ///< of accesses that are checked together: the next one
  u64 distance = 0;                  ///< how far behind the address that is given
  // Of addresses in a line: see Context::lines.
  bool in_line = false;      ///< for helpers that may get each lane's address instead
  u8 shared = 1;             ///< halves of warps that are in one line
  s64 step = 0;              ///< from lane to lane
  u8 widens = 0;             ///< an index may wrap around before it is widened; 2: which has a sign
  s32 index_step = 0;        ///< then: from lane to lane of that index
  s64 factor = 0;            ///< ... and of the address, for each step of the widened index
  bool narrow = false;       ///< only 32 bits of the address count
  bool alone = false;        ///< of a wait: nothing else in its loop makes a difference to anybody
  bool has_count = false;    ///< of a barrier
  bool has_members = false;  ///< of a warp operation: its last operand names those who take part
  bool gathered = false;     ///< of that or a barrier: who takes part has been waited for
};

/// In Image::symbols: a function, not a variable.
inline constexpr u32 kFunctionSymbol = 1u << 31;

struct Image {
  std::vector<u8> code;       ///< position-independent; begins on a page
  std::vector<u32> absolute;  ///< offsets of 64-bit words to which the code's own address is added
  u32 entry = 0;              ///< offset of the CTA's function
  std::vector<CodeLine> lines;     ///< by offset
  u32 team = kLanes;               ///< threads whose warps run together: of one warp, or two
  u32 frame_bytes = 0;             ///< a team's frame, a multiple of 64; 0: no barriers
  bool loops = false;              ///< it looks at Context::stop
  bool waits = false;              ///< for what other CTAs do, perhaps (waits.h)
  bool columns = false;            ///< CTAs of a column of the grid shall take turns (turns.h)
  bool zeroes_subnormals = false;  ///< it wants subnormal operands taken as zero (float_mode.h)
  u64 local_bytes = 0;             ///< local memory of a thread
  u64 frame_of_call = 0;           ///< the largest, in the room for calls behind it; 0: none
  bool allocates = false;          ///< it has alloca, which takes from the end of that room
  std::vector<Site> sites;         ///< by the number that the code gives to helpers
  std::vector<u32> symbols;        ///< variables (VarId), or functions with kFunctionSymbol, whose
                                   ///< addresses Context::symbols has
};

}  // namespace heddle::jit
