// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as LLVM IR of one thread. Operations of the machine are calls (machine_ops.def).
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "isa/sem_ids.h"
#include "jit/compiler.h"
#include "jit/llvm/lower/semantics.h"
#include "jit/llvm/machine_ops.h"

namespace heddle::jit {

struct Analyses;

/// A recursive function: int1(pointers to places). Its local variables lie behind
/// heddle.activation(); recursion.cpp says where that is.
struct Recursive {
  u32 scc = 0;             ///< its SCC of the call graph
  std::vector<u64> sizes;  ///< of its places: return values, then parameters
  std::size_t returns = 0;
  u64 local_bytes = 0;  ///< of its variables
  u64 align = 1;        ///< the largest of its variables
};
using RecursiveFunctions = llvm::MapVector<llvm::Function*, Recursive>;

/// A variable in local memory, of a function that is not recursive.
struct Local {
  u64 bytes = 0, align = 1;
};

/// Allocates bytes of local memory behind the `taken` ones; returns their offset.
inline u64 take_local(u64& taken, u64 bytes, u64 align) {
  const u64 begin = (taken + align - 1) / align * align;
  taken = begin + bytes;
  return begin;
}

struct ScalarKernel {
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<Semantics> semantics;
  llvm::Function* function = nullptr;  ///< void()
  std::vector<Site> sites;
  std::vector<u32> symbols;     ///< Image::symbols
  std::vector<u32> first_line;  ///< by FunctionId: its debug lines are the ones after this
  std::vector<Local> locals;
  u64 shared_bytes = 0;         ///< of a CTA, the least
  u64 local_bytes = 0;          ///< of a thread
  bool local_in_lanes = false;  ///< its layout: vector/local_accesses.h
  RecursiveFunctions recursive;
  u64 frame_of_call = 0;  ///< Image::frame_of_call
  /// The variable in `locals` that holds a thread's stack pointer, if the kernel has alloca: the
  /// offset of its last allocation. Allocations grow down from the end of local memory, frames of
  /// calls grow up.
  std::optional<u32> stack_pointer;
  bool zeroes_subnormals = false;  ///< Image::zeroes_subnormals

  /// Returns the site's number, the first argument of calls to the machine.
  u32 add_site(const Site& site) {
    sites.push_back(site);
    return static_cast<u32>(sites.size() - 1);
  }

  /// Bytes of a thread's local memory, without room for calls and alloca.
  u64 local_size() const { return (local_bytes + 15) / 16 * 16; }
  /// Whether it has room for calls and alloca, whose size the launch determines.
  bool has_room() const { return frame_of_call || stack_pointer; }

  /// FunctionId and index of the instruction of a line of debug information.
  std::pair<u32, u32> place_of(u32 line) const {
    const u32 number = line ? line - 1 : 0;
    const auto next = std::upper_bound(first_line.begin(), first_line.end(), number);
    const u32 function = static_cast<u32>(next - first_line.begin()) - 1;
    return {function, number - first_line[function]};
  }
};

/// Metadata of arithmetic whose result is the same where the processor takes subnormal operands for
/// zero.
inline constexpr const char* kAnyMode = "heddle.any_mode";

/// Lowers the kernel and all functions that it calls. Returns why it cannot; empty: it can.
std::string lower(const Request& request, llvm::LLVMContext& context, ScalarKernel& kernel);

/// Turns the functions of one SCC of the call graph, which calls no other SCC, into a loop with
/// frames in local memory. That function shall be inlined before the next SCC is unwound.
std::string unwind_recursion(ScalarKernel& kernel, Analyses& analyses);

/// Local variables become values if they are not large, the offset of each access to them is known,
/// and their addresses have no other use. Returns whether some did: then addresses that were stored
/// in these may be known, too.
bool keep_local_variables(ScalarKernel& kernel);

/// Assigns offsets in local memory to the other local variables.
void place_local_variables(ScalarKernel& kernel);

/// Accesses by generic addresses that come from a cvta of local or shared memory become accesses to
/// that memory. Each has a site of its own.
void infer_spaces(ScalarKernel& kernel);

/// Moves variables that are indexed at run time to the threads' local memory. Returns why it
/// cannot; empty: it can.
std::string move_to_memory(ScalarKernel& kernel);

/// The offset of the field of Context that the call reads, if it does.
std::optional<u64> context_offset(const llvm::Instruction& call);

using IsSuch = std::function<bool(const llvm::Instruction&)>;

/// Whether an instruction that the value is computed from, directly or not, is such a one, or there
/// are more than `most` values to look at. Operands of known values are not looked at.
bool is_made_of(const llvm::Value* value, std::size_t most, const IsSuch& is_such,
                const IsSuch& is_known = {});

/// Whether it is a load, store or atomic operation of the kernel.
inline bool is_access(const llvm::Instruction& inst) { return is_access_op(machine_op(inst)); }

/// Whether a warp operation is shfl (9.7.9.5, 9.7.9.6).
inline bool is_shuffle(const Site& site) { return site.sem == isa::SemId::shuffle; }

/// Whether a warp operation is no function of registers: it loads or stores matrices.
inline bool accesses_matrices(const Site& site) {
  using isa::SemId;
  return site.sem == SemId::ldmatrix || site.sem == SemId::stmatrix ||
         site.sem == SemId::wmma_load || site.sem == SemId::wmma_store;
}

/// The site that the call's first argument names.
template <class Sites>
auto& site_of(const llvm::CallInst& call, Sites& sites) {
  return sites[llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue()];
}

}  // namespace heddle::jit
