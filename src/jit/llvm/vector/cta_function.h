// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that the vectorizer makes: u32 cta(Context*, frames*). It runs CTAs one after the
// other, and of each CTA its teams:
//
//     entry:     what all CTAs share
//     cta:       what all warps of a CTA share        <----------------+
//     warp:      what depends on the team's number    <-----+          |
//     start ...  the emitted kernel                         |          |
//     next:      the following team, or the end of the CTA -+          |
//     done, finished: the following CTA, or return --------------------+
//
// CtaFunction holds the blocks, the builder, fields of Context that were read, and variables.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "jit/llvm/scalar.h"
#include "jit/llvm/vector/masks.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

class CtaFunction {
 public:
  using Block = llvm::BasicBlock;

  /// Creates the function and all blocks around the kernel's, and sets the insertion point to where
  /// the kernel begins.
  CtaFunction(ScalarKernel& kernel, const Shapes& shapes, const machine::Dim3& block);
  CtaFunction(const CtaFunction&) = delete;
  /// The lanes that a team begins with: the last team of a CTA may have fewer.
  Halves first_mask();
  /// Called with the insertion point where the kernel ends.
  Vectorized finish();

  ScalarKernel& kernel;
  const Shapes& shapes;
  const machine::Dim3 block;
  const unsigned halves;  ///< of warps, in a team
  llvm::Function& from;   ///< the kernel as code of one thread
  llvm::IRBuilder<> builder;
  const Masks masks;
  llvm::Function* function = nullptr;
  llvm::Argument* state = nullptr;                          ///< Context*
  Block *entry = nullptr, *cta = nullptr, *head = nullptr;  ///< head: "warp" above
  Block *trapped = nullptr, *stopped = nullptr;             ///< return those outcomes
  llvm::Value* team = nullptr;                              ///< the team's number (i32)

  Block* new_block(const llvm::Twine& name);
  void go_to(Block* to) { builder.SetInsertPoint(to); }
  void set_insert_point_after(llvm::Value* value);
  /// Instructions from now on have the line of `inst`.
  void set_location_of(const llvm::Instruction& inst);

  unsigned warps() const { return halves / kHalves; }
  /// The number in the CTA of one of the team's warps (i32).
  llvm::Value* warp_number(unsigned warp);
  /// Writes the number to Context::warp, for helpers and for reports of faults.
  void publish_warp(unsigned warp);
  void for_each_warp(const std::function<void(unsigned warp)>& what);

  /// A field of Context that does not change while the CTA runs; read once.
  llvm::Value* field(std::size_t offset, llvm::Type* type, const char* name);
  llvm::Value* field_address(std::size_t offset);

  /// A variable of a team, which SROA turns into values. It begins as poison for each team and, if
  /// it is not `carried`, for each round of the innermost loop that has all of its accesses.
  llvm::AllocaInst* variable(llvm::Type* type, bool carried = false);
  /// An array with an element for each lane of the team. The same type and number: the same array.
  llvm::AllocaInst* lane_array(llvm::Type* element, unsigned number);

  /// Emits a loop over the bits that are set in `lanes`; `one` emits its body for a lane (i64).
  void for_each_lane(llvm::Value* lanes, const std::function<void(llvm::Value* lane)>& one);
  /// Branches back to a loop's `top`, or leaves the kernel where Context::stop is set.
  void branch_unless_stopped(Block* top);
  /// The warp returns to the run-time here, and continues behind this place later (kRegionEnd).
  void end_region(llvm::Value* site, llvm::Value* why);

 private:
  u32 teams_of_cta() const;
  void emit_next_cta();
  void sink_initial_stores();

  Vectorized made_;
  std::map<std::pair<std::size_t, llvm::Type*>, llvm::Value*> fields_;
  std::vector<llvm::StoreInst*> initial_stores_;  ///< of variables that are not carried
  std::map<std::pair<llvm::Type*, unsigned>, llvm::AllocaInst*> lane_arrays_;
};

}  // namespace heddle::jit
