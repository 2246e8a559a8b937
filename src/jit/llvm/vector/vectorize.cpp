// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/vectorize.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

#include "base/check.h"
#include "isa/groups.h"
#include "jit/llvm/analysis/branches.h"
#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {

Vectorizer::Vectorizer(ScalarKernel& kernel, const Plan& plan, Analyses& analyses,
                       const machine::Dim3& block)
    : kernel_(kernel),
      shapes_(plan.shapes),
      bounds_(*kernel.function, analyses),
      demanded_(plan.demanded),
      target_(analyses.functions.getResult<llvm::TargetIRAnalysis>(*kernel.function)),
      is_amd_(analyses.target.getTargetCPU().starts_with("znver")),
      block_(block),
      halves_(plan.shapes.team() / kHalf),
      waiting_(plan.waiting),
      context_(kernel.module->getContext()),
      module_(*kernel.module),
      from_(*kernel.function),
      layout_(kernel.module->getDataLayout()),
      builder_(context_) {}

namespace {

/// The same number, of which LLVM knows nothing but that it is less than `end`. Where it sees a
/// loop's counter it keeps a counter for each address that is made of it, on the stack when
/// registers run out; a turn is too long for that to pay.
llvm::Value* hide(llvm::IRBuilderBase& builder, llvm::Value* number, u32 end) {
  auto* type = llvm::FunctionType::get(number->getType(), {number->getType()}, false);
  llvm::CallInst* copy = builder.CreateCall(
      type, llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false), {number}, "team");
  copy->setDoesNotAccessMemory();
  copy->setDoesNotThrow();
  copy->addFnAttr(llvm::Attribute::WillReturn);
  copy->setMetadata(
      llvm::LLVMContext::MD_range,
      llvm::MDBuilder(builder.getContext()).createRange(llvm::APInt(32, 0), llvm::APInt(32, end)));
  return copy;
}

}  // namespace

// --- masks ---

llvm::Value* Vectorizer::any(const Halves& mask) {
  return is_all(mask) ? builder_.getTrue() : any(mask, 0, halves_);
}

/// Of so many halves.
llvm::Value* Vectorizer::any(const Halves& mask, unsigned begin, unsigned count) {
  llvm::Value* either = mask[begin];
  for (unsigned h = 1; h < count; ++h) either = builder_.CreateOr(either, mask[begin + h]);
  if (const auto* known = llvm::dyn_cast<llvm::Constant>(either))  // IRBuilder does not look inside
    return builder_.getInt1(!known->isNullValue());
  llvm::Value* bits = builder_.CreateBitCast(either, builder_.getIntNTy(kHalf));
  return builder_.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0));
}

bool Vectorizer::is_all(const Halves& mask) const {
  const auto all = [](const llvm::Value* one) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(one);
    return constant && constant->isAllOnesValue();
  };
  return std::all_of(mask.begin(), mask.begin() + halves_, all);
}

Halves Vectorizer::none() const {
  Halves zero{};
  zero.fill(llvm::Constant::getNullValue(vector_of(llvm::Type::getInt1Ty(context_))));
  return zero;
}

/// Whether the lanes that end `from` together go to its successor; null: all of them do, always.
llvm::Value* Vectorizer::goes(const Block* from, unsigned successor) {
  auto* branch =
      llvm::cast<llvm::BranchInst>(const_cast<llvm::Instruction*>(from->getTerminator()));
  if (!branch->isConditional()) return nullptr;
  llvm::Value* condition = first(branch->getCondition());
  return successor == 0 ? condition : builder_.CreateNot(condition);
}

/// Of `mask`, those that go from `from` to its successor.
Halves Vectorizer::edge_mask(const Block* from, unsigned successor, const Halves& mask) {
  auto* branch =
      llvm::cast<llvm::BranchInst>(const_cast<llvm::Instruction*>(from->getTerminator()));
  if (!branch->isConditional()) return mask;
  Halves result{};
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* condition = shapes_.is_divergent(from) ? all(branch->getCondition(), h)
                                                        : splat(first(branch->getCondition()));
    if (successor == 1) condition = builder_.CreateNot(condition);
    // Not an `and`: what the lanes that are not there would decide may be poison.
    result[h] = builder_.CreateSelect(mask[h], condition, none()[h]);
  }
  return result;
}

/// Whether any of `mask` goes from `from` to its successor, which makes it `going`.
llvm::Value* Vectorizer::any_goes(const Block* from, unsigned successor, const Halves& mask,
                                  const Halves& going) {
  llvm::Value* condition =
      llvm::cast<llvm::BranchInst>(const_cast<llvm::Instruction*>(from->getTerminator()))
          ->getCondition();
  const Shape shape = shapes_.of(condition);
  if (!is_all(mask) || !shape.is_affine()) return any(going);
  // One for each warp, or half.
  llvm::Value* some = nullptr;
  for (unsigned h = 0; h < halves_; h += shapes_.halves_of(shape)) {
    llvm::Value* part = first(condition, h);
    if (successor == 1) part = builder_.CreateNot(part);
    some = some ? builder_.CreateOr(some, part) : part;
  }
  return some;
}

/// The lane that alone may go from `from` to its successor: an index that differs from lane to lane
/// by one is compared with a number. Null: there may be several.
llvm::Value* Vectorizer::only_lane(const Block* from, unsigned successor) {
  const llvm::ICmpInst* test = shapes_.lane_test(from, successor);
  if (!test) return nullptr;
  llvm::Value *index = test->getOperand(0), *number = test->getOperand(1);
  // The first one of a team whose index is a multiple of the team: the place is known.
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(number);
      known && shapes_.of(index).align >= shapes_.team())
    return builder_.getInt32(static_cast<u32>(known->getZExtValue() % shapes_.team()));
  llvm::Value* lane = builder_.CreateSub(first(number), first(index));
  return builder_.CreateZExtOrTrunc(lane, builder_.getInt32Ty());
}

/// Whether the comparison of numbers in a line holds, or does not, in all lanes: it does in the one
/// at the end, and none has wrapped around; or the number that they are not lies outside of theirs.
llvm::Value* Vectorizer::by_ends(const llvm::ICmpInst& compare, bool holds) {
  auto predicate = holds ? compare.getPredicate() : compare.getInversePredicate();
  llvm::Value *line = compare.getOperand(0), *bound = compare.getOperand(1);
  if (!is_in_line(*line, shapes_)) {
    std::swap(line, bound);
    predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
  }
  const unsigned shared =
      std::min(shapes_.halves_of(shapes_.of(line)), shapes_.halves_of(shapes_.of(bound)));
  const s64 reach = shapes_.of(line).stride * (s64{shared} * kHalf - 1);
  llvm::Value* all = builder_.getTrue();
  if (predicate == llvm::ICmpInst::ICMP_NE) {
    for (unsigned h = 0; h < halves_; h += shared) {
      llvm::Value *begin = first(line, h), *other = first(bound, h);
      if (reach < 0) std::swap(begin, other);
      all = builder_.CreateAnd(
          all, builder_.CreateICmpUGT(
                   builder_.CreateSub(other, begin),
                   llvm::ConstantInt::get(begin->getType(), static_cast<u64>(std::abs(reach)))));
    }
    return all;
  }
  const bool is_signed = llvm::ICmpInst::isSigned(predicate);
  const bool largest = llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate);
  // At twice the width nothing wraps around.
  const unsigned bits = line->getType()->getIntegerBitWidth();
  llvm::Type* wide = builder_.getIntNTy(2 * bits);
  const auto exact = [&](llvm::Value* value) {
    return is_signed ? builder_.CreateSExt(value, wide) : builder_.CreateZExt(value, wide);
  };
  const llvm::APInt end = reach > 0
                              ? (is_signed ? llvm::APInt::getSignedMaxValue(bits).zext(2 * bits)
                                           : llvm::APInt::getMaxValue(bits).zext(2 * bits))
                          : is_signed ? llvm::APInt::getSignedMinValue(bits).sext(2 * bits)
                                      : llvm::APInt::getZero(2 * bits);
  for (unsigned h = 0; h < halves_; h += shared) {
    llvm::Value* begin = exact(first(line, h));
    llvm::Value* last = builder_.CreateAdd(begin, llvm::ConstantInt::getSigned(wide, reach));
    const bool at_last = largest == (reach > 0);
    all = builder_.CreateAnd(all,
                             builder_.CreateICmp(llvm::ICmpInst::getSignedPredicate(predicate),
                                                 at_last ? last : begin, exact(first(bound, h))));
    if (at_last) continue;  // the bound is no further than the end
    llvm::Value* number = llvm::ConstantInt::get(wide, end);
    all = builder_.CreateAnd(all, reach > 0 ? builder_.CreateICmpSLE(last, number)
                                            : builder_.CreateICmpSGE(last, number));
  }
  return all;
}

/// In all lanes of the team; it may be false all the same.
llvm::Value* Vectorizer::holds_for_team(const Requirement& requirement) {
  const auto parts = requirements_of_team(requirement, shapes_);
  if (!parts) return builder_.getFalse();
  llvm::Value* all = builder_.getTrue();
  for (const auto& [condition, holds] : *parts) {
    const Shape shape = shapes_.of(condition);
    if (!shape.is_affine()) {
      all = builder_.CreateAnd(all, by_ends(*llvm::cast<llvm::ICmpInst>(condition), holds));
      continue;
    }
    for (unsigned h = 0; h < halves_; h += shapes_.halves_of(shape)) {
      llvm::Value* one = first(condition, h);
      all = builder_.CreateAnd(all, holds ? one : builder_.CreateNot(one));
    }
  }
  return all;
}

/// The lanes of a mask that is known when compiling, where each half has no more than one, and each
/// warp. Empty: it is not known, or there are more.
std::vector<llvm::Value*> Vectorizer::few_lanes(const Halves& mask) const {
  std::vector<llvm::Value*> lanes;
  for (unsigned h = 0; h < halves_; ++h) {
    const auto* half = llvm::dyn_cast<llvm::Constant>(mask[h]);
    unsigned of_half = 0;
    for (unsigned lane = 0; lane < kHalf; ++lane) {
      const auto* bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(
          half ? half->getAggregateElement(lane) : nullptr);
      if (!bit || (bit->isOne() && ++of_half > 1)) return {};
      if (bit->isOne())
        lanes.push_back(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), h * kHalf + lane));
    }
  }
  return lanes.size() <= warps() ? lanes : std::vector<llvm::Value*>{};
}

/// What each of lanes_here_ has, in its half; where it is one, in all of them.
Halves Vectorizer::of_lanes_here(const std::function<llvm::Value*(unsigned)>& value) {
  Halves result{};
  for (unsigned i = 0; i < lanes_here_.size(); ++i) {
    llvm::Value* half = splat(value(i));
    if (i == 0)
      result.fill(half);
    else
      result[llvm::cast<llvm::ConstantInt>(lanes_here_[i])->getZExtValue() / kHalf] = half;
  }
  return result;
}

/// Of each warp: nothing of the one before is left in it. Nor, unless it is carried on, of the
/// round before of a loop in which all of its accesses are.
llvm::AllocaInst* Vectorizer::variable(llvm::Type* type, bool carried) {
  llvm::AllocaInst* place = llvm::IRBuilder<>(entry_, entry_->begin()).CreateAlloca(type);
  auto* forget =
      llvm::IRBuilder<>(head_->getTerminator()).CreateStore(llvm::PoisonValue::get(type), place);
  if (!carried) forgets_.push_back(forget);
  return place;
}

/// Variables begin where all of their accesses are near: what they have before costs SROA a look at
/// all of the function, and what they have of rounds before, registers.
void Vectorizer::begin_variables_late() {
  const llvm::DominatorTree dominators(*function_);
  const llvm::LoopInfo loops(dominators);
  for (llvm::StoreInst* forget : forgets_) {
    Block* begin = nullptr;
    llvm::SmallPtrSet<Block*, 8> blocks;
    for (llvm::User* user : forget->getPointerOperand()->users()) {
      Block* block = llvm::cast<llvm::Instruction>(user)->getParent();
      if (user == forget || !dominators.isReachableFromEntry(block) || !blocks.insert(block).second)
        continue;
      begin = begin ? dominators.findNearestCommonDominator(begin, block) : block;
    }
    if (!begin) continue;
    const auto has_all = [&](const llvm::Loop* loop) {
      return llvm::all_of(blocks, [&](const Block* block) { return loop->contains(block); });
    };
    for (const llvm::Loop* loop = loops.getLoopFor(begin); loop && !has_all(loop);
         loop = loops.getLoopFor(begin))
      begin = dominators.getNode(loop->getHeader())->getIDom()->getBlock();
    if (begin != head_) forget->moveBefore(*begin, begin->getFirstInsertionPt());
  }
}

// --- the order of blocks ---

/// What stands for `block` at a level: itself, or the header of the loop of that level that it is
/// in.
Vectorizer::Block* Vectorizer::representative(const Block* block, const llvm::Loop* level) const {
  const llvm::Loop* loop = shapes_.loops.getLoopFor(block);
  if (loop == level) return const_cast<Block*>(block);
  while (loop->getParentLoop() != level) loop = loop->getParentLoop();
  return loop->getHeader();
}

void Vectorizer::find_tree(const llvm::Loop* level) {
  const auto add = [&](Block* block) {
    const Block* root = level ? level->getHeader() : &from_.getEntryBlock();
    if (block == root) return;
    Block* above = shapes_.dominators.getNode(block)->getIDom()->getBlock();
    Block* parent = representative(above, level);
    children_[{parent, level}].push_back(block);
    nodes_[block].implied = shapes_.always_leads(parent, block);
  };
  for (Block& block : from_) {
    if (shapes_.loops.getLoopFor(&block) == level && order_.count(&block)) add(&block);
  }
  const auto inner = level ? std::vector<llvm::Loop*>(level->begin(), level->end())
                           : std::vector<llvm::Loop*>(shapes_.loops.begin(), shapes_.loops.end());
  for (llvm::Loop* loop : inner) {
    add(loop->getHeader());
    find_tree(loop);
  }
}

// --- blocks ---

/// The values that `to` finds when lanes come there from `from`.
void Vectorizer::assign(const Block* from, Block* to, const Halves& mask) {
  // Where all come through `from`, those who go another way put their values right later.
  bool keeps = shapes_.may_reconverge(to) && !shapes_.dominators.dominates(from, to);
  for (const llvm::Loop* loop = shapes_.loops.getLoopFor(from); loop && !loop->contains(to);
       loop = loop->getParentLoop())
    keeps |= shapes_.is_divergent(loop);
  std::vector<std::pair<llvm::AllocaInst*, llvm::Value*>> stores;
  for (llvm::PHINode& phi : to->phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(from);
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    Variable& variable = variable_of(phi);
    const Shape shape = shapes_.of(&phi);
    const unsigned shared = halves_ / static_cast<unsigned>(variable.places.size());
    for (unsigned i = 0; i < variable.places.size(); ++i) {
      llvm::AllocaInst* place = variable.places[i];
      llvm::Value* now = shape.is_affine() ? first(value, i * shared) : all(value, i);
      if (!shape.is_affine() && keeps && !is_all(mask)) {
        llvm::Value* before = builder_.CreateLoad(place->getAllocatedType(), place);
        now = builder_.CreateSelect(mask[i], now, before);
      }
      stores.emplace_back(place, now);
    }
  }
  for (const auto& [place, value] : stores) builder_.CreateStore(value, place);
}

void Vectorizer::leave_block(Block* block, const Halves& mask) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (!branch) return;
  for (unsigned s = 0; s < branch->getNumSuccessors(); ++s) {
    Block* to = branch->getSuccessor(s);
    // Lanes that go one way together: where they do not go, others put the values right.
    const Halves going = shapes_.is_divergent(block) ? edge_mask(block, s, mask) : mask;
    assign(block, to, going);
    const llvm::Loop* loop = shapes_.loops.getLoopFor(block);
    if (loop && loop->getHeader() == to) continue;  // emit_loop() looks after it
    if (nodes_[to].collected[0]) collect(to, edge_mask(block, s, mask));
  }
}

/// Where lanes come to a block on several ways: these do, too.
void Vectorizer::collect(const Block* to, const Halves& coming) {
  const Node& node = nodes_[to];
  for (unsigned h = 0; h < halves_ && node.collected[0]; ++h) {
    llvm::Value* before = builder_.CreateLoad(coming[h]->getType(), node.collected[h]);
    builder_.CreateStore(builder_.CreateOr(before, coming[h]), node.collected[h]);
  }
}

void Vectorizer::emit_block(Block* block, const Halves& mask) {
  masks_[block] = mask;
  lanes_here_ = few_lanes(mask);
  if (llvm::Value* lane = nodes_[block].lane) lanes_here_ = {lane};
  find_groups(*block);
  for (llvm::PHINode& phi : block->phis()) {
    Variable& variable = variable_of(phi);
    Lanes& lanes = lanes_[&phi];
    lanes.shape = shapes_.of(&phi);
    const unsigned shared = halves_ / static_cast<unsigned>(variable.places.size());
    for (unsigned i = 0; i < variable.places.size(); ++i) {
      llvm::Value* value =
          builder_.CreateLoad(variable.places[i]->getAllocatedType(), variable.places[i]);
      (lanes.shape.is_affine() ? lanes.first : lanes.all)[i * shared] = value;
    }
  }
  for (llvm::Instruction& inst : *block) {
    if (llvm::isa<llvm::PHINode>(inst)) continue;
    if (inst.isTerminator()) break;
    at_line_of(inst);
    emit(inst, mask);
  }
  leave_block(block, mask);
}

/// What is made from now on comes from the instruction.
void Vectorizer::at_line_of(const llvm::Instruction& inst) {
  const llvm::DebugLoc& from = inst.getDebugLoc();
  builder_.SetCurrentDebugLocation(
      from ? llvm::DebugLoc(
                 llvm::DILocation::get(context_, from.getLine(), 0, function_->getSubprogram()))
           : llvm::DebugLoc());
}

/// To the next round of a loop. Somebody may have told the kernel to stop.
void Vectorizer::go_on_unless_stopped(Block* top) {
  llvm::LoadInst* stop =
      builder_.CreateLoad(builder_.getInt32Ty(), field_address(offsetof(Context, stop)));
  stop->setVolatile(true);
  builder_.CreateCondBr(builder_.CreateICmpEQ(stop, builder_.getInt32(0)), top, stopped_);
}

void Vectorizer::emit_loop(Block* header) {
  llvm::Loop* loop = shapes_.loops.getLoopFor(header);
  if (goes_lane_by_lane(*loop)) return emit_loop_by_lanes(*loop);
  const bool parts = shapes_.is_divergent(loop);
  const Halves entering = nodes_[header].mask;
  Block* latch = loop->getLoopLatch();
  HEDDLE_CHECK(latch);
  std::array<llvm::AllocaInst*, kMostWarps * kHalves> again_mask{};
  llvm::AllocaInst* again = nullptr;
  llvm::Type* mask_type = vector_of(builder_.getInt1Ty());
  if (parts) {
    for (unsigned h = 0; h < halves_; ++h) {
      again_mask[h] = variable(mask_type);
      builder_.CreateStore(entering[h], again_mask[h]);
    }
  } else {
    again = variable(builder_.getInt1Ty());
  }
  Block* top = new_block("loop");
  builder_.CreateBr(top);
  go_to(top);
  Halves mask = entering;
  if (parts) {
    for (unsigned h = 0; h < halves_; ++h) {
      mask[h] = builder_.CreateLoad(mask_type, again_mask[h]);
      builder_.CreateStore(none()[h], again_mask[h]);
    }
  } else {
    builder_.CreateStore(builder_.getFalse(), again);
  }
  nodes_[header].mask = mask;
  // The latch, when it is reached, says who stays.
  const auto at_latch = [&] {
    const Halves& reached = masks_.at(latch);
    unsigned successor = 0;
    while (latch->getTerminator()->getSuccessor(successor) != header) ++successor;
    if (parts) {
      const Halves stay = edge_mask(latch, successor, reached);
      for (unsigned h = 0; h < halves_; ++h) builder_.CreateStore(stay[h], again_mask[h]);
    } else {
      llvm::Value* stays = goes(latch, successor);
      builder_.CreateStore(stays ? stays : builder_.getTrue(), again);
    }
  };
  latches_[latch] = at_latch;
  emit_tree(header, loop);
  Block* behind = new_block("behind");
  llvm::Value* goes_on = nullptr;
  if (parts) {
    Halves stay{};
    for (unsigned h = 0; h < halves_; ++h) stay[h] = builder_.CreateLoad(mask_type, again_mask[h]);
    goes_on = any(stay);
  } else {
    goes_on = builder_.CreateLoad(builder_.getInt1Ty(), again);
  }
  Block* next = new_block("next");
  builder_.CreateCondBr(goes_on, next, behind);
  go_to(next);
  if (const auto waiting = waiting_.find(loop); waiting != waiting_.end()) {
    llvm::Value* site = waiting->second.asks->getArgOperand(0);
    if (machine_op(*waiting->second.asks) == MachineOp::turn) {
      // Where nobody came further the next site says so.
      llvm::Value* moved = builder_.CreateLoad(moved_->getAllocatedType(), moved_);
      site =
          builder_.CreateAdd(site, builder_.CreateZExt(builder_.CreateNot(moved), site->getType()));
    }
    const u32 why = waiting->second.writes ? WarpState::kYields : WarpState::kLooks;
    end_region(site, builder_.getInt32(why));
  }
  go_on_unless_stopped(top);
  go_to(behind);
  nodes_[header].mask = entering;
}

/// Emits what `child` dominates at its level; jumps over it when nobody comes.
void Vectorizer::enter(Block* child, const llvm::Loop* level) {
  Node& node = nodes_[child];
  const Block* above = shapes_.dominators.getNode(child)->getIDom()->getBlock();
  Block* parent = representative(above, level);
  llvm::Value* guard = nullptr;
  node.lane = nodes_[parent].lane;
  if (node.implied) {
    node.mask = nodes_[parent].mask;
  } else if (node.collected[0]) {
    for (unsigned h = 0; h < halves_; ++h)
      node.mask[h] = builder_.CreateLoad(node.collected[h]->getAllocatedType(), node.collected[h]);
    guard = any(node.mask);
  } else {
    unsigned successor = 0;
    while (above->getTerminator()->getSuccessor(successor) != child) ++successor;
    if (shapes_.is_divergent(above)) {
      node.mask = edge_mask(above, successor, nodes_[parent].mask);
      guard = any_goes(above, successor, nodes_[parent].mask, node.mask);
      if (!node.lane) node.lane = only_lane(above, successor);
    } else {
      node.mask = nodes_[parent].mask;
      guard = goes(above, successor);
    }
  }
  Block* behind = nullptr;
  if (guard) {
    Block* inside = new_block(child->getName());
    behind = new_block(child->getName() + ".behind");
    // The same condition for both ways of a branch, so LLVM sees that it is one.
    llvm::Value* other = nullptr;
    const bool negated = llvm::PatternMatch::match(
        guard, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(other)));
    llvm::BranchInst* branch = negated ? builder_.CreateCondBr(other, behind, inside)
                                       : builder_.CreateCondBr(guard, inside, behind);
    if (is_unlikely(above, child)) expect(branch, negated);  // so the semantics say
    go_to(inside);
  }
  emit_tree(child, level);
  if (behind) {
    builder_.CreateBr(behind);
    go_to(behind);
  }
}

void Vectorizer::emit_tree(Block* block, const llvm::Loop* level) {
  std::vector<Block*>& children = children_[{block, level}];
  std::sort(children.begin(), children.end(),
            [&](Block* a, Block* b) { return order_.at(a) < order_.at(b); });
  // Ways that lead to a child from several places: nobody has come yet.
  for (Block* child : children) {
    Node& below = nodes_[child];
    if (below.implied) continue;
    const Block* above = shapes_.dominators.getNode(child)->getIDom()->getBlock();
    const llvm::Loop* own = shapes_.loops.getLoopFor(child);
    unsigned ways = 0;
    for (const Block* way : llvm::predecessors(child)) {
      if (!(own && own->getHeader() == child && own->contains(way))) ++ways;
    }
    if (ways == 1 && above == block && shapes_.loops.getLoopFor(above) == level) continue;
    for (unsigned h = 0; h < halves_; ++h) {
      if (!below.collected[h]) below.collected[h] = variable(vector_of(builder_.getInt1Ty()));
      builder_.CreateStore(none()[h], below.collected[h]);
    }
  }
  if (shapes_.loops.getLoopFor(block) != level)
    emit_loop(block);
  else
    emit_block(block, nodes_[block].mask);
  if (const auto latch = latches_.find(block);
      latch != latches_.end() && shapes_.loops.getLoopFor(block) == level) {
    const auto at_latch = latch->second;
    latches_.erase(latch);
    at_latch();
  }
  for (Block* child : children) enter(child, level);
}

/// Goes on to the next CTA, as Cta::go_on() does for those whose warps come to different ends.
void Vectorizer::go_through_ctas() {
  llvm::Type* word = builder_.getInt32Ty();
  const auto put = [&](llvm::Value* value, std::size_t offset) {
    // As of the warp's number: whoever looks after a fault finds them.
    builder_.CreateStore(value, field_address(offset), /*isVolatile=*/true);
  };
  go_to(made_.finished);
  llvm::Value* left =
      builder_.CreateLoad(builder_.getInt64Ty(), field_address(offsetof(Context, left)), "left");
  Block *last = new_block("last"), *more = new_block("more");
  builder_.CreateCondBr(builder_.CreateICmpEQ(left, builder_.getInt64(0)), last, more);
  go_to(last);
  builder_.CreateRet(builder_.getInt32(static_cast<u32>(Outcome::finished)));
  go_to(more);
  put(builder_.CreateSub(left, builder_.getInt64(1)), offsetof(Context, left));
  llvm::Value* carry = builder_.getInt32(1);
  for (const std::size_t axis : {0, 1, 2}) {
    const std::size_t at = offsetof(Context, ctaid) + 4 * axis;
    llvm::Value* sum =
        builder_.CreateAdd(builder_.CreateLoad(word, field_address(at)), carry, "ctaid");
    llvm::Value* over = builder_.CreateICmpEQ(
        sum, builder_.CreateLoad(word, field_address(offsetof(Context, nctaid) + 4 * axis)));
    put(builder_.CreateSelect(over, builder_.getInt32(0), sum), at);
    carry = builder_.CreateZExt(over, word);
  }
  put(builder_.getInt32(1), offsetof(Context, begins));
  builder_.CreateBr(cta_);
}

Vectorized Vectorizer::run() {
  u32 number = 0;
  for (Block* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&from_))
    order_[block] = number++;

  auto* pointer = llvm::PointerType::get(context_, 0);
  auto* type = llvm::FunctionType::get(builder_.getInt32Ty(), {pointer, pointer}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "cta", module_);
  function_->setDoesNotThrow();
  function_->addFnAttr(llvm::Attribute::NullPointerIsValid);
  function_->setSubprogram(from_.getSubprogram());
  from_.setSubprogram(nullptr);
  state_ = function_->getArg(0);
  state_->addAttr(llvm::Attribute::NoAlias);
  state_->setName("context");
  function_->getArg(1)->setName("frames");
  const u32 team = shapes_.team();
  const u32 teams = static_cast<u32>((block_.volume() + team - 1) / team);
  entry_ = new_block("entry");
  cta_ = new_block("cta");
  head_ = new_block("warp");
  Block* start = new_block("start");
  trapped_ = Block::Create(context_, "trapped", function_);
  llvm::IRBuilder<>(trapped_).CreateRet(builder_.getInt32(static_cast<u32>(Outcome::trapped)));
  stopped_ = Block::Create(context_, "stopped", function_);
  llvm::IRBuilder<>(stopped_).CreateRet(builder_.getInt32(static_cast<u32>(Outcome::stopped)));
  // What is put into these goes before their ends.
  llvm::BranchInst::Create(cta_, entry_);
  llvm::BranchInst::Create(head_, cta_);
  llvm::BranchInst::Create(start, head_);
  builder_.SetInsertPoint(head_->getTerminator());
  made_ = {function_,
           entry_,
           cta_,
           head_,
           teams == 1 ? nullptr : builder_.CreatePHI(builder_.getInt32Ty(), 2, "turn"),
           builder_.getInt32(0),
           new_block("next"),
           new_block("done"),
           new_block("finished")};
  made_.waits = !waiting_.empty();
  if (made_.turn) made_.team = hide(builder_, made_.turn, teams);
  // For whoever asks while the warp runs, after a fault too.
  name_warp(0);
  go_to(made_.next);
  if (made_.turn) {
    llvm::Value* following = builder_.CreateNUWAdd(made_.turn, builder_.getInt32(1));
    builder_.CreateCondBr(builder_.CreateICmpULT(following, builder_.getInt32(teams)), head_,
                          made_.done);
    made_.turn->addIncoming(builder_.getInt32(0), cta_);
    made_.turn->addIncoming(following, made_.next);
  } else {
    builder_.CreateBr(made_.done);
  }
  go_to(made_.done);
  builder_.CreateBr(made_.finished);
  go_through_ctas();
  go_to(start);

  find_tree(nullptr);
  Node& root = nodes_[&from_.getEntryBlock()];
  if (block_.volume() % team == 0) {
    root.mask.fill(llvm::Constant::getAllOnesValue(vector_of(builder_.getInt1Ty())));
  } else {
    const u64 last = (u64{1} << block_.volume() % team) - 1;
    const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(head_->getTerminator());
    llvm::Value* bits =
        builder_.CreateSelect(builder_.CreateICmpEQ(made_.team, builder_.getInt32(teams - 1)),
                              builder_.getInt64(last), builder_.getInt64(~u64{0}), "lanes");
    for (unsigned h = 0; h < halves_; ++h) {
      llvm::Value* half =
          builder_.CreateTrunc(builder_.CreateLShr(bits, h * kHalf), builder_.getIntNTy(kHalf));
      root.mask[h] = builder_.CreateBitCast(half, vector_of(builder_.getInt1Ty()));
    }
  }
  emit_tree(&from_.getEntryBlock(), nullptr);
  builder_.SetCurrentDebugLocation(llvm::DebugLoc());
  builder_.CreateBr(made_.next);
  begin_variables_late();
  return made_;
}

Vectorized vectorize(ScalarKernel& kernel, const Plan& plan, Analyses& analyses,
                     const machine::Dim3& block) {
  return Vectorizer(kernel, plan, analyses, block).run();
}

}  // namespace heddle::jit
