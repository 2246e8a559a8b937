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

namespace heddle::isa {
struct TensorCore;
}  // namespace heddle::isa
namespace heddle::machine {
class ClusterTensorMemory;
class Memory;
struct AtomicFunction;
}  // namespace heddle::machine

namespace heddle::interp {

inline constexpr u32 kLanes = 32;
inline constexpr u32 kAllLanes = 0xffffffffu;

/// Where an operand lies in its function's frame: the byte offset of its 32 lanes from the first
/// register. Constants and special registers, which a frame has from its beginning, lie below.
using Place = s32;
inline constexpr Place kNoPlace = std::numeric_limits<Place>::min();

struct Products;
struct WarpCall;
struct Warp;
struct Gang;
struct Op;
struct TrapDetail;

/// Runs an instruction for the lanes of Warp::mask, a whole warp or part of one.
using Handler = void (*)(Warp&, const Op&);

/// Runs an instruction for all lanes of a gang's warps and continues with the next one
/// (run_full()). Most warps have not diverged; a FullHandler saves them the mask, and the loop from
/// one instruction to the next. Returns the first instruction that a FullHandler cannot execute.
using FullHandler = const Op* (*)(Gang&, const Op*);

// How a FullHandler continues with the next one: by a tail call where the compiler guarantees it,
// elsewhere through the loop in run_full().
#if defined(__clang__)
#define HEDDLE_TAIL [[clang::musttail]]
#define HEDDLE_GO_ON(gang, op) HEDDLE_TAIL return (op)->full((gang), (op))
#else
#define HEDDLE_TAIL
#define HEDDLE_GO_ON(gang, op) return (op)
#endif

const Op* full_by_handler(Gang& gang, const Op* op);

inline constexpr u32 kNoSource = 3;

/// Further handlers of an f32 instruction for all lanes: with lane 0 of a source in place of each
/// of its lanes; and as the second of two instructions, of which the first loads consecutive
/// elements that only the second reads. Null: there is no such handler.
struct UsualArithmetic {
  FullHandler spreading[kNoSource] = {};  ///< by the source
  /// [the base register of the address is wide][the source that is loaded][the source of which lane
  /// 0 stands for all lanes, or kNoSource]
  FullHandler loading[2][kNoSource][kNoSource + 1] = {};
};

/// The handlers of an instruction.
struct Handlers {
  Handler run = nullptr;
  FullHandler full = &full_by_handler;
  FullHandler lead = nullptr;           ///< for lane 0 alone; null: there is none
  FullHandler lead_widening = nullptr;  ///< the same, for a 32-bit source and a 64-bit result
  /// A comparison of affine sources, for the first and the last lane: its result changes once at
  /// most between them.
  FullHandler ordering = nullptr;
  const UsualArithmetic* usual = nullptr;  ///< null: the instruction has none
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

/// Loads of whole warps that compute all addresses from lane 0.
enum class AffineLoad : u8 {
  consecutive,  ///< adjacent lanes load adjacent elements
  same,         ///< all lanes load the same elements
  lead,         ///< the same, and only lane 0 of the registers is filled
};

/// Control flow, and the other instructions that need more than the lanes of one warp. The CTA
/// executes them.
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

/// Op::flags of lane Ops: the second of two destinations is a sink.
inline constexpr u8 kNoSecond = 1;

/// Op::flags of loads and stores: the access is strong, and threads on other host threads may see
/// it. Each lane makes one atomic access.
inline constexpr u8 kOrdered = 1;

/// Op::flags of instructions over the lanes of a warp: there is a membermask; the instruction is in
/// no loop.
inline constexpr u8 kMembers = 1, kInNoLoop = 2;

/// Op::flags of barriers: there is a thread count; the barrier's number is an immediate; the
/// barrier is that of the warp group.
inline constexpr u8 kThreadCount = 1, kKnownBarrier = 2, kOfWarpGroup = 4;

/// Op::flags of isspacep: the window for which it tests.
enum class SpaceTest : u8 { shared, shared_cluster, local, constant, param, global };

struct Op {
  FullHandler full = nullptr;
  Handler run = nullptr;   ///< null: `control` says what to do
  Place guard = kNoPlace;  ///< of the guard predicate; kNoPlace: unguarded
  u32 guard_flip = 0;      ///< all ones for `@!p`
  Place dst[2] = {kNoPlace, kNoPlace};
  Place src[6] = {0, 0, 0, 0, 0, 0};
  Place members = 0;  ///< of the membermask
  /// A member for each kind of instruction.
  union {
    u64 offset = 0;                         ///< memory, local variables: added to the address
    const machine::AtomicFunction* atomic;  ///< reductions: what they do in memory
    const WarpCall* warp_call;              ///< warp_op: the function and its operands
    const Products* products;               ///< the first fma of JoinedHandlers::products
    u64 cta_value;                          ///< broadcast: index into Gang::cta_values
    isa::SpecialRegister special;           ///< refresh_special
    u32 target;                             ///< bra: index of an Op
    u32 table;                              ///< brx_idx: index into Interpreted::branch_tables
    u32 call_site;                          ///< call: index into Interpreted::call_sites
    u32 function;    ///< tensor memory: the FunctionId of the instruction, for messages
    u32 again;       ///< mbarrier_wait: how many Ops before it a waiting thread executes again
    s64 reach;       ///< lead_widening: the distance of lane 31 of src[0] from lane 0
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
  u8* frame = nullptr;     ///< the address that a Place is added to
  u32 mask = 0;            ///< lanes that execute the current instruction
  u32 members = 0;         ///< the lanes that take part in an instruction over the warp
  const Op* op = nullptr;  ///< the current instruction, for traps; in a gang it is Gang::op

  // Memory as this warp sees it.
  u64 low_base = 0, low_size = 0, high_base = 0, high_size = 0;  ///< legal generic addresses
  u64 shared_base = 0, shared_size = 0;                          ///< the CTA's window
  u64 local_base = 0;                                            ///< local memory of lane 0
  u64 local_stride = 0;                                          ///< bytes per thread
  u64 frame_local = 0;   ///< offset of the current frame in local memory
  u64* stack = nullptr;  ///< by lane: offset in local memory of the lowest byte that alloca took
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
  const machine::Memory* memory = nullptr;       ///< of the device
  const isa::TensorCore* tensor_core = nullptr;  ///< of the device

  u32 first_thread = 0;  ///< number in the CTA of the thread in lane 0
  machine::ClusterTensorMemory* tensor_memory = nullptr;  ///< of the CTAs of the cluster

  bool in_shared_window(u64 address) const { return address - cluster_base < cluster_size; }

  template <class T>
  T* at(Place p) const {
    return reinterpret_cast<T*>(frame + p);
  }
};

/// The lanes whose guard holds; `op` has a guard.
inline u32 guarded_lanes(const Warp& warp, const Op& op) {
  return *warp.at<const u32>(op.guard) ^ op.guard_flip;
}
/// The lanes of `lanes` that execute `op`.
inline u32 active_lanes(const Warp& warp, const Op& op, u32 lanes) {
  return op.guard == kNoPlace ? lanes : lanes & guarded_lanes(warp, op);
}
/// The predicate at `p` becomes `bits` in `lanes`; the other lanes keep their bits.
inline void set_predicate(const Warp& warp, Place p, u32 lanes, u32 bits) {
  u32& out = *warp.at<u32>(p);
  out = (out & ~lanes) | (bits & lanes);
}

inline constexpr u32 kMostInGang = 8;

/// Warps of a CTA that have not diverged and are at the same instruction. A handler executes its
/// instruction for one warp after the other. So the dispatch costs once per gang, and the host can
/// overlap the operations of different warps.
struct Gang {
  u32 count = 0;
  u32 current = 0;                  ///< the warp whose instruction may trap, ...
  const Op* op = nullptr;           ///< ... and the instruction
  s64 turns = 0;                    ///< backward branches that run_full() may still make
  const u64* cta_values = nullptr;  ///< special registers that are the same for the CTA
  Warp* warps[kMostInGang];
  u8* frames[kMostInGang];  ///< Warp::frame of each

  /// A gang of one warp.
  explicit Gang(Warp& warp) { add(warp); }
  Gang() = default;
  void add(Warp& warp) {
    warp.mask = kAllLanes;
    warps[count] = &warp;
    frames[count++] = warp.frame;
  }
};

// FullHandlers of instructions that are neither lane instructions nor loads or stores.
const Op* full_guarded(Gang& gang, const Op* op);  ///< `run` for the lanes whose guard holds
const Op* full_branch(Gang& gang, const Op* op);   ///< bra that all lanes or none take
const Op* full_control(Gang& gang, const Op* op);  ///< does nothing, and so ends run_full()

/// Runs the gang from `op` up to a control instruction, and returns that instruction. Gang::turns
/// bounds the backward branches.
inline const Op* run_full(Gang& gang, const Op* op) {
  while (true) {
    const Op* const next = op->full(gang, op);
    if (next == op) return op;
    op = next;
  }
}

/// Abandons the current instruction: jumps to Warp::recover. So no handler holds an object with a
/// destructor.
[[noreturn]] void raise_trap(Warp& warp, machine::TrapKind kind, u32 lane, const u64* address);

/// The address of a lane's access, counted from the start of the window.
u64 lane_address(const Warp& warp, const Op& op, u32 lane);

/// Checks each active lane's access of `bytes` bytes, and traps for the first lane whose access is
/// illegal. A quicker check has found an access that is misaligned, or outside of the window, or of
/// the device's regions. Returns when all accesses are legal: some are of registered memory of the
/// host.
void check_each_lane(Warp& warp, const Op& op, u32 bytes, u32 alignment);

}  // namespace heddle::interp
