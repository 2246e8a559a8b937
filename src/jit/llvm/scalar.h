// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as LLVM IR of one thread. What needs the machine is one of the calls of machine_ops.def.
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

/// A function that may be called again before it returns: int1(pointers to places). Its local
/// variables lie behind heddle.activation(); recursion.cpp says where that is.
struct Recursive {
  u32 circle = 0;          ///< of functions that call each other
  std::vector<u64> sizes;  ///< of its places: of return values, then of parameters
  std::size_t returns = 0;
  u64 local_bytes = 0;  ///< of its variables
  u64 align = 1;        ///< of the one that wants most
};
using RecursiveFunctions = llvm::MapVector<llvm::Function*, Recursive>;

/// A variable in local memory, of a function that is not called again before it returns.
struct Local {
  u64 bytes = 0, align = 1;
};

/// Where so many bytes begin from now on, behind the `taken` ones.
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
  std::vector<u32> first_line;  ///< by FunctionId: its debug lines begin behind this one
  std::vector<Local> locals;
  u64 shared_bytes = 0;         ///< of a CTA, at least
  u64 local_bytes = 0;          ///< of a thread
  bool local_in_lanes = false;  ///< its layout: vector/local_accesses.h
  RecursiveFunctions recursive;
  u64 frame_of_call = 0;  ///< Image::frame_of_call
  /// In `locals`, if there is alloca: the offset of the last that a thread took. What it takes lies
  /// at the end of its local memory, calls come from below.
  std::optional<u32> stack_pointer;
  bool zeroes_subnormals = false;  ///< Image::zeroes_subnormals

  /// Its number, which is the first argument of calls to the machine.
  u32 add_site(const Site& site) {
    sites.push_back(site);
    return static_cast<u32>(sites.size() - 1);
  }

  /// Of a thread's local memory, when all of it is taken; without room for calls and alloca.
  u64 local_size() const { return (local_bytes + 15) / 16 * 16; }
  /// Whether there is such room: how much, the launch says.
  bool has_room() const { return frame_of_call || stack_pointer; }

  /// FunctionId and index of the instruction that a line of debug information stands for.
  std::pair<u32, u32> place_of(u32 line) const {
    const u32 number = line ? line - 1 : 0;
    const auto next = std::upper_bound(first_line.begin(), first_line.end(), number);
    const u32 function = static_cast<u32>(next - first_line.begin()) - 1;
    return {function, number - first_line[function]};
  }
};

/// Metadata of arithmetic that comes to the same where the processor takes subnormal operands for
/// zero.
inline constexpr const char* kAnyMode = "heddle.any_mode";

/// Lowers the kernel with all that it calls. Returns why it cannot.
std::string lower(const Request& request, llvm::LLVMContext& context, ScalarKernel& kernel);

/// Makes functions that call themselves, or each other, a loop with frames in local memory: of one
/// circle, which calls none of another. It shall be inlined before the next one's turn.
std::string unwind_recursion(ScalarKernel& kernel, Analyses& analyses);

/// Local variables become values where each access to them is known, and they are not large: its
/// offset, and that nothing else is done with addresses of the variable. Returns whether some did:
/// then there may be more, whose addresses lay in those.
bool keep_local_variables(ScalarKernel& kernel);

/// The others get places in local memory.
void place_local_variables(ScalarKernel& kernel);

/// Accesses by generic addresses that a cvta of local or shared memory made become accesses to that
/// memory. Each has a site of its own.
void find_spaces(ScalarKernel& kernel);

/// Variables that did not become values, because they are indexed at run time, go into the threads'
/// local memory.
std::string move_to_memory(ScalarKernel& kernel);

/// Of a call that reads a field of Context: where that is.
std::optional<u64> context_offset(const llvm::Instruction& call);

using IsSuch = std::function<bool(const llvm::Instruction&)>;

/// Whether an instruction that the value is made of, in the end, is such a one; or there are more
/// than `most` values to look at. What a known one is made of does not count.
bool is_made_of(const llvm::Value* value, std::size_t most, const IsSuch& is_such,
                const IsSuch& is_known = {});

/// Whether it is a load, a store or an atomic operation of the kernel's.
inline bool is_access(const llvm::Instruction& inst) { return is_access_op(machine_op(inst)); }

/// The site that the call's first argument names.
template <class Sites>
auto& site_of(const llvm::CallInst& call, Sites& sites) {
  return sites[llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue()];
}

}  // namespace heddle::jit
