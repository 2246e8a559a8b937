// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vectorizer's parts: vectorize.cpp lays out the control flow, vector_values.cpp makes values
// and instructions, vector_access.cpp accesses to memory, vector_check.cpp sees to it that they are
// legal, vector_atomics.cpp makes atomic ones, vector_warp.cpp what looks across lanes,
// vector_lanes.cpp loops through which lanes go one by one.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "jit/context.h"
#include "jit/extent.h"
#include "jit/llvm/analysis/bounds.h"
#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"
#include "jit/llvm/scalar/version_branches.h"
#include "jit/llvm/vector/plan.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// One value for each half of the team's warps.
using Halves = std::array<llvm::Value*, kMostWarps * kHalves>;

class Vectorizer {
 public:
  Vectorizer(ScalarKernel& kernel, const Plan& plan, Analyses& analyses,
             const machine::Dim3& block);
  Vectorized run();

 private:
  using Block = llvm::BasicBlock;

  /// A scalar value's counterpart.
  struct Lanes {
    Shape shape;
    Halves first{};  ///< affine; of those that share one the first alone, until somebody asks
    Halves all{};    ///< vectors, made when somebody asks
  };
  /// A phi node, between the ways that lead to it.
  struct Variable {
    std::vector<llvm::AllocaInst*> places;
  };
  /// A block or loop that not all lanes may come to.
  struct Node {
    Halves mask{};  ///< of the lanes that come
    std::array<llvm::AllocaInst*, kMostWarps * kHalves>
        collected{};              ///< when they come on several ways
    bool implied = false;         ///< all lanes of its parent come
    llvm::Value* lane = nullptr;  ///< the only one that may come
  };

  // --- control flow ---
  Block* representative(const Block* block, const llvm::Loop* level) const;
  void find_tree(const llvm::Loop* level);
  const Site& site_of(const llvm::CallInst& call) const {
    return jit::site_of(call, kernel_.sites);
  }
  void emit_tree(Block* node, const llvm::Loop* level);
  void emit_loop(Block* header);
  void emit_block(Block* block, const Halves& mask);
  void go_on_unless_stopped(Block* top);
  void collect(const Block* to, const Halves& coming);
  void at_line_of(const llvm::Instruction& inst);
  void enter(Block* child, const llvm::Loop* level);
  void leave_block(Block* block, const Halves& mask);
  void go_through_ctas();
  void assign(const Block* from, Block* to, const Halves& mask);
  llvm::Value* goes(const Block* from, unsigned successor);
  Halves edge_mask(const Block* from, unsigned successor, const Halves& mask);
  llvm::Value* any_goes(const Block* from, unsigned successor, const Halves& mask,
                        const Halves& going);
  llvm::Value* only_lane(const Block* from, unsigned successor);
  llvm::Value* holds_for_team(const Requirement& requirement);
  llvm::Value* by_ends(const llvm::ICmpInst& compare, bool holds);
  std::vector<llvm::Value*> few_lanes(const Halves& mask) const;
  Halves of_lanes_here(const std::function<llvm::Value*(unsigned number)>& value);
  llvm::Value* any(const Halves& mask);
  llvm::Value* any(const Halves& mask, unsigned begin, unsigned count);
  bool is_all(const Halves& mask) const;
  Halves none() const;
  Block* new_block(const llvm::Twine& name) { return Block::Create(context_, name, function_); }
  void go_to(Block* block) { builder_.SetInsertPoint(block); }
  llvm::AllocaInst* variable(llvm::Type* type, bool carried = false);
  void begin_variables_late();

  // --- loops through which lanes go one by one ---
  /// A way out of the loop. Who goes there, a bit for each lane, and what of the values that are
  /// found there lanes bring from the loop: in a row().
  struct Exit {
    const Block* from;
    Block* to;
    llvm::AllocaInst* lanes;
    std::vector<std::pair<llvm::PHINode*, llvm::AllocaInst*>> values;
  };
  struct OneLane {
    llvm::Value* number;  ///< of 64 bits
    std::map<const llvm::Value*, llvm::Value*> values;
    llvm::Value* of(llvm::Value* value) const;
  };
  bool leaves_as_number(const llvm::Instruction& inst, const llvm::Loop& loop) const;
  bool goes_lane_by_lane(const llvm::Loop& loop) const;
  llvm::Value* convert(llvm::Value* value, llvm::Type* type);
  llvm::AllocaInst* give_row(llvm::Value* value, unsigned number);
  llvm::Value* take_row(llvm::AllocaInst* place, llvm::Type* type, unsigned half);
  void access_of_lane(const llvm::CallInst& call, OneLane& lane);
  void emit_in_lane(llvm::Instruction& inst, OneLane& lane);
  void emit_rounds(const llvm::Loop& loop, const std::vector<Exit>& exits, OneLane& lane);
  void leave_by(const Exit& exit);
  void emit_loop_by_lanes(const llvm::Loop& loop);

  // --- values ---
  llvm::Type* vector_of(llvm::Type* type) const;
  static std::vector<int> repeated(const llvm::FixedVectorType* type);
  llvm::Value* first(llvm::Value* value, unsigned half = 0);
  llvm::Value* all(llvm::Value* value, unsigned half);
  llvm::Value* all_here(llvm::Value* value, unsigned half);
  bool is_near_line(const llvm::Value* value, unsigned steps) const;
  llvm::Value* of_lane(llvm::Value* value, llvm::Value* lane);
  void place_behind(llvm::Value* value);
  llvm::Value* ramp(llvm::Type* type, s64 stride) const;
  llvm::Value* splat(llvm::Value* value);
  llvm::Value* no_wrap(const Shape& shape);
  llvm::Value* wrapped(const llvm::Instruction* widening, unsigned half);
  Block* home_of(const llvm::Instruction& inst) const;
  Variable& variable_of(llvm::PHINode& phi);
  void emit(llvm::Instruction& inst, const Halves& mask);
  void emit_affine(llvm::Instruction& inst);
  void emit_vector(llvm::Instruction& inst, const Halves& mask);
  llvm::Value* vector_instruction(llvm::Instruction& inst, unsigned half, const Halves& mask);
  llvm::Value* divide(llvm::Instruction::BinaryOps what, llvm::Value* a, llvm::Value* b,
                      llvm::Value* mask);
  llvm::Value* one_by_one(llvm::Instruction& inst, unsigned half);
  void define(llvm::Instruction& inst, Halves all);
  void define_uniform(llvm::Instruction& inst, llvm::Value* value);
  void define_warp(llvm::Instruction& inst);

  // --- operations of the machine ---
  void emit_context(llvm::CallInst& call);
  void emit_symbol(llvm::CallInst& call);
  void emit_param(llvm::CallInst& call);
  void emit_lane(llvm::CallInst& call);
  void emit_tid(llvm::CallInst& call);
  void emit_local_base(llvm::CallInst& call);
  void emit_special(llvm::CallInst& call);
  void emit_turn(llvm::CallInst& call, const Halves& mask);
  void emit_fence(llvm::CallInst& call);
  void emit_machine_call(llvm::CallInst& call, MachineOp op, const Halves& mask);

  // --- memory ---
  struct Window {
    llvm::Value* base;  ///< null: 0
    llvm::Value* size;
  };
  llvm::Value* field(std::size_t offset, llvm::Type* type, const char* name);
  llvm::Value* field_address(std::size_t offset);
  llvm::Value* team_mask(const Halves& mask);
  llvm::Value* lane_mask(const Halves& mask, unsigned warp = 0);
  unsigned warps() const { return halves_ / kHalves; }
  llvm::Value* warp_number(unsigned warp);
  void name_warp(unsigned warp);
  void for_each_warp(const std::function<void(unsigned warp)>& what);
  void call_helper(HelperId helper, llvm::Value* argument);
  void call_helper(HelperId helper, llvm::Value* argument, const Halves& mask, unsigned warp = 0);
  llvm::Value* fits(llvm::Value* base, llvm::Value* size, llvm::Value* address, u64 bytes,
                    u64 align);
  /// How the lanes' addresses lie.
  enum class Way : u8 {
    scattered,  ///< anyhow
    line,       ///< one behind the other
    apart,    ///< each so many times its size behind the one before: a load of all that is between
    pattern,  ///< around each other in a way that is known, within two vectors
    spread,   ///< further apart than that, each as far from the one before, and all lanes are there
    parts,    ///< each warp or half has one
    one,      ///< all have the same one
    only,     ///< those of lanes_here_ matter
  };
  /// Accesses of a block that are as large as each other, at fixed distances from one value. They
  /// are checked before the first of them.
  struct Group {
    llvm::Value* root = nullptr;  ///< scalar; of 32 bits: a sum in shared memory that may wrap
    Way way = Way::scattered;
    std::vector<s64> offsets;  ///< Way::pattern: of the team's lanes
    Extent extent;             ///< from the lowest one to the end of the last one, from the root
    std::vector<const llvm::CallInst*> members;
    Halves at{};  ///< host addresses of the lowest one, once checked: scalars or vectors. Of a
                  ///< pattern, those of the lowest lane's
    llvm::Value* straight = nullptr;  ///< if not: the lanes have to be looked at one by one. Of
                                      ///< scattered ones: they lie in a line after all
  };
  struct Access {
    Group* group = nullptr;
    u64 distance = 0;  ///< from the root
  };
  std::vector<Window> windows(const Site& site);
  llvm::Value* in_a_window(const Site& site,
                           const std::function<llvm::Value*(const Window& window)>& test);
  bool always_fits(const Group& group);
  llvm::Value* host(const Site& site, llvm::Value* address);
  std::pair<llvm::Value*, u64> root_of(llvm::Value* address, ir::Space space) const;
  Way way_of(const llvm::CallInst& call, const llvm::Value* root) const;
  bool fits_pattern(const llvm::CallInst& call, const llvm::Value* root) const;
  llvm::Value* first_lane(llvm::Value* value, unsigned half);
  std::vector<std::vector<int>> lanes_at(const Group& group, unsigned half) const;
  llvm::Value* put(llvm::Value* lanes, const std::vector<int>& list, unsigned part);
  Halves load_pattern(const Group& group, u64 distance, const Halves& mask);
  void store_pattern(const Group& group, u64 distance, llvm::Value* value, const Halves& mask);
  void find_groups(const Block& block);
  unsigned times_apart(const Group& group) const;
  Group group_of(const llvm::CallInst& call, Way way) const;
  Group& open_group(const llvm::CallInst& call, Way way);
  llvm::Value* further(llvm::Value* value, u64 distance);
  void ask(const Group& group, const Halves& mask);
  void check_lane(const Site& site, const Group& group, llvm::Value* address,
                  llvm::function_ref<void()> illegal);
  void check(Group& group, const Halves& mask);
  bool is_partial(const Group& group, const Halves& mask) const;
  std::pair<llvm::Value*, llvm::Value*> active_line(const Group& group, const Halves& mask);
  void check_scattered(Group& group, const Halves& mask);
  bool may_be_line(const Group& group) const;
  void find_line(Group& group, const Halves& mask);
  bool has_instruction(const llvm::CallInst& call) const;
  bool is_made_at_once(const llvm::CallInst& call, const Halves& mask) const;
  std::pair<Group*, u64> checked(llvm::CallInst& call, const Halves& mask);
  llvm::Value* lane_bits(llvm::Value* predicate, unsigned warp = 0);
  llvm::Value* record_of(const std::vector<llvm::Value*>& parts);
  llvm::Value* pointer(llvm::Value* address, u64 bytes);
  Halves either(llvm::Value* condition, const std::function<Halves()>& fast,
                const std::function<Halves()>& slow);
  Halves where_straight(const llvm::CallInst& call, const Group& group, u64 distance,
                        const std::function<Halves(const Halves& firsts)>& straight,
                        const std::function<Halves()>& slow);
  llvm::Value* repeat(llvm::Value* mask, unsigned count);
  u64 rounds_ahead(const llvm::Loop& loop) const;
  void prefetch(const llvm::CallInst& call, const Group& group, u64 distance);
  bool is_global(const Site& site) const;
  void hint(llvm::Value* at, bool writes, u32 level);
  void touch(const Site& site, llvm::Value* at, u64 bytes);
  llvm::Value* masked_load(const Site& site, llvm::Type* type, llvm::Value* at, llvm::Value* mask);
  Halves load_apart(const Group& group, u64 distance, const Halves& mask);
  // Of local memory; `distance` from the group's address.
  llvm::Value* local_size();
  llvm::Value* local_base();
  llvm::Type* local_index();
  llvm::Value* local_offset(const Group& group, unsigned half, u64 distance);
  llvm::Value* local_place(llvm::Value* offset, unsigned half);
  llvm::Value* load_word(llvm::Value* place, llvm::Value* mask);
  void store_word(llvm::Value* word, llvm::Value* place, llvm::Value* mask);
  llvm::Value* local_shift(llvm::Value* offset);
  void load_local(llvm::CallInst& call, const Group& group, u64 distance, const Halves& mask);
  void store_local(llvm::CallInst& call, const Group& group, u64 distance, const Halves& mask);
  llvm::Value* place_in_spread(const Group& group, unsigned half, unsigned lane, u64 distance);
  Halves load_spread(const llvm::CallInst& call, const Group& group, u64 distance,
                     const Halves& mask);
  void store_spread(const llvm::CallInst& call, const Group& group, u64 distance,
                    const Halves& mask);
  std::vector<llvm::Value*> transposed(const std::vector<llvm::Value*>& rows);
  Halves access_spread(const llvm::CallInst& call, const Group& group, u64 distance,
                       const Halves& mask);
  Halves access_at(const llvm::CallInst& call, const Halves& mask,
                   llvm::function_ref<llvm::Value*(unsigned half, u64 bytes)> places_of);
  Halves access_scattered(const llvm::CallInst& call, const Group& group, u64 distance,
                          const Halves& mask);
  llvm::AllocaInst* row(llvm::Type* element, unsigned number);
  void for_each_lane(llvm::Value* lanes, const std::function<void(llvm::Value* lane)>& one);
  static bool is_word(const Site& site);
  void access_in_order(const Site& site, bool loads, llvm::Value* at,
                       const std::vector<llvm::Value*>& places);
  Halves lane_by_lane(const llvm::CallInst& call, const Halves& mask);
  void emit_load(llvm::CallInst& call, const Site& site, const Halves& mask);
  void emit_store(llvm::CallInst& call, const Site& site, const Halves& mask);
  llvm::Value* add_number(llvm::Value* at, llvm::Value* b, llvm::Value* flushes);
  llvm::Value* atomic_at(const Site& site, llvm::Value* address, llvm::Value* b, llvm::Value* c);
  llvm::Value* of_all_lanes(const Site& site, llvm::Value* operand, const Halves& mask);
  llvm::Value* address_in_context(const Halves& at, llvm::Value* lane);
  llvm::Value* join_equals(const Site& site, const Halves& at, llvm::Value* operand,
                           const Halves& mask, llvm::Value* bits);
  void emit_atomic(llvm::CallInst& call, const Site& site, const Halves& mask);

  // --- what looks across lanes, and what the run-time does ---
  llvm::Value* operand_address(u32 number);
  void hand_over(llvm::Value* value, std::size_t offset, unsigned place);
  void pass_operand(llvm::Value* value, u32 number, unsigned warp = 0);
  llvm::Value* take_result(llvm::Type* type, u32 number, unsigned half);
  void take_results(llvm::CallInst& call);
  void pass_addresses(llvm::CallInst& call, unsigned warp = 0);
  void check_members(llvm::CallInst& call, const Halves& mask);
  void emit_warp_operation(llvm::CallInst& call, const Site& site, const Halves& mask);
  void emit_step(llvm::CallInst& call, HelperId helper, const Halves& mask);
  void emit_cold_call(llvm::CallInst& call, const Halves& mask);
  void end_region(llvm::Value* site, llvm::Value* why);
  void emit_barrier(llvm::CallInst& call, const Halves& mask);
  bool emit_shuffle(llvm::CallInst& call, const Site& site);

  ScalarKernel& kernel_;
  const Shapes& shapes_;
  BoundsAnalysis bounds_;
  const DemandedLanes& demanded_;
  const llvm::TargetTransformInfo& target_;
  const bool is_amd_;  ///< the processor, of whose kind some things were measured
  const machine::Dim3 block_;
  const unsigned halves_;  ///< of the warps that run together
  const WaitingLoops& waiting_;
  llvm::AllocaInst* moved_ = nullptr;  ///< of lanes that take turns: whether one came further
  llvm::LLVMContext& context_;
  llvm::Module& module_;
  llvm::Function& from_;
  const llvm::DataLayout& layout_;
  llvm::Function* function_ = nullptr;
  llvm::Argument* state_ = nullptr;  ///< Context*
  llvm::IRBuilder<> builder_;
  Vectorized made_;
  Block* entry_ = nullptr;  ///< variables and what all CTAs share
  Block* cta_ = nullptr;    ///< what all warps of a CTA share
  Block* head_ = nullptr;   ///< what depends on the team alone
  Block *trapped_ = nullptr, *stopped_ = nullptr;
  std::map<const llvm::Value*, Lanes> lanes_;
  std::map<const llvm::PHINode*, Variable> variables_;
  std::vector<llvm::StoreInst*> forgets_;  ///< what variables had before
  std::map<const Block*, Node> nodes_;
  std::map<std::pair<const Block*, const llvm::Loop*>, std::vector<Block*>>
      children_;                          ///< at a level
  std::map<const Block*, Halves> masks_;  ///< of emitted blocks
  /// Of the block that is emitted, where they are few: the one that may be there, or those that
  /// are. Empty: any.
  std::vector<llvm::Value*> lanes_here_;
  std::map<const Block*, std::function<void()>> latches_;  ///< what their loops want to know
  std::map<const Block*, u32> order_;                      ///< reverse post order
  std::map<std::pair<std::size_t, llvm::Type*>, llvm::Value*> fields_;
  std::map<const llvm::Instruction*, llvm::Value*> no_wrap_;
  std::map<std::tuple<const llvm::Value*, u64, u64>, llvm::Value*> places_;  ///< of fits()
  std::deque<Group> groups_;
  std::map<std::pair<llvm::Type*, unsigned>, llvm::AllocaInst*> rows_;  ///< of row()
  std::map<const llvm::CallInst*, Access> accesses_;
};

}  // namespace heddle::jit
