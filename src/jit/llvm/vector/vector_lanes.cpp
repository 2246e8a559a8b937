// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that lanes leave one by one and in which they do little but access memory, each somewhere
// else: rows of a sparse matrix, lists, trees. As vectors their rounds cost what the lane with the
// most rounds needs, times an access for each of the lanes. Here each lane goes through its rounds
// by itself, in scalar code, before the next one does.
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "jit/llvm/analysis/branches.h"
#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {
namespace {

/// Instructions for each access, at most: vectors do them for half of a warp at a time. An access
/// to as many places is an instruction that costs as much as single ones, or is made of these.
constexpr unsigned kMostInstructions = 4, kMostWithoutGathers = 12;

/// Of Vectorizer::row(): from this number on.
constexpr unsigned kFirstRow = 64;

/// Whether lanes' values of the type may lie one by one.
bool is_number(const llvm::Type* type) {
  return type->isIntegerTy(1) || type->isIntegerTy(8) || type->isIntegerTy(16) ||
         type->isIntegerTy(32) || type->isIntegerTy(64) || type->isFloatingPointTy();
}

/// As what they lie there: a predicate as a byte.
llvm::Type* kept_as(llvm::Type* type) {
  return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
}

/// What costs nothing, or is there for the loop alone.
bool is_free(const llvm::Instruction& inst) {
  return llvm::isa<llvm::PHINode>(inst) || llvm::isa<llvm::BitCastInst>(inst) ||
         inst.isTerminator() || inst.isDebugOrPseudoInst() || inst.isLifetimeStartOrEnd();
}

/// Whether the load waits for what it loaded in the round before, as in a list: those of all lanes
/// wait at the same time, if they are vectors.
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

/// Whether the instruction, if it is looked at where lanes leave the loop, can be kept for that.
bool Vectorizer::leaves_as_number(const llvm::Instruction& inst, const llvm::Loop& loop) const {
  return llvm::all_of(inst.users(), [&](const llvm::User* user) {
    if (loop.contains(llvm::cast<llvm::Instruction>(user))) return true;
    const auto* phi = llvm::cast<llvm::PHINode>(user);
    return is_number(phi->getType()) && !shapes_.of(phi).is_affine();
  });
}

bool Vectorizer::goes_lane_by_lane(const llvm::Loop& loop) const {
  if (!shapes_.is_divergent(&loop) || warps() > 1 || !loop.hasDedicatedExits()) return false;
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
        // Local memory lies in words of all lanes; what is in a line is one access of all. Lanes
        // that look for what others write go together.
        if (site.strong || site.space == ir::Space::local) return false;
        if (shapes_.of(call.getArgOperand(1)).is_affine() || is_chain(call, loop)) return false;
        if (!is_global(site)) continue;
        // Lanes that lie in a line most of the time would walk far apart, one behind the other.
        if (may_be_line(group_of(call, Way::scattered))) return false;
        ++apart;
        has_gathers &= has_instruction(call);
      } else if (op != MachineOp::none || inst.mayWriteToMemory()) {
        return false;
      } else if (!is_free(inst)) {
        ++instructions;
      }
    }
  }
  // Intel's gathers take half as long as accesses one by one, AMD's as long.
  if (has_gathers && !is_amd_) return false;
  return instructions <= apart * (has_gathers ? kMostInstructions : kMostWithoutGathers);
}

/// What a lane has of a scalar value.
llvm::Value* Vectorizer::OneLane::of(llvm::Value* value) const {
  const auto found = values.find(value);
  return found == values.end() ? value : found->second;
}

void Vectorizer::access_of_lane(const llvm::CallInst& call, OneLane& lane) {
  const Site& site = site_of(call);
  llvm::Value* address = lane.of(call.getArgOperand(1));
  check_lane(site, group_of(call, Way::scattered), address, [&] {
    llvm::Value* place = builder_.CreateInBoundsGEP(
        builder_.getInt64Ty(), field_address(offsetof(Context, addresses)), lane.number);
    builder_.CreateStore(address, place);
    builder_.CreateStore(builder_.CreateShl(builder_.getInt64(1), lane.number),
                         field_address(offsetof(Context, team_lanes)));
    call_helper(HelperId::check_access, call.getArgOperand(0));
  });
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  const bool loads = machine_op(call) == MachineOp::load;
  std::vector<llvm::Value*> parts;
  for (unsigned i = 0; i < site.count; ++i) {
    llvm::Value* there = pointer(host(site, address), u64{i} * site.bytes);
    if (loads)
      parts.push_back(builder_.CreateAlignedLoad(element, there, llvm::Align(1)));
    else
      builder_.CreateAlignedStore(lane.of(call.getArgOperand(2 + i)), there, llvm::Align(1));
  }
  if (loads) lane.values[&call] = record_of(parts);
}

void Vectorizer::emit_in_lane(llvm::Instruction& inst, OneLane& lane) {
  if (inst.isDebugOrPseudoInst() || inst.isLifetimeStartOrEnd()) return;
  at_line_of(inst);
  if (machine_op(inst) != MachineOp::none)
    return access_of_lane(llvm::cast<llvm::CallInst>(inst), lane);
  llvm::Instruction* copy = inst.clone();
  copy->setDebugLoc(builder_.getCurrentDebugLocation());
  for (llvm::Use& operand : copy->operands()) operand.set(lane.of(operand.get()));
  lane.values[&inst] = builder_.Insert(copy, inst.getName());
}

/// To a type that is kept, or back.
llvm::Value* Vectorizer::convert(llvm::Value* value, llvm::Type* type) {
  return value->getType() == type ? value : builder_.CreateZExtOrTrunc(value, type);
}

/// The lanes' values, one by one.
llvm::AllocaInst* Vectorizer::give_row(llvm::Value* value, unsigned number) {
  llvm::Type* type = kept_as(value->getType());
  llvm::AllocaInst* place = row(type, number);
  for (unsigned h = 0; h < halves_; ++h)
    builder_.CreateStore(convert(all(value, h), vector_of(type)),
                         builder_.CreateConstInBoundsGEP1_32(vector_of(type), place, h));
  return place;
}

llvm::Value* Vectorizer::take_row(llvm::AllocaInst* place, llvm::Type* type, unsigned half) {
  llvm::Type* kept = vector_of(kept_as(type));
  return convert(builder_.CreateLoad(kept, builder_.CreateConstInBoundsGEP1_32(kept, place, half)),
                 vector_of(type));
}

/// A lane's own way through the loop. Ends where all of its ways out of it meet.
void Vectorizer::emit_rounds(const llvm::Loop& loop, const std::vector<Exit>& exits,
                             OneLane& lane) {
  std::vector<Block*> blocks(loop.block_begin(), loop.block_end());
  std::ranges::sort(blocks, {}, [&](const Block* block) { return order_.at(block); });
  std::map<const Block*, Block*> begins;
  for (const Block* block : blocks) begins[block] = new_block(block->getName());
  Block *before = builder_.GetInsertBlock(), *left = new_block("left");
  builder_.CreateBr(begins.at(loop.getHeader()));
  std::map<std::pair<const Block*, const Block*>, Block*> ways;  // where each ends
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
        ways[{block, to}] = end;
        branch->setSuccessor(s, begins.at(to));
        continue;
      }
      Block* way = new_block(again ? "next" : "leaves");
      branch->setSuccessor(s, way);
      go_to(way);
      if (again) {
        ways[{block, to}] = way;
        go_on_unless_stopped(begins.at(to));
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
                          loop.contains(from) ? ways.at({from, block}) : before);
      }
    }
  }
  go_to(left);
}

/// What lanes bring to the places behind the loop, and who comes there.
void Vectorizer::leave_by(const Exit& exit) {
  // Not a cast of the bits: LLVM 19 never ends with an `or` of two of those, one of them a
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
    Variable& variable = variable_of(phi);
    const bool affine = shapes_.of(&phi).is_affine();
    const unsigned shared = halves_ / static_cast<unsigned>(variable.places.size());
    for (unsigned i = 0; i < variable.places.size(); ++i) {
      llvm::AllocaInst* place = variable.places[i];
      llvm::Type* type = place->getAllocatedType();
      llvm::Value* now = own != exit.values.end() ? take_row(own->second, phi.getType(), i)
                         : affine                 ? first(value, i * shared)
                                                  : all(value, i);
      llvm::Value* goes = affine ? any(going) : going[i];
      builder_.CreateStore(builder_.CreateSelect(goes, now, builder_.CreateLoad(type, place)),
                           place);
    }
  }
  collect(exit.to, going);
}

void Vectorizer::emit_loop_by_lanes(const llvm::Loop& loop) {
  const Halves mask = nodes_[loop.getHeader()].mask;
  unsigned rows = kFirstRow;
  // In the order of the code: results must not depend on addresses of objects. Null: not in
  // vectors.
  llvm::MapVector<llvm::Value*, llvm::AllocaInst*> brought;
  std::vector<Exit> exits;
  for (Block* block : loop.blocks()) {
    for (llvm::Instruction& inst : *block) {
      for (llvm::Value* operand : inst.operand_values()) {
        const auto* from = llvm::dyn_cast<llvm::Instruction>(operand);
        if (!from || loop.contains(from) || !brought.try_emplace(operand, nullptr).second) continue;
        if (shapes_.of(operand).is_affine()) continue;
        brought[operand] = give_row(operand, rows++);
      }
    }
    for (Block* to : llvm::successors(block)) {
      if (loop.contains(to)) continue;
      Exit& exit = exits.emplace_back(Exit{block, to, variable(builder_.getInt32Ty()), {}});
      builder_.CreateStore(builder_.getInt32(0), exit.lanes);
      for (llvm::PHINode& phi : to->phis()) {
        const auto* value = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(block));
        if (value && loop.contains(value))
          exit.values.emplace_back(&phi, row(kept_as(phi.getType()), rows++));
      }
    }
  }
  const auto goes_alone = [&](llvm::Value* who) {
    builder_.CreateStore(who, field_address(offsetof(Context, alone)), /*isVolatile=*/true);
  };
  for_each_lane(team_mask(mask), [&](llvm::Value* number) {
    OneLane lane{number, {}};
    llvm::Value* word = builder_.CreateTrunc(number, builder_.getInt32Ty());
    goes_alone(builder_.CreateAdd(word, builder_.getInt32(1)));
    for (const auto& [value, place] : brought) {
      if (!place) {
        lane.values[value] = of_lane(value, word);
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
  for (const Exit& exit : exits) leave_by(exit);
}

}  // namespace heddle::jit
