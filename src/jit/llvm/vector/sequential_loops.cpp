// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/sequential_loops.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>

#include "base/check.h"

namespace heddle::jit {
namespace {

/// The most instructions for each access that pay: vectors do them for half of a warp at a time. A
/// gather costs as much as single loads, or is made of them.
constexpr unsigned kMostInstructions = 4, kMostWithoutGathers = 12;

/// CtaFunction::lane_array(): numbers from this one on.
constexpr unsigned kFirstRow = 64;

/// Whether the lanes' values can be kept in an array.
bool is_number(const llvm::Type* type) {
  return type->isIntegerTy(1) || type->isIntegerTy(8) || type->isIntegerTy(16) ||
         type->isIntegerTy(32) || type->isIntegerTy(64) || type->isFloatingPointTy();
}

/// The element type of that array: a predicate is a byte.
llvm::Type* kept_as(llvm::Type* type) {
  return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
}

/// Instructions that cost nothing, or are there for the loop alone.
bool is_free(const llvm::Instruction& inst) {
  return llvm::isa<llvm::PHINode>(inst) || llvm::isa<llvm::BitCastInst>(inst) ||
         inst.isTerminator() || inst.isDebugOrPseudoInst() || inst.isLifetimeStartOrEnd();
}

/// Whether the load depends on its value of the round before, as in a list. Vector code waits for
/// the loads of all lanes at the same time.
bool is_chain(const llvm::CallInst& load, const llvm::Loop& loop) {
  std::vector<const llvm::Value*> work = {load.getArgOperand(1)};
  std::set<const llvm::Value*> seen;
  while (!work.empty()) {
    const auto* inst = llvm::dyn_cast<llvm::Instruction>(work.back());
    work.pop_back();
    if (!inst || !loop.contains(inst) || !seen.insert(inst).second) continue;
    if (inst == &load) return true;
    work.insert(work.end(), inst->op_begin(), inst->op_end());
  }
  return false;
}

}  // namespace

/// Whether every use outside of the loop can read the instruction's value from an array.
bool SequentialLoops::leaves_as_number(const llvm::Instruction& inst,
                                       const llvm::Loop& loop) const {
  return llvm::all_of(inst.users(), [&](const llvm::User* user) {
    if (loop.contains(llvm::cast<llvm::Instruction>(user))) return true;
    const auto* phi = llvm::cast<llvm::PHINode>(user);
    return is_number(phi->getType()) && !shapes_.of(phi).is_affine();
  });
}

bool SequentialLoops::is_sequential(const llvm::Loop& loop) const {
  if (!shapes_.is_divergent(&loop) || function_.warps() > 1 || !loop.hasDedicatedExits())
    return false;
  unsigned instructions = 0, apart = 0;
  bool has_gathers = true;
  for (const Block* block : loop.blocks()) {
    if (waiting_.count(shapes_.loops.getLoopFor(block))) return false;
    for (const llvm::Instruction& inst : *block) {
      if (!leaves_as_number(inst, loop)) return false;
      const auto brings = [&](const llvm::Value* value) {
        const auto* from = llvm::dyn_cast<llvm::Instruction>(value);
        return !from || loop.contains(from) || is_number(value->getType());
      };
      if (!llvm::all_of(inst.operand_values(), brings)) return false;
      if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&inst)) {
        if (branch->isConditional() && branch->getSuccessor(0) == branch->getSuccessor(1))
          return false;
      } else if (inst.isTerminator()) {
        return false;
      }
      const MachineOp op = machine_op(inst);
      if (op == MachineOp::load || op == MachineOp::store) {
        const auto& call = llvm::cast<llvm::CallInst>(inst);
        const Site& site = site_of(call);
        // Words of local memory lie side by side over the lanes, and affine addresses are one
        // access of all lanes. Lanes that wait for other threads advance together.
        if (site.strong || site.space == ir::Space::local) return false;
        if (shapes_.of(call.getArgOperand(1)).is_affine() || is_chain(call, loop)) return false;
        if (!may_be_global(site)) continue;
        // One lane after the other would access far memory where consecutive lanes share lines.
        if (checks_.may_be_consecutive(groups_.group_of(call, Layout::scattered))) return false;
        ++apart;
        has_gathers &= processor_.has_gather(call, site);
      } else if (op != MachineOp::none || inst.mayWriteToMemory()) {
        return false;
      } else if (!is_free(inst)) {
        ++instructions;
      }
    }
  }
  // Intel's gathers take half as long as single loads, AMD's as long.
  if (has_gathers && !processor_.is_amd) return false;
  return instructions <= apart * (has_gathers ? kMostInstructions : kMostWithoutGathers);
}

/// The lane's copy of a value of the scalar code.
llvm::Value* SequentialLoops::OneLane::of(llvm::Value* value) const {
  const auto found = values.find(value);
  return found == values.end() ? value : found->second;
}

void SequentialLoops::access_of_lane(const llvm::CallInst& call, OneLane& lane) {
  const Site& site = site_of(call);
  llvm::Value* address = lane.of(call.getArgOperand(1));
  checks_.check_lane(site, groups_.group_of(call, Layout::scattered), address, [&] {
    llvm::Value* place = builder_.CreateInBoundsGEP(
        builder_.getInt64Ty(), function_.field_address(offsetof(Context, addresses)), lane.number);
    builder_.CreateStore(address, place);
    builder_.CreateStore(builder_.CreateShl(builder_.getInt64(1), lane.number),
                         function_.field_address(offsetof(Context, team_lanes)));
    runtime_.call(HelperId::check_access, call.getArgOperand(0));
  });
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  const bool loads = machine_op(call) == MachineOp::load;
  std::vector<llvm::Value*> parts;
  for (unsigned i = 0; i < site.count; ++i) {
    llvm::Value* there =
        windows_.pointer(windows_.host_address(site, address), u64{i} * site.bytes);
    if (loads)
      parts.push_back(builder_.CreateAlignedLoad(element, there, llvm::Align(1)));
    else
      builder_.CreateAlignedStore(lane.of(call.getArgOperand(2 + i)), there, llvm::Align(1));
  }
  if (loads) lane.values[&call] = record_of(parts);
}

void SequentialLoops::emit_in_lane(llvm::Instruction& inst, OneLane& lane) {
  if (inst.isDebugOrPseudoInst() || inst.isLifetimeStartOrEnd()) return;
  function_.set_location_of(inst);
  if (machine_op(inst) != MachineOp::none)
    return access_of_lane(llvm::cast<llvm::CallInst>(inst), lane);
  llvm::Instruction* copy = inst.clone();
  copy->setDebugLoc(builder_.getCurrentDebugLocation());
  for (llvm::Use& operand : copy->operands()) operand.set(lane.of(operand.get()));
  lane.values[&inst] = builder_.Insert(copy, inst.getName());
}

/// To the element type of an array, or back.
llvm::Value* SequentialLoops::convert(llvm::Value* value, llvm::Type* type) {
  return value->getType() == type ? value : builder_.CreateZExtOrTrunc(value, type);
}

/// Stores the value of all lanes to an array.
llvm::AllocaInst* SequentialLoops::store_row(llvm::Value* value, unsigned number) {
  llvm::Type* type = kept_as(value->getType());
  llvm::AllocaInst* place = function_.lane_array(type, number);
  for (unsigned h = 0; h < halves_; ++h)
    builder_.CreateStore(convert(values_.vector(value, h), vector_of(type)),
                         builder_.CreateConstInBoundsGEP1_32(vector_of(type), place, h));
  return place;
}

llvm::Value* SequentialLoops::load_row(llvm::AllocaInst* place, llvm::Type* type, unsigned half) {
  llvm::Type* kept = vector_of(kept_as(type));
  return convert(builder_.CreateLoad(kept, builder_.CreateConstInBoundsGEP1_32(kept, place, half)),
                 vector_of(type));
}

/// All rounds of one lane. The builder ends where its exits join.
void SequentialLoops::emit_rounds(const llvm::Loop& loop, const std::vector<Exit>& exits,
                                  OneLane& lane) {
  std::vector<Block*> blocks(loop.block_begin(), loop.block_end());
  std::ranges::sort(blocks, {}, [&](const Block* block) { return order_.at(block); });
  std::map<const Block*, Block*> begins;
  for (const Block* block : blocks) begins[block] = new_block(block->getName());
  Block *before = builder_.GetInsertBlock(), *left = new_block("left");
  builder_.CreateBr(begins.at(loop.getHeader()));
  std::map<std::pair<const Block*, const Block*>, Block*> edges;  // the block each comes from
  for (Block* block : blocks) {
    go_to(begins.at(block));
    for (llvm::Instruction& inst : *block) {
      if (inst.isTerminator()) break;
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&inst))
        lane.values[phi] = builder_.CreatePHI(phi->getType(), phi->getNumIncomingValues());
      else
        emit_in_lane(inst, lane);
    }
    Block* end = builder_.GetInsertBlock();
    auto* branch = llvm::cast<llvm::BranchInst>(block->getTerminator()->clone());
    if (branch->isConditional()) branch->setCondition(lane.of(branch->getCondition()));
    branch->setDebugLoc(builder_.getCurrentDebugLocation());
    branch->insertInto(end, end->end());
    for (unsigned s = 0; s < branch->getNumSuccessors(); ++s) {
      const Block* to = branch->getSuccessor(s);
      const auto exit = std::ranges::find_if(
          exits, [&](const Exit& one) { return one.from == block && one.to == to; });
      const bool again = exit == exits.end() && order_.at(to) <= order_.at(block);
      if (exit == exits.end() && !again) {
        edges[{block, to}] = end;
        branch->setSuccessor(s, begins.at(to));
        continue;
      }
      Block* edge = new_block(again ? "next" : "leaves");
      branch->setSuccessor(s, edge);
      go_to(edge);
      if (again) {
        edges[{block, to}] = edge;
        function_.branch_unless_stopped(begins.at(to));
        continue;
      }
      for (const auto& [phi, row] : exit->values) {
        llvm::Type* type = kept_as(phi->getType());
        builder_.CreateStore(convert(lane.of(phi->getIncomingValueForBlock(block)), type),
                             builder_.CreateInBoundsGEP(type, row, lane.number));
      }
      llvm::Type* word = exit->lanes->getAllocatedType();
      llvm::Value* bit = builder_.CreateShl(llvm::ConstantInt::get(word, 1),
                                            builder_.CreateTrunc(lane.number, word));
      builder_.CreateStore(builder_.CreateOr(builder_.CreateLoad(word, exit->lanes), bit),
                           exit->lanes);
      builder_.CreateBr(left);
    }
  }
  for (Block* block : blocks) {
    for (llvm::PHINode& phi : block->phis()) {
      auto* copy = llvm::cast<llvm::PHINode>(lane.of(&phi));
      for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
        const Block* from = phi.getIncomingBlock(i);
        copy->addIncoming(lane.of(phi.getIncomingValue(i)),
                          loop.contains(from) ? edges.at({from, block}) : before);
      }
    }
  }
  go_to(left);
}

/// Stores the values that lanes bring to the block behind the exit. Returns these lanes.
Halves SequentialLoops::leave_by(const Exit& exit) {
  // Not a bitcast of the word: LLVM 19 does not terminate on an `or` of two of those, one of them a
  // constant.
  llvm::Value* lanes = splat(builder_.CreateLoad(exit.lanes->getAllocatedType(), exit.lanes));
  llvm::Value* none = llvm::Constant::getNullValue(lanes->getType());
  Halves going{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Constant*> bits;
    for (unsigned lane = 0; lane < kHalf; ++lane)
      bits.push_back(builder_.getInt32(1u << (h * kHalf + lane)));
    going[h] =
        builder_.CreateICmpNE(builder_.CreateAnd(lanes, llvm::ConstantVector::get(bits)), none);
  }
  for (llvm::PHINode& phi : exit.to->phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(exit.from);
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    const auto own =
        std::ranges::find_if(exit.values, [&](const auto& one) { return one.first == &phi; });
    const PhiVariables::Places& places = phis_.places_of(phi);
    const bool affine = shapes_.of(&phi).is_affine();
    const unsigned shared = halves_ / static_cast<unsigned>(places.size());
    for (unsigned i = 0; i < places.size(); ++i) {
      llvm::AllocaInst* place = places[i];
      llvm::Type* type = place->getAllocatedType();
      llvm::Value* now = own != exit.values.end() ? load_row(own->second, phi.getType(), i)
                         : affine                 ? values_.scalar(value, i * shared)
                                                  : values_.vector(value, i);
      llvm::Value* goes = affine ? masks_.any(going) : going[i];
      builder_.CreateStore(builder_.CreateSelect(goes, now, builder_.CreateLoad(type, place)),
                           place);
    }
  }
  return going;
}

void SequentialLoops::emit(const llvm::Loop& loop, const Halves& mask,
                           const std::function<void(const Block* to, const Halves& going)>& leave) {
  unsigned rows = kFirstRow;
  // Values from outside of the loop, in the order of the code: results must not depend on pointers.
  // Null: a scalar is enough.
  llvm::MapVector<llvm::Value*, llvm::AllocaInst*> brought;
  std::vector<Exit> exits;
  for (Block* block : loop.blocks()) {
    for (llvm::Instruction& inst : *block) {
      for (llvm::Value* operand : inst.operand_values()) {
        const auto* from = llvm::dyn_cast<llvm::Instruction>(operand);
        if (!from || loop.contains(from) || !brought.try_emplace(operand, nullptr).second) continue;
        if (shapes_.of(operand).is_affine()) continue;
        brought[operand] = store_row(operand, rows++);
      }
    }
    for (Block* to : llvm::successors(block)) {
      if (loop.contains(to)) continue;
      Exit& exit =
          exits.emplace_back(Exit{block, to, function_.variable(builder_.getInt32Ty()), {}});
      builder_.CreateStore(builder_.getInt32(0), exit.lanes);
      for (llvm::PHINode& phi : to->phis()) {
        const auto* value = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(block));
        if (value && loop.contains(value))
          exit.values.emplace_back(&phi, function_.lane_array(kept_as(phi.getType()), rows++));
      }
    }
  }
  const auto goes_alone = [&](llvm::Value* who) {
    builder_.CreateStore(who, function_.field_address(offsetof(Context, alone)),
                         /*isVolatile=*/true);
  };
  function_.for_each_lane(masks_.team_bits(mask), [&](llvm::Value* number) {
    OneLane lane{number, {}};
    llvm::Value* word = builder_.CreateTrunc(number, builder_.getInt32Ty());
    goes_alone(builder_.CreateAdd(word, builder_.getInt32(1)));
    for (const auto& [value, place] : brought) {
      if (!place) {
        lane.values[value] = values_.lane(value, word);
        continue;
      }
      llvm::Type* type = kept_as(value->getType());
      lane.values[value] =
          convert(builder_.CreateLoad(type, builder_.CreateInBoundsGEP(type, place, number)),
                  value->getType());
    }
    emit_rounds(loop, exits, lane);
  });
  goes_alone(builder_.getInt32(0));
  for (const Exit& exit : exits) leave(exit.to, leave_by(exit));
}

}  // namespace heddle::jit
