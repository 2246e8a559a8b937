// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the interpreter executes: decoded instructions (Op) over registers of 32 lanes, and the part
// of a warp's state that an instruction handler sees. A register is a *place*: its 32 lanes lie
// side by side, so one handler call is a loop that the compiler turns into vector code. A
// predicate's place holds one bit per lane.
//
// This header is compiled once per CPU level (see CMakeLists.txt), so it holds declarations and
// plain data only.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <limits>

#include "base/types.h"
#include "isa/special_registers.h"
#include "machine/trap_kind.h"

namespace heddle::machine {
class Memory;
struct AtomicFunction;
}  // namespace heddle::machine

namespace heddle::interp {

inline constexpr u32 kLanes = 32;
inline constexpr u32 kAllLanes = 0xffffffffu;

/// Where an operand lies in its function's frame: the byte offset of its 32 lanes from the first
/// register. What a frame is born with, constants and special registers, lies below.
using Place = s32;
inline constexpr Place kNoPlace = std::numeric_limits<Place>::min();

struct Products;
struct Warp;
struct Gang;
struct Op;
struct TrapDetail;

/// Runs an instruction for the lanes of Warp::mask, a whole warp or part of one.
using Handler = void (*)(Warp&, const Op&);

/// Runs an instruction for all lanes of a gang's warps and goes on with the next one (run_full()).
/// Most instructions meet whole warps; this spares them the loop between two instructions and the
/// mask. Returns the first instruction that a FullHandler cannot do.
using FullHandler = const Op* (*)(Gang&, const Op*);

// The way from one FullHandler to the next: a jump where the compiler promises one, else the
// instruction is handed to the loop in run_full().
#if defined(__clang__)
#define HEDDLE_TAIL [[clang::musttail]]
#define HEDDLE_GO_ON(gang, op) HEDDLE_TAIL return (op)->full((gang), (op))
#else
#define HEDDLE_TAIL
#define HEDDLE_GO_ON(gang, op) return (op)
#endif

const Op* full_by_handler(Gang& gang, const Op* op);

inline constexpr u32 kNoSource = 3;

/// Further ways to run an f32 instruction for all lanes: with lane 0 of a source for each of them;
/// and as the second of two instructions, of which the first loads consecutive elements that only
/// the second needs. Null: there is none.
struct UsualArithmetic {
  FullHandler spreading[kNoSource] = {};  ///< by the source
  /// [the base register of the address is wide][the source that is loaded][the one of which lane 0
  /// stands for all, or kNoSource]
  FullHandler loading[2][kNoSource][kNoSource + 1] = {};
};

/// The ways to run an instruction.
struct Handlers {
  Handler run = nullptr;
  FullHandler full = &full_by_handler;
  FullHandler lead = nullptr;           ///< for lane 0 alone; null: there is none
  FullHandler lead_widening = nullptr;  ///< the same, of a source of 32 bits and a result of 64
  FullHandler ordering = nullptr;  ///< for the first and the last lane, between which a comparison
                                   ///< of affine sources changes once at most
  const UsualArithmetic* usual = nullptr;  ///< null: it is none
  constexpr Handlers() = default;
  constexpr Handlers(std::nullptr_t) {}
  constexpr Handlers(Handler run) : run(run) {}
  constexpr Handlers(Handler run, FullHandler full) : run(run), full(full) {}
  explicit operator bool() const { return run; }
};

/// How a memory operand's address is formed; `Op::offset` is added.
enum class AddressBase : u8 {
  reg64,     ///< src[0], 64-bit lanes
  reg32,     ///< src[0], 32-bit lanes, the sum taken modulo 2^32
  absolute,  ///< the offset alone
  frame,     ///< offset into the frame's local memory (.local and .param variables)
};

/// The window that an address counts from.
enum class Window : u8 { generic, shared, local, param };

/// Loads by whole warps whose addresses lane 0 tells.
enum class AffineLoad : u8 {
  consecutive,  ///< each lane the next piece
  same,         ///< all lanes one piece
  lead,         ///< the same, and only lane 0 of the registers is filled
};

/// Control flow and everything else that needs more than the lanes of one warp; run by the CTA
/// itself.
enum class Control : u8 {
  none,
  bra,
  brx_idx,
  call,
  ret,
  exit,
  bar_sync,
  bar_arrive,
  bar_red,
  warp_barrier,
  pause,  ///< the warp's turn ends
  warp_op,
  trap,
  brkpt,
  nanosleep,
  mbarrier_wait,
  cluster_arrive,
  cluster_wait,
  try_cancel,
  refresh_special,
  finish,
};

/// Op::flags of lane Ops: the second of two destinations is not wanted.
inline constexpr u8 kNoSecond = 1;

/// Op::flags of accesses to memory: strong ones that threads on other host threads may see. Each is
/// one atomic access for each lane.
inline constexpr u8 kOrdered = 1;

/// Op::flags of instructions that look across lanes: there is a membermask; nothing leads from the
/// instruction back to it.
inline constexpr u8 kMembers = 1, kInNoLoop = 2;

/// Op::flags of barriers: with a thread count; the number is an immediate.
inline constexpr u8 kThreadCount = 1, kKnownBarrier = 2;

/// isspacep: which window is asked for (Op::flags).
enum class SpaceTest : u8 { shared, shared_cluster, local, constant, param, global };

struct Op {
  FullHandler full = nullptr;
  Handler run = nullptr;   ///< null: `control` says what to do
  Place guard = kNoPlace;  ///< of the guard predicate; none: unguarded
  u32 guard_flip = 0;      ///< all ones for `@!p`
  Place dst[2] = {kNoPlace, kNoPlace};
  Place src[6] = {0, 0, 0, 0, 0, 0};
  Place members = 0;  ///< of the membermask
  /// What the kind of the instruction adds.
  union {
    u64 offset = 0;                         ///< memory, local variables: added to the address
    const machine::AtomicFunction* atomic;  ///< reductions: what they do in memory
    const u64* variables;                   ///< istypep: see opaque_variables()
    const Products* products;               ///< the first fma of JoinedHandlers::products
    u64 cta_value;                          ///< broadcast: index into Gang::cta_values
    isa::SpecialRegister special;           ///< refresh_special
    u32 target;                             ///< bra: index of an Op
    u32 table;                              ///< brx_idx: index into Interpreted::branch_tables
    u32 call_site;                          ///< call: index into Interpreted::call_sites
    u32 again;       ///< mbarrier_wait: Ops before it that a thread which waits runs again
    s64 reach;       ///< lead_widening: how far lane 31 of src[0] is from lane 0
    s32 reaches[2];  ///< ordering: the same of src[0] and src[1]
  };
  const Place* list = nullptr;  ///< elements of a vector operand; lives as long as the program
  u8 count = 1;                 ///< elements of `list`
  u8 runtime[6] = {};           ///< run-time modifiers of the form, in its order
  Control control = Control::none;
  AddressBase base = AddressBase::absolute;
  Window window = Window::generic;
  u8 flags = 0;       ///< per handler
  bool pure = false;  ///< reads and writes registers only
  s32 jump = 0;       ///< of bra: from here to its target
  u32 inst = 0;       ///< index into ir::Function::insts, for traps
};

/// The state that handlers work on. One per warp.
struct Warp {
  u8* frame = nullptr;     ///< what at() adds a Place to
  u32 mask = 0;            ///< lanes that execute the current instruction
  u32 members = 0;         ///< who takes part in one that looks across lanes: mask, or others
  const Op* op = nullptr;  ///< the current instruction, for traps; in a gang it is Gang::op

  // Memory as this warp sees it.
  u64 low_base = 0, low_size = 0, high_base = 0, high_size = 0;  ///< legal generic addresses
  u64 shared_base = 0, shared_size = 0;                          ///< the CTA's window
  u64 local_base = 0;                                            ///< local memory of lane 0
  u64 local_stride = 0;                                          ///< bytes per thread
  u64 frame_local = 0;   ///< offset of the current frame in it
  u64* stack = nullptr;  ///< by lane: offset in it of the lowest byte that alloca gave away
  u64 params = 0, params_size = 0;         ///< the parameter block
  u64 const_base = 0, const_size = 0;      ///< the module's .const variables
  u64 shared_window = 0;                   ///< address space that the CTA's shared memory takes
  u64 cluster_base = 0, cluster_size = 0;  ///< the windows of all CTAs of the cluster, by rank

  // Set by raise().
  machine::TrapKind trap_kind{};
  u32 trap_lane = 0;
  u64 trap_address = 0;
  bool trap_has_address = false;
  TrapDetail* detail = nullptr;
  sigjmp_buf* recover = nullptr;
  const machine::Memory* memory = nullptr;  ///< of the device

  bool in_shared_window(u64 address) const { return address - cluster_base < cluster_size; }

  template <class T>
  T* at(Place p) const {
    return reinterpret_cast<T*>(frame + p);
  }
};

/// The lanes that the guard of `op`, which has one, leaves of all 32.
inline u32 guarded_lanes(const Warp& warp, const Op& op) {
  return *warp.at<const u32>(op.guard) ^ op.guard_flip;
}
/// Those of `lanes` that execute `op`.
inline u32 active_lanes(const Warp& warp, const Op& op, u32 lanes) {
  return op.guard == kNoPlace ? lanes : lanes & guarded_lanes(warp, op);
}
/// The predicate at `p` takes `bits` in `lanes`; the others keep theirs.
inline void set_predicate(const Warp& warp, Place p, u32 lanes, u32 bits) {
  u32& out = *warp.at<u32>(p);
  out = (out & ~lanes) | (bits & lanes);
}

inline constexpr u32 kMostInGang = 8;

/// Whole warps of a CTA at the same instruction, which run on together: a handler does one warp
/// after the other. That spares all but the first the way between instructions, and the host works
/// on one while another waits for its operands.
struct Gang {
  u32 count = 0;
  u32 current = 0;                  ///< the warp whose instruction may trap, ...
  const Op* op = nullptr;           ///< ... and the instruction
  s64 turns = 0;                    ///< backward branches that run_full() may still make
  const u64* cta_values = nullptr;  ///< special registers that are the same for the CTA
  Warp* warps[kMostInGang];
  u8* frames[kMostInGang];  ///< Warp::frame of each

  /// Begins anew with one warp.
  explicit Gang(Warp& warp) { add(warp); }
  Gang() = default;
  void add(Warp& warp) {
    warp.mask = kAllLanes;
    warps[count] = &warp;
    frames[count++] = warp.frame;
  }
};

// The FullHandlers of what is not a lane instruction, load or store.
const Op* full_guarded(Gang& gang, const Op* op);  ///< `run` for the lanes that the guard leaves
const Op* full_branch(Gang& gang, const Op* op);   ///< bra that all lanes or none take
const Op* full_control(Gang& gang, const Op* op);  ///< nothing: it ends run_full()

/// Runs the gang from `op` up to a control instruction, and returns that. Gang::turns bounds the
/// backward branches.
inline const Op* run_full(Gang& gang, const Op* op) {
  while (true) {
    const Op* const next = op->full(gang, op);
    if (next == op) return op;
    op = next;
  }
}

/// Leaves the current instruction for good: jumps to Warp::recover. Handlers hold no object with a
/// destructor.
[[noreturn]] void raise_trap(Warp& warp, machine::TrapKind kind, u32 lane, const u64* address);

/// The address that a lane names, counted from the start of the window.
u64 lane_address(const Warp& warp, const Op& op, u32 lane);

/// Looks at each active lane's access of `bytes` bytes, after a quicker look has found one that
/// lies in neither of the device's regions or its window, or is not aligned: traps for the first
/// lane that may not make it. Returns when all may, as some access memory of the host that is
/// registered.
void check_each_lane(Warp& warp, const Op& op, u32 bytes, u32 alignment);

}  // namespace heddle::interp
