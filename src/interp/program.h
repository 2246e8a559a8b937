// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel decoded for the interpreter, with every function that it can reach. Built once, shared
// by all launches.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "interp/level.h"
#include "interp/op.h"
#include "interp/specials.h"
#include "interp/warp_calls.h"
#include "machine/engine.h"

namespace heddle::interp {

/// Zeroed memory for registers, aligned for the widest vector.
class Lanes {
 public:
  void reset(std::size_t bytes) {
    bytes = (bytes + 63) / 64 * 64;
    memory_.reset(static_cast<u8*>(std::aligned_alloc(64, std::max<std::size_t>(bytes, 64))));
    HEDDLE_CHECK(memory_);
    std::memset(memory_.get(), 0, bytes);
  }
  u8* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(u8* memory) const { std::free(memory); }
  };
  std::unique_ptr<u8, Free> memory_;
};

/// Where a parameter, argument or return value lies in a frame: in a register place, or in the
/// frame's local memory.
struct Slot {
  bool in_register = true;
  Place place = 0;
  u64 offset = 0;  ///< in the frame's local memory
  u32 bytes = 4;
};

struct Code;

struct CallSite {
  const Code* direct = nullptr;  ///< null: indirect through `pointer`
  Place pointer = 0;
  bool wide_pointer = true;
  std::vector<Slot> arguments, returns;  ///< in the caller's frame
};

/// Why the call cannot be a call of the system function, or an empty string.
std::string refuse_system_call(const machine::SystemFunctionInfo& info, const CallSite& site,
                               u32 address_bytes);

/// A special register that a function reads, and where its lanes are in the frame.
struct SpecialUse {
  isa::SpecialRegister reg;
  u8 component = 0;
  u32 bytes = 4;  ///< per lane; 0: predicate bits
  Place place = 0;
  u32 copy = 0;  ///< Scope::warp: offset in the warp's copies (Interpreted::warp_specials)
};

/// A special register that is uniform in a CTA.
struct CtaSpecial {
  isa::SpecialRegister reg;
  u32 component;
  bool operator==(const CtaSpecial&) const = default;
};

/// What a frame needs once for the launch, a CTA, a warp before its function runs: special
/// registers to fill (Ops fill those of the CTA), and Ops whose results are the same for the whole
/// scope.
struct Prologue {
  std::vector<SpecialUse> specials;
  std::vector<Op> ops;  ///< ends as Code::ops does
};

/// A register that is affine until its warp diverges. Until then only lane 0 of it is filled.
struct AffineRegister {
  Place place = 0;
  u32 bytes = 4;   ///< per lane
  s64 stride = 0;  ///< from one lane to the next
};

/// One function.
struct Code {
  ir::FunctionId id;
  u32 index = 0;  ///< among the functions of the program
  const ir::Function* function = nullptr;
  std::vector<Op> ops;  ///< ends with a Control::finish (falls off the end: ret / exit)
  /// The same for warps that have not diverged, which fill only lane 0 of the affine registers;
  /// empty: these warps execute `ops`.
  std::vector<Op> whole_ops;
  std::vector<AffineRegister> affine;
  u32 register_bytes = 0;             ///< size of the frame's registers
  std::vector<u8> below;              ///< the initial bytes below the registers: constants
  std::array<Prologue, 3> prologues;  ///< by Scope; none for instant
  u64 local_bytes = 0;                ///< size of the frame's local memory, a multiple of 16
  bool moves_stack = false;           ///< has alloca or stackrestore
  Place stack_at_entry = 0;           ///< of the stack pointer at entry, if moves_stack
  std::vector<Slot> params, returns;  ///< formals
  std::vector<Place> registers;       ///< by ir::RegId; kNoPlace: no instruction names it
  const machine::SystemFunctionInfo* system = nullptr;  ///< a system function, without ops; or null
};

class Interpreted final : public machine::Program {
 public:
  std::unique_ptr<machine::Cta> make_cta(machine::Launch& launch) const override;
  std::unique_ptr<machine::Stepper> make_stepper(machine::Launch& launch, u32 rank) const override;
  std::string_view engine(const machine::LaunchConfig&) const override { return "interpreter"; }

  /// The same kernel for the CTAs with that rank in a cluster: the addresses of their variables
  /// contain the rank. Decoded when it is first needed.
  const Interpreted& in_cluster(u32 rank) const;

  const Code* code_of(ir::FunctionId id) const {
    const auto it = codes.find(id.value);
    return it == codes.end() ? nullptr : it->second.get();
  }

  std::shared_ptr<const machine::Loaded> loaded;
  ir::FunctionId entry;
  const Level* level = nullptr;
  std::unordered_map<u32, std::unique_ptr<Code>> codes;  ///< by FunctionId
  std::deque<std::vector<Place>> lists;                  ///< the lists that Op::list points into
  std::deque<WarpCall> warp_calls;                       ///< the calls that Op::warp_call points to
  std::deque<Products> products;                         ///< the sums that Op::products points to
  std::vector<CallSite> call_sites;                      ///< by Op::call_site
  std::vector<std::vector<u32>> branch_tables;           ///< by Op::table: indices of Ops
  std::vector<CtaSpecial> cta_specials;                  ///< by Op::cta_value
  std::vector<SpecialUse> warp_specials;                 ///< of Scope::warp, of all functions
  u32 warp_special_bytes = 0;                            ///< size of their copies
  /// Local memory of a thread when every function is entered once; 0: none is needed.
  u64 local_bytes = 0;
  bool calls = false;        ///< there are calls: a thread needs a stack beside local_bytes
  bool moves_stack = false;  ///< a function has alloca or stackrestore
  bool straight = false;     ///< threads never branch back, and wait within their CTA only

 private:
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<const Interpreted>, machine::kLargestCluster> in_cluster_;
};

/// Decodes `entry` and all functions that it can reach. `rank`: of the CTAs in their clusters;
/// none: there are no clusters.
Result<std::shared_ptr<const Interpreted>> decode(
    const std::shared_ptr<const machine::Loaded>& loaded, ir::FunctionId entry, const Level& level,
    std::optional<u32> rank = std::nullopt);

/// The reference engine (tier 0).
class Interpreter final : public machine::Engine {
 public:
  Result<std::shared_ptr<const machine::Program>> prepare(
      std::shared_ptr<const machine::Loaded> loaded, ir::FunctionId entry) override;
};

}  // namespace heddle::interp
