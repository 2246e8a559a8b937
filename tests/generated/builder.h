// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements of one function. Every method that makes a statement returns a whole node, or nothing
// when the statement is not legal at its place; generate.h has the rules that avoid races.
#pragma once

#include <fmt/format.h>

#include "scope.h"

namespace heddle::generated {

/// A loop that a statement may leave.
struct Exit {
  std::string label;
  std::string members;  ///< register to update; empty: none
};

/// The place of a statement.
struct Context {
  std::string
      members;  ///< register: the threads of the warp that run this together; empty: unknown
  bool together = false;       ///< all threads of the CTA run it
  bool reading = false;        ///< slots of shared memory are read
  bool may_end = false;        ///< threads may exit, or return
  bool sums_are_read = false;  ///< the cells in shared memory do not change any more
  const Exit* loop = nullptr;
  u32 depth = 0;
  u32 times = 1;  ///< the greatest number of runs
};

/// A cell that several threads change, with its operation and type.
struct Cell {
  std::string_view operation, type;
  std::string_view bound;  ///< for inc and dec: uniform
};

/// The state that the functions of a kernel share.
struct Shared {
  u32 threads = 0;  ///< of a CTA
  u32 ctas = 0;
  std::vector<Cell> global_cells, shared_cells;
  bool somebody_left = false;  ///< threads may have exited
  bool uses_object = false;    ///< the barrier object
};

/// A function that can be called.
struct Callee {
  std::string name;
  bool needs_members = false;
  bool changes_sums = false;  ///< the cells in shared memory
  bool recurses = false;      ///< its parameter n is the depth
  bool exits = false;         ///< threads may exit in it
  u32 cost = 0;
};

/// Memory that a thread may access: its own, or memory that is only read.
struct Region {
  std::string_view space;
  std::string base;  ///< a register with the address in that space; .param: the variable
  u32 bytes;
  bool constant = false;  ///< never written
  bool indexed = true;    ///< also accessed at places that depend on data
};

inline constexpr u32 kInputBytes = 4096;
inline constexpr u32 kScratchBytes = 128;  ///< of a thread's slice, for statements
inline constexpr u32 kSlotBytes = 16, kWordBytes = 4;
inline constexpr u32 kColumnBytes = 8, kColumns = 3;
inline constexpr u32 kPairBytes = 16;
/// The sizes of the thread's array, and of a variable that is never indexed.
inline constexpr u32 kLocalBytes = 64, kFrameBytes = 32;
inline constexpr u32 kConstantBytes = 256;
inline constexpr u32 kCells = 6;
inline constexpr u32 kLockBytes = 16;  ///< a lock, and what it protects
inline constexpr u32 kRounds = 4;      ///< of a recursion, at most
inline constexpr u32 kDepth = 4;       ///< of statements in statements
inline constexpr u32 kHandOver = 15;   ///< it and the one before it: for hand_over() only

class Builder {
 public:
  /// `self`: the function, null for a kernel.
  Builder(Scope& scope, Shared& shared, const std::vector<Callee>& callees, Callee* self,
          u32 statements, u32 dynamic)
      : scope_(scope),
        shared_(shared),
        callees_(callees),
        self_(self),
        is_kernel_(!self),
        statements_(statements),
        dynamic_(dynamic),
        allowed_(dynamic) {}

  Block block(Context context, u32 most);
  /// The greatest number of executed warp instructions so far.
  u32 cost() const { return allowed_ - dynamic_; }
  bool changes_sums() const { return changes_sums_; }  ///< of the CTA
  void allow(u32 statements, u32 dynamic) {
    statements_ += statements;
    dynamic_ += dynamic;
    allowed_ += dynamic;
  }

 private:
  using Made = std::optional<Node>;
  using Maker = Made (Builder::*)(const Context&);

  u32 below(u32 bound) const { return scope_.below(bound); }
  bool one_in(u32 count) const { return scope_.one_in(count); }
  std::string any(isa::Type type) const { return scope_.any(type); }
  Made statement(const Context& context);

  // builder.cpp: registers
  Made plain(const Context& context);
  Made carry(const Context& context);
  Made call(const Context& context);
  Made recurse(const Context& context);
  std::string call_text(const std::string& name, const std::string& members,
                        const std::string& rounds, const std::string& pointer);

  // builder_flow.cpp
  Made branch(const Context& context);
  Made guarded(const Context& context);
  Made loop(const Context& context);
  Made forked_loop(const Context& context);
  Made strided_loop(const Context& context);
  Made long_loop(const Context& context);
  Made table(const Context& context);
  Made leave_loop(const Context& context);
  Made end(const Context& context);
  Made early_exit(const Context& context);
  std::string condition(std::string& text);
  std::string same_in_cta(std::string& text);
  std::string number(std::string& text);
  std::string by_number(std::string& text);
  std::string vote(const std::string& members, std::string_view predicate, std::string& text);

  // builder_memory.cpp
  Made parameter(const Context& context);
  Made slice(const Context& context);
  Made column(const Context& context);
  Made whole_column();
  Made slot(const Context& context);
  Made other_slot(const Context& context);
  Made slot_of(const std::string& who, std::string before);
  Made local(const Context& context);
  Made taken(const Context& context);
  Made input(const Context& context);
  Made input_at(const std::string& number, std::string before);
  Made constant(const Context& context);
  Made cell(const Context& context);
  Made own_atomic(const Context& context);
  Made locked(const Context& context);
  Made async_copy(const Context& context);
  Made fence(const Context& context);
  /// A load, store or atomic there; `before` comes first.
  Made access(std::string_view opcode, const Region& region, std::string before = {});
  std::string offset(u32 bytes, u32 size, std::string& text);

  // builder_warp.cpp
  Made warp(const Context& context);
  std::string shuffle(const Instance& instance, const Context& context);
  Made exchange(const Context& context);
  Made warp_exchange(const Context& context);
  Made hand_over(const Context& context);
  std::string barrier();
  std::string object_barrier();

  Scope& scope_;
  Shared& shared_;
  const std::vector<Callee>& callees_;
  Callee* const self_;
  const bool is_kernel_;
  u32 statements_, dynamic_;  ///< left
  u32 allowed_;
  bool changes_sums_ = false;
};

}  // namespace heddle::generated
