// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/atomics.h"

#include <llvm/IR/Instructions.h>

#include "base/check.h"
#include "isa/groups.h"
#include "isa/sem/float.h"
#include "machine/memory.h"

namespace heddle::jit {

using isa::Atomop;
using isa::Type;

namespace {

bool is_signed(Type type) { return type == Type::s32 || type == Type::s64; }

bool is_integer(Type type) {
  switch (type) {
    case Type::b16:
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::b64:
    case Type::u64:
    case Type::s64:
      return true;
    default:
      return false;
  }
}

bool is_sum_of_numbers(const Site& site) {
  return static_cast<Atomop>(site.op) == Atomop::add &&
         (site.type == Type::f32 || site.type == Type::f64);
}

/// The sum of two numbers, as bits: sem::atom_add(). `flushes`: whether subnormals of f32 count as
/// zero.
llvm::Value* sum_of_numbers(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b,
                            llvm::Value* flushes) {
  llvm::Type* bits = a->getType();
  const bool wide = bits->isIntegerTy(64);
  llvm::Type* number = wide ? builder.getDoubleTy() : builder.getFloatTy();
  const auto flushed = [&](llvm::Value* value) {
    if (wide) return value;
    llvm::Value* exponent = builder.CreateAnd(value, builder.getInt32(0x7f800000));
    llvm::Value* small = builder.CreateICmpEQ(exponent, builder.getInt32(0));
    return builder.CreateSelect(builder.CreateAnd(small, flushes),
                                builder.CreateAnd(value, builder.getInt32(0x80000000)), value);
  };
  const auto is_nan = [&](llvm::Value* value) {
    llvm::Value* real = builder.CreateBitCast(value, number);
    return builder.CreateFCmpUNO(real, real);
  };
  llvm::Value* sum =
      builder.CreateBitCast(builder.CreateFAdd(builder.CreateBitCast(flushed(a), number),
                                               builder.CreateBitCast(flushed(b), number)),
                            bits);
  if (!wide) return builder.CreateSelect(is_nan(sum), builder.getInt32(sem::kNanF32), flushed(sum));
  llvm::Value* quiet = builder.getInt64(0x0008000000000000);
  llvm::Value* nan =
      builder.CreateSelect(is_nan(b), builder.CreateOr(b, quiet), builder.getInt64(sem::kNanF64));
  nan = builder.CreateSelect(is_nan(a), builder.CreateOr(a, quiet), nan);
  return builder.CreateSelect(is_nan(sum), nan, sum);
}

/// The value in memory afterwards: sem::atom_apply().
llvm::Value* applied(llvm::IRBuilder<>& builder, const Site& site, llvm::Value* old, llvm::Value* b,
                     llvm::Value* c) {
  const auto extreme = [&](bool most) {
    using llvm::Intrinsic::ID;
    const ID id = is_signed(site.type) ? (most ? llvm::Intrinsic::smax : llvm::Intrinsic::smin)
                                       : (most ? llvm::Intrinsic::umax : llvm::Intrinsic::umin);
    return builder.CreateBinaryIntrinsic(id, old, b);
  };
  llvm::Value* zero = llvm::Constant::getNullValue(old->getType());
  llvm::Value* one = llvm::ConstantInt::get(old->getType(), 1);
  switch (static_cast<Atomop>(site.op)) {
    case Atomop::add:
      return builder.CreateAdd(old, b);
    case Atomop::and_:
      return builder.CreateAnd(old, b);
    case Atomop::or_:
      return builder.CreateOr(old, b);
    case Atomop::xor_:
      return builder.CreateXor(old, b);
    case Atomop::exch:
      return b;
    case Atomop::cas:
      return builder.CreateSelect(builder.CreateICmpEQ(old, b), c, old);
    case Atomop::min:
      return extreme(false);
    case Atomop::max:
      return extreme(true);
    case Atomop::inc:
      return builder.CreateSelect(builder.CreateICmpUGE(old, b), zero, builder.CreateAdd(old, one));
    case Atomop::dec: {
      llvm::Value* wraps =
          builder.CreateOr(builder.CreateICmpEQ(old, zero), builder.CreateICmpUGT(old, b));
      return builder.CreateSelect(wraps, b, builder.CreateSub(old, one));
    }
    default:
      HEDDLE_UNREACHABLE();
  }
}

llvm::AtomicRMWInst::BinOp operation(const Site& site) {
  using llvm::AtomicRMWInst;
  switch (static_cast<Atomop>(site.op)) {
    case Atomop::add:
      return AtomicRMWInst::Add;
    case Atomop::and_:
      return AtomicRMWInst::And;
    case Atomop::or_:
      return AtomicRMWInst::Or;
    case Atomop::xor_:
      return AtomicRMWInst::Xor;
    case Atomop::exch:
      return AtomicRMWInst::Xchg;
    case Atomop::min:
      return is_signed(site.type) ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
    case Atomop::max:
      return is_signed(site.type) ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
    case Atomop::inc:
      return AtomicRMWInst::UIncWrap;
    case Atomop::dec:
      return AtomicRMWInst::UDecWrap;
    default:
      HEDDLE_UNREACHABLE();
  }
}

/// The reduction of all lanes' operands, for an operation whose old value has no uses.
llvm::Intrinsic::ID reduction(const Site& site) {
  switch (static_cast<Atomop>(site.op)) {
    case Atomop::add:
      return llvm::Intrinsic::vector_reduce_add;
    case Atomop::and_:
      return llvm::Intrinsic::vector_reduce_and;
    case Atomop::or_:
      return llvm::Intrinsic::vector_reduce_or;
    case Atomop::xor_:
      return llvm::Intrinsic::vector_reduce_xor;
    case Atomop::min:
      return is_signed(site.type) ? llvm::Intrinsic::vector_reduce_smin
                                  : llvm::Intrinsic::vector_reduce_umin;
    case Atomop::max:
      return is_signed(site.type) ? llvm::Intrinsic::vector_reduce_smax
                                  : llvm::Intrinsic::vector_reduce_umax;
    default:
      return llvm::Intrinsic::not_intrinsic;
  }
}

llvm::Constant* neutral(const Site& site, llvm::Type* type) {
  const unsigned bits = type->getIntegerBitWidth();
  const auto number = [&](const llvm::APInt& value) { return llvm::ConstantInt::get(type, value); };
  switch (static_cast<Atomop>(site.op)) {
    case Atomop::and_:
      return number(llvm::APInt::getAllOnes(bits));
    case Atomop::min:
      return number(is_signed(site.type) ? llvm::APInt::getSignedMaxValue(bits)
                                         : llvm::APInt::getMaxValue(bits));
    case Atomop::max:
      return number(is_signed(site.type) ? llvm::APInt::getSignedMinValue(bits)
                                         : llvm::APInt::getZero(bits));
    default:
      return number(llvm::APInt::getZero(bits));
  }
}

}  // namespace

/// A floating-point sum at an address that other threads access: a compare-and-swap, repeated until
/// no other thread has written in between.
llvm::Value* Atomics::add_number(llvm::Value* at, llvm::Value* b, llvm::Value* flushes) {
  const llvm::Align align(b->getType()->getIntegerBitWidth() / 8);
  llvm::LoadInst* first = builder_.CreateAlignedLoad(b->getType(), at, align);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  Block* before = builder_.GetInsertBlock();
  Block *again = new_block("again"), *added = new_block("added");
  builder_.CreateBr(again);
  go_to(again);
  llvm::PHINode* old = builder_.CreatePHI(b->getType(), 2);
  constexpr auto kOrder = llvm::AtomicOrdering::SequentiallyConsistent;
  llvm::Value* found = builder_.CreateAtomicCmpXchg(
      at, old, sum_of_numbers(builder_, old, b, flushes), align, kOrder, kOrder);
  old->addIncoming(first, before);
  old->addIncoming(builder_.CreateExtractValue(found, 0), again);
  builder_.CreateCondBr(builder_.CreateExtractValue(found, 1), added, again);
  go_to(added);
  return old;
}

/// One read-modify-write at an address of the host; returns the old value.
llvm::Value* Atomics::atomic_at(const Site& site, llvm::Value* address, llvm::Value* b,
                                llvm::Value* c) {
  llvm::Value* at = windows_.pointer(address, 0);
  const llvm::Align align(site.bytes);
  constexpr auto kOrder = llvm::AtomicOrdering::SequentiallyConsistent;
  const bool sums = is_sum_of_numbers(site);
  if (site.space == ir::Space::shared) {
    llvm::Value* old = builder_.CreateAlignedLoad(b->getType(), at, align);
    llvm::Value* now = sums ? sum_of_numbers(builder_, old, b, builder_.getFalse())
                            : applied(builder_, site, old, b, c);
    builder_.CreateAlignedStore(now, at, align);
    return old;
  }
  if (sums) {
    llvm::Value* flushes = builder_.getTrue();
    if (site.space == ir::Space::generic) {
      llvm::Value* base =
          function_.field(offsetof(Context, shared_base), builder_.getInt64Ty(), "shared");
      flushes = builder_.CreateICmpUGE(builder_.CreateSub(address, base),
                                       builder_.getInt64(machine::kSharedSlot));
    }
    return add_number(at, b, flushes);
  }
  if (static_cast<Atomop>(site.op) == Atomop::cas)
    return builder_.CreateExtractValue(
        builder_.CreateAtomicCmpXchg(at, b, c, align, kOrder, kOrder), 0);
  return builder_.CreateAtomicRMW(operation(site), at, b, align, kOrder);
}

/// Reduces the operands of the active lanes.
llvm::Value* Atomics::reduced(const Site& site, llvm::Value* operand, const Halves& mask) {
  llvm::Value* others = splat(neutral(site, operand->getType()));
  llvm::Value* whole = nullptr;
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* lanes = builder_.CreateSelect(mask[h], values_.vector(operand, h), others);
    llvm::Value* half = builder_.CreateUnaryIntrinsic(reduction(site), lanes);
    whole = whole ? applied(builder_, site, whole, half, nullptr) : half;
  }
  return whole;
}

/// A lane's address, of those in Context.
llvm::Value* Atomics::address_in_context(const Halves& at, llvm::Value* lane) {
  llvm::Type* type = at[0]->getType()->getScalarType();
  llvm::Value* addresses = function_.field_address(offsetof(Context, addresses));
  return builder_.CreateLoad(type, builder_.CreateInBoundsGEP(type, addresses, lane));
}

/// If at least eight lanes have the first active lane's address, as with equal values in a
/// histogram or a counter of all threads, one operation serves them. Returns the lanes that are
/// left.
llvm::Value* Atomics::combine_equal(const Site& site, const Halves& at, llvm::Value* operand,
                                    const Halves& mask, llvm::Value* bits) {
  constexpr u32 kMany = 8;
  llvm::Value* lane = builder_.CreateAnd(
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getFalse()), kLanes - 1);
  llvm::Value* there = address_in_context(at, builder_.CreateZExt(lane, builder_.getInt64Ty()));
  Halves same{};
  // Not an `and`: addresses of inactive lanes may be poison.
  for (unsigned h = 0; h < halves_; ++h)
    same[h] = builder_.CreateSelect(mask[h], builder_.CreateICmpEQ(at[h], splat(there)),
                                    masks_.none()[h]);
  llvm::Value* equals = masks_.warp_bits(same);
  llvm::Value* count = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, equals);
  Block *before = builder_.GetInsertBlock(), *joined = new_block("joined");
  Block* others = new_block("others");
  builder_.CreateCondBr(builder_.CreateICmpUGE(count, builder_.getInt32(kMany)), joined, others);
  go_to(joined);
  atomic_at(site, there, reduced(site, operand, same), nullptr);
  llvm::Value* rest = builder_.CreateXor(bits, equals);
  builder_.CreateBr(others);
  go_to(others);
  llvm::PHINode* left = builder_.CreatePHI(bits->getType(), 2);
  left->addIncoming(bits, before);
  left->addIncoming(rest, joined);
  return left;
}

void Atomics::emit(llvm::CallInst& call, const Site& site, const ActiveLanes& active) {
  const Halves& mask = active.mask;
  // The processor's mode for subnormal operands would also flush in sums that must not.
  const bool flushes = site.type == isa::Type::f32 && site.space == ir::Space::global;
  const bool sums = is_sum_of_numbers(site) && (flushes || !function_.kernel.zeroes_subnormals);
  const bool is_known = site.op != 0 && (is_integer(site.type) || sums);
  if (!is_known || site.count != 1 || site.space == ir::Space::local) {
    runtime_.pass_addresses(call);
    for (u32 i = 2; i < call.arg_size(); ++i) runtime_.pass_operand(call.getArgOperand(i), i - 2);
    runtime_.call(HelperId::atomic, call.getArgOperand(0), mask);
    if (!call.use_empty()) runtime_.take_results(call);
    return;
  }
  const unsigned operands = call.arg_size() - 2;
  const auto value = [&](unsigned i) { return call.getArgOperand(2 + i); };
  llvm::Type* type = value(0)->getType();

  llvm::Value* address = call.getArgOperand(1);
  const bool joins = call.use_empty() && !sums && reduction(site) != llvm::Intrinsic::not_intrinsic;
  const bool reduces = joins && shapes_.of(address).is_uniform();
  const bool few = !active.known.empty();
  AccessGroup& group = groups_.open(call, few       ? Layout::known_lanes
                                          : reduces ? Layout::uniform
                                                    : Layout::scattered);
  group.layout == Layout::scattered ? checks_.check_scattered(group, mask)
                                    : checks_.check(group, active);
  const Halves at = group.host;
  if (few) {
    return values_.define(call, masks_.from_known_lanes(active, [&](unsigned i) {
      llvm::Value* lane = active.known[i];
      llvm::Value* c = operands > 1 ? values_.lane(value(1), lane) : nullptr;
      return atomic_at(site, at[i], values_.lane(value(0), lane), c);
    }));
  }
  if (reduces) {
    atomic_at(site, at[0], reduced(site, value(0), mask), nullptr);
    return;
  }

  // The lanes' addresses and operands lie in Context, as for the run-time; results go there.
  for (unsigned h = 0; h < halves_; ++h) runtime_.hand_over(at[h], offsetof(Context, addresses), h);
  const auto is_shared = [&](unsigned i) { return shapes_.of(value(i)).is_uniform(); };
  for (unsigned i = 0; i < operands; ++i) {
    if (!is_shared(i)) runtime_.pass_operand(value(i), i);
  }
  const auto one = [&](llvm::Value* lane) {
    const auto of_lane = [&](llvm::Value* array) {
      return builder_.CreateInBoundsGEP(type, array, lane);
    };
    const auto operand = [&](unsigned i) -> llvm::Value* {
      return is_shared(i) ? values_.scalar(value(i))
                          : builder_.CreateLoad(type, of_lane(runtime_.operand_address(i)));
    };
    llvm::Value* old = atomic_at(site, address_in_context(at, lane), operand(0),
                                 operands > 1 ? operand(1) : nullptr);
    if (!call.use_empty()) builder_.CreateStore(old, of_lane(runtime_.operand_address(0)));
  };
  llvm::Value* bits = masks_.warp_bits(mask);
  // For reports of faults, which search these lanes.
  builder_.CreateStore(bits, function_.field_address(offsetof(Context, lanes)),
                       /*isVolatile=*/true);
  if (joins) bits = combine_equal(site, at, value(0), mask, bits);
  Block* done = new_block("done");
  if (!sums) {
    Block *before = builder_.GetInsertBlock(), *every = new_block("every");
    Block* some = new_block("some");
    builder_.CreateCondBr(builder_.CreateICmpEQ(bits, builder_.getInt32(~0u)), every, some);
    go_to(every);
    constexpr u32 kAtATime = 8;  // unrolling for all lanes is no faster, and a lot of code
    llvm::PHINode* begin = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    for (u32 i = 0; i < kAtATime; ++i) one(builder_.CreateNUWAdd(begin, builder_.getInt64(i)));
    llvm::Value* next = builder_.CreateNUWAdd(begin, builder_.getInt64(kAtATime));
    begin->addIncoming(builder_.getInt64(0), before);
    begin->addIncoming(next, builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpULT(next, builder_.getInt64(kLanes)), every, done);
    go_to(some);
  }
  function_.for_each_lane(bits, one);
  builder_.CreateBr(done);
  go_to(done);
  if (!call.use_empty()) runtime_.take_results(call);
}

}  // namespace heddle::jit
