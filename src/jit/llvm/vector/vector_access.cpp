// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to memory. What the lanes access side by side is one vector, what they share one scalar;
// anything else goes lane by lane. vector_check.cpp sees to it that it is legal.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "jit/llvm/analysis/branches.h"
#include "jit/llvm/analysis/pattern.h"
#include "jit/llvm/vector/vectorizer.h"

namespace heddle::jit {
namespace {

/// Whether each lane accesses two or four elements, which are no larger than a vector of 128 bits.
bool are_pieces(const Site& site) {
  return (site.count == 2 || site.count == 4) && site.bytes >= 4 && site.bytes * site.count <= 16;
}

}  // namespace

/// A field of Context that does not change while the CTA runs; read once.
llvm::Value* Vectorizer::field(std::size_t offset, llvm::Type* type, const char* name) {
  llvm::Value*& known = fields_[{offset, type}];
  if (known) return known;
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  const bool of_cta = offset >= offsetof(Context, ctaid) && offset < offsetof(Context, nctaid);
  builder_.SetInsertPoint((of_cta ? cta_ : entry_)->getTerminator());
  builder_.SetCurrentDebugLocation(llvm::DebugLoc());
  return known = builder_.CreateLoad(type, field_address(offset), name);
}

llvm::Value* Vectorizer::field_address(std::size_t offset) {
  return builder_.CreateConstInBoundsGEP1_32(builder_.getInt8Ty(), state_,
                                             static_cast<unsigned>(offset));
}

/// Bit i: lane i of the team.
llvm::Value* Vectorizer::team_mask(const Halves& mask) {
  llvm::Type* word = builder_.getIntNTy(halves_ * kHalf);
  if (is_all(mask)) return llvm::Constant::getAllOnesValue(word);
  llvm::Value* bits = nullptr;
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* half =
        builder_.CreateZExt(builder_.CreateBitCast(mask[h], builder_.getIntNTy(kHalf)), word);
    half = builder_.CreateShl(half, h * kHalf);
    bits = bits ? builder_.CreateOr(bits, half) : half;
  }
  return bits;
}

/// Bit i: lane i of one of its warps.
llvm::Value* Vectorizer::lane_mask(const Halves& mask, unsigned warp) {
  return builder_.CreateTrunc(builder_.CreateLShr(team_mask(mask), warp * kLanes),
                              builder_.getInt32Ty());
}

/// In the CTA, of one of the team's.
llvm::Value* Vectorizer::warp_number(unsigned warp) {
  if (warps() == 1) return made_.team;
  return builder_.CreateAdd(builder_.CreateMul(made_.team, builder_.getInt32(warps())),
                            builder_.getInt32(warp));
}

/// For whoever asks which warp runs.
void Vectorizer::name_warp(unsigned warp) {
  builder_.CreateStore(warp_number(warp), field_address(offsetof(Context, warp)),
                       /*isVolatile=*/true);
}

/// What the run-time does goes warp by warp.
void Vectorizer::for_each_warp(const std::function<void(unsigned warp)>& what) {
  for (unsigned warp = 0; warp < warps(); ++warp) what(warp);
}

/// For the lanes of the mask in the warp.
void Vectorizer::call_helper(HelperId helper, llvm::Value* argument, const Halves& mask,
                             unsigned warp) {
  if (warps() > 1) name_warp(warp);
  builder_.CreateStore(lane_mask(mask, warp), field_address(offsetof(Context, lanes)));
  call_helper(helper, argument);
}

void Vectorizer::call_helper(HelperId helper, llvm::Value* argument) {
  llvm::Value* table = field(offsetof(Context, helpers), builder_.getPtrTy(), "helpers");
  llvm::Value* at = builder_.CreateConstInBoundsGEP1_32(builder_.getPtrTy(), table,
                                                        static_cast<unsigned>(helper));
  auto* type = llvm::FunctionType::get(builder_.getInt32Ty(),
                                       {builder_.getPtrTy(), builder_.getInt32Ty()}, false);
  llvm::Value* trapped =
      builder_.CreateCall(type, builder_.CreateLoad(builder_.getPtrTy(), at), {state_, argument});
  Block* next = new_block("next");
  builder_.CreateCondBr(builder_.CreateICmpNE(trapped, builder_.getInt32(0)), trapped_, next);
  go_to(next);
}

/// The mask of a half for vectors of `count` elements a lane.
llvm::Value* Vectorizer::repeat(llvm::Value* mask, unsigned count) {
  if (count == 1) return mask;
  std::vector<int> order;
  for (unsigned i = 0; i < kHalf * count; ++i) order.push_back(static_cast<int>(i / count));
  return builder_.CreateShuffleVector(mask, order);
}

/// Of the elements of a vector whose bit is set; the others are zero.
llvm::Value* Vectorizer::masked_load(const Site& site, llvm::Type* type, llvm::Value* at,
                                     llvm::Value* mask) {
  touch(site, at, layout_.getTypeStoreSize(type));
  return builder_.CreateMaskedLoad(type, at, llvm::Align(1), mask,
                                   llvm::Constant::getNullValue(type));
}

/// Lanes' elements with others between them: all of it is loaded, and every second one taken until
/// each lane has its own. Where a block accesses all that is between, its loads share the work.
Halves Vectorizer::load_apart(const Group& group, u64 distance, const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  llvm::Type* type = vector_of(element);
  const unsigned times = times_apart(group);
  const u64 step = u64{site.bytes} * times;
  const bool whole = group.extent.bytes == step && is_all(mask);
  // Which of `times` elements it is; what is between may be no memory, if it is not accessed.
  const u64 begin = whole ? 0 : distance;
  const unsigned which = static_cast<unsigned>((distance - begin) / site.bytes);
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Value*> parts;
    llvm::Value* lanes = whole ? nullptr : repeat(mask[h], times);
    for (unsigned part = 0; part < times; ++part) {
      llvm::Value* at = pointer(group.at[h], begin + u64{part} * kHalf * site.bytes);
      if (whole) {
        parts.push_back(builder_.CreateAlignedLoad(type, at, llvm::Align(1)));
        continue;
      }
      std::vector<int> own;
      std::vector<llvm::Constant*> wanted;
      for (unsigned i = 0; i < kHalf; ++i) {
        own.push_back(static_cast<int>(part * kHalf + i));
        wanted.push_back(builder_.getInt1((part * kHalf + i) % times == 0));
      }
      llvm::Value* there = builder_.CreateAnd(builder_.CreateShuffleVector(lanes, own),
                                              llvm::ConstantVector::get(wanted));
      parts.push_back(masked_load(site, type, at, there));
    }
    for (unsigned rest = which; parts.size() > 1; rest /= 2) {
      std::vector<int> second;
      for (unsigned i = 0; i < kHalf; ++i) second.push_back(static_cast<int>(2 * i + rest % 2));
      std::vector<llvm::Value*> next;
      for (std::size_t i = 0; i < parts.size(); i += 2)
        next.push_back(builder_.CreateShuffleVector(parts[i], parts[i + 1], second));
      parts = std::move(next);
    }
    both[h] = parts[0];
  }
  return both;
}

/// Of Way::pattern: for each place of the two vectors which lane of the half accesses it; -1: none.
/// Where several lanes read one place, there are several of these.
std::vector<std::vector<int>> Vectorizer::lanes_at(const Group& group, unsigned half) const {
  const auto offsets = of_half(group.offsets, half);
  const s64 least = std::ranges::min(offsets);
  std::vector<std::vector<int>> lists;
  for (unsigned lane = 0; lane < kHalf; ++lane) {
    const auto place = static_cast<std::size_t>(offsets[lane] - least) / 4;
    auto list = std::ranges::find_if(lists, [&](const auto& one) { return one[place] < 0; });
    if (list == lists.end()) list = lists.insert(lists.end(), std::vector<int>(2 * kHalf, -1));
    (*list)[place] = static_cast<int>(lane);
  }
  return lists;
}

/// The lanes' values or bits in one of the two vectors; zero where there is no lane.
llvm::Value* Vectorizer::put(llvm::Value* lanes, const std::vector<int>& list, unsigned part) {
  std::vector<int> order;
  for (unsigned i = part * kHalf; i < (part + 1) * kHalf; ++i)
    order.push_back(list[i] < 0 ? static_cast<int>(kHalf) : list[i]);
  return builder_.CreateShuffleVector(lanes, llvm::Constant::getNullValue(lanes->getType()), order);
}

/// Both vectors, as far as lanes ask for them, and for each lane its own.
Halves Vectorizer::load_pattern(const Group& group, u64 distance, const Halves& mask) {
  llvm::Type* type = vector_of(builder_.getInt32Ty());
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    const auto lists = lanes_at(group, h);
    std::array<llvm::Value*, 2> parts{};
    for (unsigned part = 0; part < 2; ++part) {
      llvm::Value* wanted = nullptr;
      for (const std::vector<int>& list : lists) {
        llvm::Value* more = put(mask[h], list, part);
        wanted = wanted ? builder_.CreateOr(wanted, more) : more;
      }
      parts[part] = masked_load(site_of(*group.members[0]), type,
                                pointer(group.at[h], distance + u64{part} * kHalf * 4), wanted);
    }
    std::vector<int> own(kHalf);
    for (const std::vector<int>& list : lists) {
      for (unsigned place = 0; place < list.size(); ++place) {
        if (list[place] >= 0) own[static_cast<unsigned>(list[place])] = static_cast<int>(place);
      }
    }
    both[h] = builder_.CreateShuffleVector(parts[0], parts[1], own);
  }
  return both;
}

void Vectorizer::store_pattern(const Group& group, u64 distance, llvm::Value* value,
                               const Halves& mask) {
  for (unsigned h = 0; h < halves_; ++h) {
    const std::vector<int> list = lanes_at(group, h)[0];  // each lane has a place of its own
    for (unsigned part = 0; part < 2; ++part) {
      llvm::Value* there = put(mask[h], list, part);
      if (const auto* known = llvm::dyn_cast<llvm::Constant>(there); known && known->isNullValue())
        continue;
      builder_.CreateMaskedStore(put(all(value, h), list, part),
                                 pointer(group.at[h], distance + u64{part} * kHalf * 4),
                                 llvm::Align(1), there);
    }
  }
}

/// Elements of a lane as one value.
llvm::Value* Vectorizer::record_of(const std::vector<llvm::Value*>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<llvm::Type*> types;
  for (llvm::Value* part : parts) types.push_back(part->getType());
  llvm::Value* result = llvm::PoisonValue::get(llvm::StructType::get(context_, types));
  for (unsigned i = 0; i < parts.size(); ++i)
    result = builder_.CreateInsertValue(result, parts[i], i);
  return result;
}

/// A scalar or vector address, so many bytes further. Of 32 bits: one of shared memory.
llvm::Value* Vectorizer::pointer(llvm::Value* address, u64 bytes) {
  const bool vector = address->getType()->isVectorTy();
  llvm::Type* type = builder_.getPtrTy();
  if (address->getType()->getScalarSizeInBits() == 32) {
    llvm::Value* base = builder_.CreateAdd(
        field(offsetof(Context, shared_base), builder_.getInt64Ty(), "shared.base"),
        builder_.getInt64(bytes));
    return builder_.CreateGEP(builder_.getInt8Ty(), builder_.CreateIntToPtr(base, type), address);
  }
  llvm::Value* at = builder_.CreateIntToPtr(address, vector ? vector_of(type) : type);
  if (!bytes) return at;
  return builder_.CreateGEP(builder_.getInt8Ty(), at, builder_.getInt64(bytes));
}

/// Goes one of two ways, mostly the fast one; results meet behind.
Halves Vectorizer::either(llvm::Value* condition, const std::function<Halves()>& fast,
                          const std::function<Halves()>& slow) {
  Block* fast_block = new_block("straight");
  Block* slow_block = new_block("wrapped");
  Block* behind = new_block("behind");
  expect(builder_.CreateCondBr(condition, fast_block, slow_block));
  go_to(fast_block);
  const Halves a = fast();
  Block* fast_end = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  go_to(slow_block);
  const Halves b = slow();
  Block* slow_end = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  go_to(behind);
  Halves both{};
  for (unsigned h = 0; h < halves_ && a[h]; ++h) {
    llvm::PHINode* phi = builder_.CreatePHI(a[h]->getType(), 2);
    phi->addIncoming(a[h], fast_end);
    phi->addIncoming(b[h], slow_end);
    both[h] = phi;
  }
  return both;
}

/// Makes the access where its lanes lie in a line, and leaves it to the run-time where they do not,
/// or where it is not legal.
Halves Vectorizer::where_straight(const llvm::CallInst& call, const Group& group, u64 distance,
                                  const std::function<Halves(const Halves& firsts)>& straight,
                                  const std::function<Halves()>& slow) {
  const auto fast = [&] {
    prefetch(call, group, distance);
    return straight(group.at);
  };
  return group.straight ? either(group.straight, fast, slow) : fast();
}

llvm::Value* Vectorizer::place_in_spread(const Group& group, unsigned half, unsigned lane,
                                         u64 distance) {
  return pointer(group.at[half], distance + lane * static_cast<u64>(shapes_.of(group.root).stride));
}

/// Each lane's access of Way::spread by an instruction for lanes anywhere. Their distances from the
/// first one are added where it is made: only so LLVM sees that 32 bits are enough for them.
Halves Vectorizer::access_spread(const llvm::CallInst& call, const Group& group, u64 distance,
                                 const Halves& mask) {
  llvm::Value* lanes = ramp(builder_.getInt64Ty(), shapes_.of(group.root).stride);
  return access_at(call, mask, [&](unsigned h, u64 bytes) {
    return builder_.CreateGEP(builder_.getInt8Ty(), pointer(group.at[h], distance + bytes), lanes);
  });
}

/// Rows of c vectors, 2 or 4, as squares of c elements beside each other: rows become columns, and
/// the other way around.
std::vector<llvm::Value*> Vectorizer::transposed(const std::vector<llvm::Value*>& rows) {
  const auto mixed = [&](llvm::Value* a, llvm::Value* b, std::initializer_list<unsigned> take) {
    std::vector<int> order;
    const unsigned c = static_cast<unsigned>(take.size());
    for (unsigned begin = 0; begin < kHalf; begin += c) {
      for (const unsigned from : take)
        order.push_back(static_cast<int>(begin + from % c + from / c * kHalf));
    }
    return builder_.CreateShuffleVector(a, b, order);
  };
  if (rows.size() == 2) return {mixed(rows[0], rows[1], {0, 2}), mixed(rows[0], rows[1], {1, 3})};
  llvm::Value* low[] = {mixed(rows[0], rows[1], {0, 4, 1, 5}),
                        mixed(rows[2], rows[3], {0, 4, 1, 5})};
  llvm::Value* high[] = {mixed(rows[0], rows[1], {2, 6, 3, 7}),
                         mixed(rows[2], rows[3], {2, 6, 3, 7})};
  return {mixed(low[0], low[1], {0, 1, 4, 5}), mixed(low[0], low[1], {2, 3, 6, 7}),
          mixed(high[0], high[1], {0, 1, 4, 5}), mixed(high[0], high[1], {2, 3, 6, 7})};
}

/// Without an instruction, each lane's elements are loaded as one vector. Those of lanes 0, c,
/// 2c... are put beside each other, those of 1, c + 1... and so on; turned, they are what each
/// element is in all lanes.
Halves Vectorizer::load_spread(const llvm::CallInst& call, const Group& group, u64 distance,
                               const Halves& mask) {
  const Site& site = site_of(call);
  const unsigned count = site.count;
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  if (has_instruction(call) || (count > 1 && !are_pieces(site)))
    return access_spread(call, group, distance, mask);
  Halves loaded{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Value*> rows;
    if (count == 1) {
      llvm::Value* all = llvm::PoisonValue::get(vector_of(element));
      for (unsigned lane = 0; lane < kHalf; ++lane)
        all = builder_.CreateInsertElement(
            all,
            builder_.CreateAlignedLoad(element, place_in_spread(group, h, lane, distance),
                                       llvm::Align(1)),
            u64{lane});
      loaded[h] = record_of({all});
      continue;
    }
    llvm::Type* piece = llvm::FixedVectorType::get(element, count);
    for (unsigned row = 0; row < count; ++row) {
      std::vector<llvm::Value*> pieces;
      for (unsigned lane = row; lane < kHalf; lane += count)
        pieces.push_back(builder_.CreateAlignedLoad(
            piece, place_in_spread(group, h, lane, distance), llvm::Align(1)));
      rows.push_back(llvm::concatenateVectors(builder_, pieces));
    }
    loaded[h] = record_of(transposed(rows));
  }
  return loaded;
}

void Vectorizer::store_spread(const llvm::CallInst& call, const Group& group, u64 distance,
                              const Halves& mask) {
  const Site& site = site_of(call);
  const unsigned count = site.count;
  if (has_instruction(call) || !are_pieces(site)) {
    access_spread(call, group, distance, mask);
    return;
  }
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Value*> elements;
    for (unsigned i = 0; i < count; ++i) elements.push_back(all(call.getArgOperand(2 + i), h));
    const std::vector<llvm::Value*> rows = transposed(elements);
    for (unsigned lane = 0; lane < kHalf; ++lane) {
      std::vector<int> own;
      for (unsigned i = 0; i < count; ++i)
        own.push_back(static_cast<int>(lane / count * count + i));
      builder_.CreateAlignedStore(builder_.CreateShuffleVector(rows[lane % count], own),
                                  place_in_spread(group, h, lane, distance), llvm::Align(1));
    }
  }
}

/// Whether lanes with addresses of their own are accessed at once: where the processor has an
/// instruction for it, or else where all are there, and their places known from the first one.
bool Vectorizer::is_made_at_once(const llvm::CallInst& call, const Halves& mask) const {
  return has_instruction(call) || (is_all(mask) && shapes_.of(call.getArgOperand(1)).is_affine());
}

bool Vectorizer::has_instruction(const llvm::CallInst& call) const {
  auto* type = llvm::cast<llvm::VectorType>(
      vector_of(llvm::Type::getIntNTy(context_, site_of(call).bytes * 8u)));
  const llvm::Align align(1);
  return machine_op(call) == MachineOp::load
             ? target_.isLegalMaskedGather(type, align) &&
                   !target_.forceScalarizeMaskedGather(type, align)
             : target_.isLegalMaskedScatter(type, align) &&
                   !target_.forceScalarizeMaskedScatter(type, align);
}

/// Lanes' accesses to places of their own, at once: `places` are those of a half's elements that
/// are so many bytes behind its lanes' addresses. Returns what was loaded.
Halves Vectorizer::access_at(const llvm::CallInst& call, const Halves& mask,
                             llvm::function_ref<llvm::Value*(unsigned half, u64 bytes)> places_of) {
  const Site& site = site_of(call);
  llvm::Type* type = vector_of(builder_.getIntNTy(site.bytes * 8u));
  const bool loads = machine_op(call) == MachineOp::load;
  Halves loaded{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Value*> parts;
    for (unsigned i = 0; i < site.count; ++i) {
      llvm::Value* stored = loads ? nullptr : all(call.getArgOperand(2 + i), h);
      llvm::Value* places = places_of(h, u64{i} * site.bytes);
      if (loads)
        parts.push_back(builder_.CreateMaskedGather(type, places, llvm::Align(1), mask[h],
                                                    llvm::Constant::getNullValue(type)));
      else
        builder_.CreateMaskedScatter(stored, places, llvm::Align(1), mask[h]);
    }
    if (loads) loaded[h] = record_of(parts);
  }
  return loaded;
}

/// The access of a group whose lanes may lie anyhow, and do not lie in a line.
Halves Vectorizer::access_scattered(const llvm::CallInst& call, const Group& group, u64 distance,
                                    const Halves& mask) {
  if (!is_made_at_once(call, mask)) return lane_by_lane(call, mask);
  const auto access = [&](const Halves& at, u64 distance) {
    return access_at(call, mask,
                     [&](unsigned h, u64 bytes) { return pointer(at[h], distance + bytes); });
  };
  if (!group.straight) return access(group.at, distance);
  Group own = group_of(call, Way::scattered);
  check_scattered(own, mask);
  return access(own.at, 0);
}

/// Where values of the team's lanes lie one by one.
llvm::AllocaInst* Vectorizer::row(llvm::Type* element, unsigned number) {
  llvm::AllocaInst*& known = rows_[{element, number}];
  if (!known) {
    known = variable(llvm::ArrayType::get(vector_of(element), halves_));
    known->setAlignment(llvm::Align(64));
  }
  return known;
}

/// A loop that makes `one` for each lane whose bit is set, given its number, of 64 bits.
void Vectorizer::for_each_lane(llvm::Value* lanes,
                               const std::function<void(llvm::Value* lane)>& one) {
  llvm::Type* word = lanes->getType();
  llvm::Value* none = llvm::ConstantInt::get(word, 0);
  Block *before = builder_.GetInsertBlock(), *each = new_block("each"), *done = new_block("done");
  builder_.CreateCondBr(builder_.CreateICmpEQ(lanes, none), done, each);
  go_to(each);
  llvm::PHINode* left = builder_.CreatePHI(word, 2);
  one(builder_.CreateZExtOrTrunc(
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder_.getTrue()),
      builder_.getInt64Ty()));
  llvm::Value* rest =
      builder_.CreateAnd(left, builder_.CreateSub(left, llvm::ConstantInt::get(word, 1)));
  left->addIncoming(lanes, before);
  left->addIncoming(rest, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpNE(rest, none), each, done);
  go_to(done);
}

/// A strong access of one lane, of all elements at once (docs/memory-model.md); from or to the
/// rows' places.
void Vectorizer::access_in_order(const Site& site, bool loads, llvm::Value* at,
                                 const std::vector<llvm::Value*>& places) {
  const unsigned bits = site.bytes * 8u;
  llvm::Type *element = builder_.getIntNTy(bits), *whole = builder_.getIntNTy(bits * site.count);
  const llvm::Align align(u64{site.bytes} * site.count);
  if (loads) {
    llvm::LoadInst* loaded = builder_.CreateAlignedLoad(whole, at, align, /*isVolatile=*/true);
    loaded->setAtomic(llvm::AtomicOrdering::Acquire);
    for (unsigned i = 0; i < site.count; ++i)
      builder_.CreateStore(
          builder_.CreateTrunc(builder_.CreateLShr(loaded, u64{i} * bits), element), places[i]);
    return;
  }
  llvm::Value* stored = llvm::ConstantInt::get(whole, 0);
  for (unsigned i = 0; i < site.count; ++i)
    stored = builder_.CreateOr(
        stored,
        builder_.CreateShl(builder_.CreateZExt(builder_.CreateLoad(element, places[i]), whole),
                           u64{i} * bits));
  builder_.CreateAlignedStore(stored, at, align, /*isVolatile=*/true)
      ->setAtomic(llvm::AtomicOrdering::Release);
}

/// Whether the host has one instruction for all elements of a strong access.
bool Vectorizer::is_word(const Site& site) {
  const unsigned bytes = u32{site.bytes} * site.count;
  return bytes <= 8 && std::has_single_bit(bytes);
}

/// The access where the processor has no instruction for it: each lane's is checked, and made.
/// Returns what was loaded.
Halves Vectorizer::lane_by_lane(const llvm::CallInst& call, const Halves& mask) {
  const Site& site = site_of(call);
  const bool loads = machine_op(call) == MachineOp::load;
  llvm::Type *element = builder_.getIntNTy(site.bytes * 8u), *type = vector_of(element);
  llvm::Type* wide = builder_.getInt64Ty();
  const Group own = group_of(call, Way::scattered);
  accesses_.try_emplace(&call,
                        Access{nullptr, static_cast<u64>(own.extent.low)});  // ask() wants it
  const auto in_row = [&](unsigned i, unsigned h) {
    return builder_.CreateConstInBoundsGEP1_32(type, row(element, i), h);
  };
  // Addresses in a line are computed lane by lane; others lie in Context, also for whoever looks
  // for the lane after a fault.
  const Shape shape = shapes_.of(own.root);
  const bool in_line =
      shape.is_affine() && shape.widened.empty() && shapes_.halves_of(shape) == halves_;
  for (unsigned h = 0; h < halves_; ++h) {
    if (!in_line)
      hand_over(further(all_here(own.root, h), own.extent.low), offsetof(Context, addresses), h);
    for (unsigned i = 0; i < site.count; ++i)
      builder_.CreateStore(
          loads ? llvm::Constant::getNullValue(type) : all(call.getArgOperand(2 + i), h),
          in_row(i, h));
  }
  llvm::Value* lanes = team_mask(mask);
  if (warps() == 1 && !in_line)
    builder_.CreateStore(lanes, field_address(offsetof(Context, lanes)), /*isVolatile=*/true);
  const auto address_of = [&](llvm::Value* lane) -> llvm::Value* {
    if (!in_line)
      return builder_.CreateLoad(
          wide,
          builder_.CreateInBoundsGEP(wide, field_address(offsetof(Context, addresses)), lane));
    llvm::Type* type = own.root->getType();
    llvm::Value* off = builder_.CreateMul(builder_.CreateTrunc(lane, type),
                                          llvm::ConstantInt::getSigned(type, shape.stride));
    return further(builder_.CreateAdd(first(own.root), off), own.extent.low);
  };
  for_each_lane(lanes, [&](llvm::Value* lane) {
    llvm::Value* address = address_of(lane);
    check_lane(site, own, address, [&] { ask(own, mask); });
    llvm::Value* there = host(site, address);
    std::vector<llvm::Value*> places;
    for (unsigned i = 0; i < site.count; ++i)
      places.push_back(builder_.CreateInBoundsGEP(element, row(element, i), lane));
    if (site.ordered) return access_in_order(site, loads, pointer(there, 0), places);
    for (unsigned i = 0; i < site.count; ++i) {
      llvm::Value* at = pointer(there, u64{i} * site.bytes);
      if (loads)
        builder_.CreateStore(builder_.CreateAlignedLoad(element, at, llvm::Align(1)), places[i]);
      else
        builder_.CreateAlignedStore(builder_.CreateLoad(element, places[i]), at, llvm::Align(1));
    }
  });
  Halves loaded{};
  for (unsigned h = 0; loads && h < halves_; ++h) {
    std::vector<llvm::Value*> parts;
    for (unsigned i = 0; i < site.count; ++i)
      parts.push_back(builder_.CreateLoad(type, in_row(i, h)));
    loaded[h] = record_of(parts);
  }
  return loaded;
}

void Vectorizer::emit_load(llvm::CallInst& call, const Site& site, const Halves& mask) {
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  const unsigned count = site.count;
  if (site.ordered && !shapes_.of(&call).is_uniform()) {
    if (is_word(site)) return define(call, lane_by_lane(call, mask));
    pass_addresses(call);
    call_helper(HelperId::load, call.getArgOperand(0), mask);
    return take_results(call);
  }
  const auto [group, distance] = checked(call, mask);
  if (site.ordered) {
    const llvm::Align align(site.bytes);
    llvm::LoadInst* loaded = builder_.CreateAlignedLoad(element, pointer(group->at[0], distance),
                                                        align, /*isVolatile=*/true);
    loaded->setAtomic(llvm::AtomicOrdering::Acquire);
    return define_uniform(call, record_of({loaded}));
  }
  if (site.space == ir::Space::local) return load_local(call, *group, distance, mask);
  if (group->way != Way::line) prefetch(call, *group, distance);
  const auto scalar = [&](llvm::Value* address) {
    std::vector<llvm::Value*> parts;
    for (unsigned i = 0; i < count; ++i)
      parts.push_back(builder_.CreateAlignedLoad(
          element, pointer(address, distance + u64{i} * site.bytes), llvm::Align(1)));
    return record_of(parts);
  };
  const auto straight = [&](const Halves& firsts) {
    Halves both{};
    for (unsigned h = 0; h < halves_; ++h) {
      llvm::Value* at = pointer(firsts[h], distance);
      auto* type = llvm::FixedVectorType::get(element, kHalf * count);
      llvm::Value* loaded =
          is_all(mask)
              ? static_cast<llvm::Value*>(builder_.CreateAlignedLoad(type, at, llvm::Align(1)))
              : masked_load(site, type, at, repeat(mask[h], count));
      std::vector<llvm::Value*> parts;
      for (unsigned i = 0; i < count; ++i) {
        std::vector<int> order;
        for (unsigned lane = 0; lane < kHalf; ++lane)
          order.push_back(static_cast<int>(lane * count + i));
        parts.push_back(count == 1 ? loaded : builder_.CreateShuffleVector(loaded, order));
      }
      both[h] = record_of(parts);
    }
    return both;
  };
  const auto by_run_time = [&] {
    Halves both{};
    for_each_warp([&](unsigned warp) {
      pass_addresses(call, warp);
      call_helper(HelperId::load, call.getArgOperand(0), mask, warp);
      for (unsigned h = 0; h < kHalves; ++h) {
        std::vector<llvm::Value*> parts;
        for (unsigned i = 0; i < count; ++i) parts.push_back(take_result(element, i, h));
        both[warp * kHalves + h] = record_of(parts);
      }
    });
    return both;
  };
  switch (group->way) {
    case Way::one:
      return define_uniform(call, scalar(group->at[0]));
    case Way::only:
      return define(call, of_lanes_here([&](unsigned i) { return scalar(group->at[i]); }));
    case Way::parts: {
      Lanes lanes;
      lanes.shape = shapes_.of(&call);
      for (unsigned h = 0; h < halves_; h += shapes_.halves_of(lanes.shape))
        lanes.first[h] = scalar(group->at[h]);
      lanes_[&call] = lanes;
      return;
    }
    case Way::line:
      return define(call, where_straight(call, *group, distance, straight, by_run_time));
    case Way::apart:
      return define(call, load_apart(*group, distance, mask));
    case Way::pattern:
      return define(call, load_pattern(*group, distance, mask));
    case Way::spread:
      return define(call, load_spread(call, *group, distance, mask));
    case Way::scattered: {
      const auto scattered = [&] { return access_scattered(call, *group, distance, mask); };
      const auto in_line = [&] { return straight(group->at); };
      return define(call,
                    group->straight ? either(group->straight, in_line, scattered) : scattered());
    }
  }
}

void Vectorizer::emit_store(llvm::CallInst& call, const Site& site, const Halves& mask) {
  const unsigned count = site.count;
  const auto value = [&](unsigned i) { return call.getArgOperand(2 + i); };
  const auto by_run_time = [&] {
    for_each_warp([&](unsigned warp) {
      pass_addresses(call, warp);
      for (u32 i = 0; i < count; ++i) pass_operand(value(i), i, warp);
      call_helper(HelperId::store, call.getArgOperand(0), mask, warp);
    });
    return Halves{};
  };
  if (site.ordered) {
    if (is_word(site))
      lane_by_lane(call, mask);
    else
      by_run_time();
    return;
  }
  const auto [group, distance] = checked(call, mask);
  if (site.space == ir::Space::local) return store_local(call, *group, distance, mask);
  if (group->way != Way::line) prefetch(call, *group, distance);
  const auto straight = [&](const Halves& firsts) {
    for (unsigned h = 0; h < halves_; ++h) {
      llvm::Value* at = pointer(firsts[h], distance);
      llvm::Value* stored = all(value(0), h);
      if (count > 1) {
        // Two by two, in order; then lane by lane.
        std::vector<llvm::Value*> parts;
        for (unsigned i = 0; i < count; ++i) parts.push_back(all(value(i), h));
        llvm::Value* joined = llvm::concatenateVectors(builder_, parts);
        std::vector<int> order;
        for (unsigned lane = 0; lane < kHalf; ++lane)
          for (unsigned i = 0; i < count; ++i) order.push_back(static_cast<int>(i * kHalf + lane));
        stored = builder_.CreateShuffleVector(joined, order);
      }
      if (is_all(mask))
        builder_.CreateAlignedStore(stored, at, llvm::Align(1));
      else
        builder_.CreateMaskedStore(stored, at, llvm::Align(1), repeat(mask[h], count));
    }
    return Halves{};
  };
  const auto scalar = [&](llvm::Value* address, auto of) {
    for (unsigned i = 0; i < count; ++i)
      builder_.CreateAlignedStore(of(value(i)), pointer(address, distance + u64{i} * site.bytes),
                                  llvm::Align(1));
  };
  switch (group->way) {
    case Way::one:
      return scalar(group->at[0], [&](llvm::Value* stored) { return first(stored); });
    case Way::only:
      for (std::size_t i = 0; i < lanes_here_.size(); ++i)
        scalar(group->at[i], [&](llvm::Value* stored) { return of_lane(stored, lanes_here_[i]); });
      return;
    case Way::line:
      where_straight(call, *group, distance, straight, by_run_time);
      return;
    case Way::pattern:
      return store_pattern(*group, distance, value(0), mask);
    case Way::spread:
      return store_spread(call, *group, distance, mask);
    case Way::parts:
    case Way::apart:
      HEDDLE_UNREACHABLE();
    case Way::scattered: {
      const auto scattered = [&] { return access_scattered(call, *group, distance, mask); };
      const auto in_line = [&] { return straight(group->at); };
      group->straight ? either(group->straight, in_line, scattered) : scattered();
    }
  }
}

}  // namespace heddle::jit
