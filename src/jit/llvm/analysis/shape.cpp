// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/analysis/shape.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "jit/extent.h"
#include "jit/llvm/analysis/fixed_point.h"
#include "jit/llvm/vector/shuffles.h"

namespace heddle::jit {
namespace {

using Kind = Shape::Kind;

constexpr u64 kMostAlign = u64{1} << 32;

/// How often a shape can change: meet() takes it from one kind to a wider one, to a smaller divisor
/// of the first value, and, where strides or widenings differ, to any.
constexpr std::size_t kShapeSteps =
    static_cast<std::size_t>(Kind::any) + std::countr_zero(kMostAlign);

u64 low_bit(u64 value) { return value ? std::min(value & (~value + 1), kMostAlign) : kMostAlign; }

using Widened = std::vector<std::pair<const llvm::Instruction*, s64>>;

Widened scaled(Widened terms, s64 factor) {
  for (auto& [inst, by] : terms) by *= factor;
  std::erase_if(terms, [](const auto& term) { return term.second == 0; });
  return terms;
}
Widened sum(const Widened& a, const Widened& b) {
  std::map<const llvm::Instruction*, s64> all;
  for (const auto& [inst, by] : a) all[inst] += by;
  for (const auto& [inst, by] : b) all[inst] += by;
  return scaled({all.begin(), all.end()}, 1);
}

/// The shape, if the distances of its lanes are small enough that extents do not wrap around.
Shape near(Shape shape) {
  const auto is_near_too = [](const auto& term) { return is_near(term.second); };
  return is_near(shape.stride) && std::ranges::all_of(shape.widened, is_near_too) ? shape
                                                                                  : Shape::any();
}

/// The shape that holds for both.
Shape meet(const Shape& a, const Shape& b) {
  if (a.kind == Kind::unset) return b;
  if (b.kind == Kind::unset) return a;
  if (!a.is_affine() || !b.is_affine() || a.stride != b.stride || a.widened != b.widened)
    return Shape::any();
  return {std::max(a.kind, b.kind), a.stride, std::min(a.align, b.align), a.widened};
}

Shape plus(const Shape& a, const Shape& b, s64 sign) {
  if (!a.is_affine() || !b.is_affine()) return Shape::any();
  return near({std::max(a.kind, b.kind), a.stride + sign * b.stride, std::min(a.align, b.align),
               sum(a.widened, scaled(b.widened, sign))});
}

Shape times(const Shape& a, s64 factor) {
  if (!a.is_affine()) return a;
  if (factor > (s64{1} << 20) || factor < -(s64{1} << 20))
    return a.is_uniform() ? Shape::uniform() : Shape::any();
  return near({a.kind, a.stride * factor,
               static_cast<u64>(std::min<unsigned __int128>(
                   static_cast<unsigned __int128>(a.align) * low_bit(static_cast<u64>(factor)),
                   kMostAlign)),
               scaled(a.widened, factor)});
}

/// Null when the value is no constant, or has 128 bits, which occur in products only.
const llvm::ConstantInt* constant(const llvm::Value* value) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
  return number && number->getBitWidth() <= 64 ? number : nullptr;
}

/// Whether the call reads that field of Context.
bool is_field(const llvm::CallInst& call, std::size_t offset) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue() == offset;
}

}  // namespace

Shape Shape::by(Kind part) const {
  if (!is_affine() || kind >= part || stride == 0) return *this;
  Shape one = *this;
  one.kind = part;
  const u64 lanes = part == Kind::half ? kHalf : kLanes;
  one.align = std::min(align, low_bit(static_cast<u64>(stride) * lanes));
  return one;
}

Shape Shapes::of(const llvm::Value* value) const {
  if (const auto* number = constant(value)) return Shape::uniform(low_bit(number->getZExtValue()));
  const auto found = shapes_.find(value);
  if (found != shapes_.end()) return found->second;
  return llvm::isa<llvm::Instruction>(value) ? Shape{} : Shape::uniform();
}

Shape Shapes::of_others(const llvm::Instruction& inst) const {
  Shape all = Shape::uniform();
  for (const llvm::Value* operand : inst.operand_values()) {
    if (llvm::isa<llvm::BasicBlock>(operand) || llvm::isa<llvm::Function>(operand)) continue;
    const Shape shape = of(operand);
    if (shape.kind == Kind::unset) return {};
    if (shape.is_uniform()) continue;
    // A value that is uniform over each warp or half stays so.
    all = meet(all, shape.is_affine() && shape.stride == 0 && shape.widened.empty()
                        ? Shape{shape.kind, 0, 1, {}}
                        : Shape::any());
  }
  return all;
}

Shape Shapes::of_binary(const llvm::BinaryOperator& inst) const {
  const Shape a = of(inst.getOperand(0)), b = of(inst.getOperand(1));
  if (a.kind == Kind::unset || b.kind == Kind::unset) return {};
  const auto* right = constant(inst.getOperand(1));
  switch (inst.getOpcode()) {
    case llvm::Instruction::Add:
      return plus(a, b, 1);
    case llvm::Instruction::Sub:
      return plus(a, b, -1);
    case llvm::Instruction::Or:
      if (llvm::cast<llvm::PossiblyDisjointInst>(inst).isDisjoint()) return plus(a, b, 1);
      break;
    case llvm::Instruction::Mul:
      if (right) return times(a, right->getSExtValue());
      if (a.is_uniform() && b.is_uniform())
        return Shape::uniform(std::min(a.align * b.align, kMostAlign));
      break;
    case llvm::Instruction::Shl:
      if (right && right->getZExtValue() < 20) return times(a, s64{1} << right->getZExtValue());
      break;
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      for (const Shape& from : {a, a.by(Kind::warp), a.by(Kind::half)}) {
        if (right && right->getZExtValue() < 32 &&
            stays_within(from, u64{1} << right->getZExtValue()))
          return {from.kind, 0, std::max<u64>(from.align >> right->getZExtValue(), 1), {}};
      }
      break;
    case llvm::Instruction::And:
      for (const Shape& from : {a, a.by(Kind::warp), a.by(Kind::half)}) {
        if (!right) break;
        const u64 mask = right->getZExtValue();
        if (std::has_single_bit(mask + 1) && from.align > mask && stays_within(from, mask + 1))
          return {from.kind, from.stride, kMostAlign, {}};
        // The lanes differ in bits of the mask, below those of their first value.
        if (std::has_single_bit(mask + 1) && from.align <= mask && stays_within(from, from.align))
          return {from.kind, from.stride, from.align, {}};
        // The bits that the mask clears are the same in all lanes.
        if (stays_within(from, low_bit(mask))) return {from.kind, 0, low_bit(mask), {}};
      }
      break;
    default:
      break;
  }
  return of_others(inst);
}

Shape Shapes::of_compare(const llvm::ICmpInst& inst) const {
  const Shape a = of(inst.getOperand(0)), b = of(inst.getOperand(1));
  if (a.kind == Kind::unset || b.kind == Kind::unset) return {};
  if (a.is_affine() && !a.is_uniform() && b.is_affine() && b.stride == 0 && a.widened.empty()) {
    // All lanes are on one side of a multiple of the alignment of their first value.
    u64 bound = b.align;
    const auto predicate = inst.getPredicate();
    const bool behind = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isLE(predicate);
    if (const auto* number = constant(inst.getOperand(1))) {
      if (behind) bound = low_bit(number->getZExtValue() + 1);
      if (number->getValue().isMaxValue() || number->getValue().isMaxSignedValue()) bound = 1;
    } else if (behind) {
      bound = 1;
    }
    for (const Shape& from : {a, a.by(Kind::warp), a.by(Kind::half)}) {
      if (inst.isRelational() && from.stride > 0 &&
          std::min(from.align, bound) > static_cast<u64>(reach(from)))
        return {std::max(from.kind, b.kind), 0, 1, {}};
    }
  }
  return of_others(inst);
}

namespace {

/// Whether the sum of a constant and a value that is negative in no lane does not wrap around:
/// `thread - 4`.
bool is_near_zero(const llvm::Value& sum) {
  const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(&sum);
  const auto* constant = add && add->getOpcode() == llvm::Instruction::Add
                             ? llvm::dyn_cast<llvm::ConstantInt>(add->getOperand(1))
                             : nullptr;
  if (!constant) return false;
  const auto number = llvm::computeKnownBits(add->getOperand(0), add->getDataLayout());
  return number.isNonNegative() &&
         static_cast<s64>(number.getMaxValue().getZExtValue()) + constant->getSExtValue() <
             s64{1} << 31;
}

}  // namespace

Shape Shapes::of_cast(const llvm::CastInst& inst) const {
  Shape a = of(inst.getOperand(0));
  if (a.kind == Kind::unset) return {};
  if (!a.is_affine() || inst.getOperand(0)->getType()->isIntegerTy(1)) return of_others(inst);
  switch (inst.getOpcode()) {
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt: {
      // An index that was widened before has its correction there.
      if (a.widened.empty() && (a.stride == 0 || stays_within(a, a.align))) return a;
      // The sign bit of each lane is known to be 0, and the lanes are nearer than that to each
      // other.
      if (a.widened.empty() && inst.getOperand(0)->getType()->isIntegerTy(32) &&
          reach(a) > -(s64{1} << 31) && reach(a) < s64{1} << 31 &&
          (llvm::computeKnownBits(inst.getOperand(0), inst.getDataLayout()).isNonNegative() ||
           (llvm::isa<llvm::SExtInst>(inst) && is_near_zero(*inst.getOperand(0)))))
        return a;
      Shape wider = a;
      wider.widened.clear();
      wider.widened.emplace_back(&inst, 1);
      return wider;
    }
    case llvm::Instruction::Trunc:
      if (!a.widened.empty() || inst.getType()->isIntegerTy(1))
        return a.stride == 0 && a.widened.empty() ? of_others(inst) : Shape::any();
      return a;
    default:
      return a.stride == 0 ? Shape{a.kind, 0, 1, {}} : Shape::any();
  }
}

Shape Shapes::of_phi(const llvm::PHINode& phi) const {
  const llvm::BasicBlock* block = phi.getParent();
  Shape all;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const llvm::Value* value = phi.getIncomingValue(i);
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    // Lanes left the loop in different iterations.
    if (const auto* inst = llvm::dyn_cast<llvm::Instruction>(value)) {
      for (const llvm::Loop* loop = loops.getLoopFor(inst->getParent());
           loop && !loop->contains(block); loop = loop->getParentLoop()) {
        if (is_divergent(loop)) return Shape::any();
      }
    }
    all = meet(all, of(value));
  }
  if (may_reconverge(block) && !phi.hasConstantOrUndefValue()) return Shape::any();
  return all;
}

/// Of a component of %tid.
Shape Shapes::of_thread_number(u64 component) const {
  if (component == 0) {
    if (block_.x % team_ == 0 || block_.volume() == block_.x) return {Kind::team, 1, team_, {}};
    if (block_.x % kLanes == 0) return {Kind::warp, 1, kLanes, {}};
    if (block_.x % kHalf == 0) return {Kind::half, 1, kHalf, {}};
    return Shape::any();
  }
  const u64 threads = component == 1 ? block_.x : u64{block_.x} * block_.y;  // with the same number
  if (threads % team_ == 0) return Shape::uniform();
  if (threads % kLanes == 0) return {Kind::warp, 0, 1, {}};
  if (threads % kHalf == 0) return {Kind::half, 0, 1, {}};
  return Shape::any();
}

Shape Shapes::of_load(const llvm::CallInst& call) const {
  const Shape address = of(call.getArgOperand(1));
  const Site& site = site_of(call, sites_);
  // Local memory is each thread's own. An ordered access is one for each thread, unless one access
  // may be for all.
  if (site.space == ir::Space::local) return Shape::any();
  if (address.kind == Kind::unset) return {};
  if (site.ordered && !(address.is_uniform() && site.count == 1)) return Shape::any();
  if (address.is_affine() && address.stride == 0 && address.widened.empty())
    return {address.kind, 0, 1, {}};
  return Shape::any();
}

/// Of a wait for one barrier object. Lanes arrive there together, so what they know of its phases
/// is the same.
Shape Shapes::of_wait(const llvm::CallInst& call) const {
  const Site& site = site_of(call, sites_);
  Shape all = Shape::uniform();
  for (unsigned i = 1; i <= site.count && i < call.arg_size(); ++i) {
    const Shape shape = of(call.getArgOperand(i));
    if (shape.kind == Kind::unset) return {};
    if (!shape.is_uniform()) all = Shape::any();
  }
  return all;
}

Shape Shapes::of_warp_operation(const llvm::CallInst& call) const {
  const Site& site = site_of(call, sites_);
  if (broadcast_lane(call, site)) return {team_ == kLanes ? Kind::team : Kind::warp, 0, 1, {}};
  if (!isa::effects_of(site.sem).uniform) return Shape::any();
  if (!site.has_members) return Shape::uniform();
  const Shape members = of(call.getArgOperand(call.arg_size() - 1));
  if (members.kind == Kind::unset) return {};
  return members.is_uniform() ? Shape::uniform() : Shape::any();
}

Shape Shapes::of_call(const llvm::CallInst& call) const {
  const MachineOp op = machine_op(call);
  if (op == MachineOp::none) return of_others(call);
  switch (info_of(op).result) {
    case MachineOpInfo::Result::none:
    case MachineOpInfo::Result::lanes:
      return Shape::any();
    case MachineOpInfo::Result::uniform:
      return Shape::uniform(op == MachineOp::context_i64 ? 256 : op == MachineOp::symbol ? 16 : 1);
    case MachineOpInfo::Result::depends:
      break;
  }
  const Kind warp = team_ == kLanes ? Kind::team : Kind::warp;
  switch (op) {
    case MachineOp::tid:
      return of_thread_number(llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue());
    case MachineOp::lane:
      return {warp, 1, kMostAlign, {}};
    case MachineOp::context_i32:
      if (is_field(call, offsetof(Context, warp))) return {warp, 0, 1, {}};
      return Shape::uniform();
    case MachineOp::load:
      return of_load(call);
    case MachineOp::wait:
      return of_wait(call);
    case MachineOp::warp_op:
      return of_warp_operation(call);
    default:
      HEDDLE_UNREACHABLE();  // no other operation has Result::depends
  }
}

Shape Shapes::compute(const llvm::Instruction& inst) const {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&inst)) return of_phi(*phi);
  if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&inst)) return of_binary(*binary);
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&inst)) return of_compare(*compare);
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&inst)) return of_cast(*cast);
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst)) return of_call(*call);
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst)) {
    const Shape condition = of(select->getCondition());
    if (condition.kind == Kind::unset) return {};
    if (condition.is_uniform())
      return meet(of(select->getTrueValue()), of(select->getFalseValue()));
  }
  return of_others(inst);
}

bool Shapes::always_leads(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
  if (!post_dominators_.dominates(to, from)) return false;
  const llvm::Loop* loop = loops.getLoopFor(from);
  while (loop && !loop->contains(to)) loop = loop->getParentLoop();
  if (!loop) return true;
  std::vector<const llvm::BasicBlock*> work(llvm::succ_begin(from), llvm::succ_end(from));
  std::set<const llvm::BasicBlock*> seen;
  while (!work.empty()) {
    const llvm::BasicBlock* one = work.back();
    work.pop_back();
    if (one == to) continue;
    if (one == loop->getHeader() || !loop->contains(one)) return false;
    if (seen.insert(one).second)
      work.insert(work.end(), llvm::succ_begin(one), llvm::succ_end(one));
  }
  return true;
}

const llvm::BasicBlock* Shapes::reconvergence_of(const llvm::BasicBlock* block) const {
  for (const auto* node = post_dominators_.getNode(block); node; node = node->getIDom()) {
    const llvm::BasicBlock* next = node->getBlock();
    if (next && next != block && always_leads(block, next)) return next;
  }
  return nullptr;
}

const llvm::ICmpInst* Shapes::lane_test(const llvm::BasicBlock* from, unsigned successor) const {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
  if (!branch || !branch->isConditional()) return nullptr;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!compare || !compare->isEquality() || compare->getOperand(0)->getType()->isPointerTy())
    return nullptr;
  const bool equal = compare->getPredicate() == llvm::CmpInst::ICMP_EQ;
  const Shape shape = of(compare->getOperand(0));
  const bool one_each = shape.kind == Kind::team && shape.stride == 1 && shape.widened.empty();
  if (equal != (successor == 0) || !one_each || !of(compare->getOperand(1)).is_uniform())
    return nullptr;
  return compare;
}

/// The branch of `block` is divergent: notes where its lanes may reconverge, and which loops they
/// may leave in different iterations. False: that was known.
bool Shapes::diverge(llvm::BasicBlock* block) {
  if (!divergent_.insert(block).second) return false;
  const llvm::BasicBlock* end = reconvergence_of(block);
  std::map<const llvm::BasicBlock*, unsigned> reached;
  for (llvm::BasicBlock* successor : llvm::successors(block)) {
    std::vector<llvm::BasicBlock*> work = {successor};
    std::set<const llvm::BasicBlock*> seen = {successor};
    while (!work.empty()) {
      llvm::BasicBlock* one = work.back();
      work.pop_back();
      ++reached[one];
      if (one == end || one == block) continue;
      for (llvm::BasicBlock* next : llvm::successors(one)) {
        if (seen.insert(next).second) work.push_back(next);
      }
    }
  }
  for (const auto& [one, times] : reached) {
    if (times > 1 && one != block) reconverging_.insert(one);
  }
  // Within one iteration of its loops: a lane that leaves a loop from there may leave alone.
  std::vector<llvm::BasicBlock*> work(llvm::succ_begin(block), llvm::succ_end(block));
  std::set<const llvm::BasicBlock*> seen;
  const auto leaves = [&](const llvm::BasicBlock* from, const llvm::BasicBlock* to) {
    for (const llvm::Loop* loop = loops.getLoopFor(block); loop; loop = loop->getParentLoop()) {
      if (loop->contains(from) && !loop->contains(to)) divergent_loops_.insert(loop);
    }
  };
  for (llvm::BasicBlock* next : llvm::successors(block)) leaves(block, next);
  while (!work.empty()) {
    llvm::BasicBlock* one = work.back();
    work.pop_back();
    const llvm::Loop* loop = loops.getLoopFor(one);
    const bool again = loop && loop->getHeader() == one && loop->contains(block);
    if (one == end || again || !seen.insert(one).second) continue;
    for (llvm::BasicBlock* next : llvm::successors(one)) {
      leaves(one, next);
      work.push_back(next);
    }
  }
  return true;
}

Shapes::Shapes(const ScalarKernel& kernel, const machine::Dim3& block, u32 warps)
    : dominators(*kernel.function),
      loops(dominators),
      post_dominators_(*kernel.function),
      sites_(kernel.sites),
      block_(block),
      team_(warps * kLanes) {
  llvm::Function& function = *kernel.function;
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  until_stable(function.getInstructionCount() * kShapeSteps + function.size(), [&] {
    bool changed = false;
    for (llvm::BasicBlock* one : order) {
      for (llvm::Instruction& inst : *one) {
        if (inst.getType()->isVoidTy()) continue;
        Shape now = compute(inst);
        Shape& before = shapes_[&inst];
        // Shapes only descend in the lattice, so the analysis ends.
        if (before.kind != Kind::unset) now = now.kind == Kind::unset ? before : meet(before, now);
        if (now == before) continue;
        before = std::move(now);
        changed = true;
      }
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(one->getTerminator());
      if (branch && branch->isConditional()) {
        const Shape condition = of(branch->getCondition());
        if (condition.kind != Kind::unset && !condition.is_uniform() && diverge(one))
          changed = true;
      }
    }
    return changed;
  });
}

}  // namespace heddle::jit
