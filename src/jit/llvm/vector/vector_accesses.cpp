// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/vector_accesses.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "jit/llvm/analysis/pattern.h"

namespace heddle::jit {
namespace {

/// Whether each lane accesses two or four elements that fit into a vector of 128 bits.
bool are_pieces(const Site& site) {
  return (site.count == 2 || site.count == 4) && site.bytes >= 4 && site.bytes * site.count <= 16;
}

}  // namespace

/// The other elements are zero.
llvm::Value* VectorAccesses::masked_load(const Site& site, llvm::Type* type, llvm::Value* at,
                                         llvm::Value* mask) {
  prefetcher_.touch(site, at, function_.kernel.module->getDataLayout().getTypeStoreSize(type));
  return builder_.CreateMaskedLoad(type, at, llvm::Align(1), mask,
                                   llvm::Constant::getNullValue(type));
}

Halves VectorAccesses::load_consecutive(const llvm::CallInst& call, const AccessGroup& group,
                                        u64 distance, const Halves& mask) {
  const Site& site = site_of(call);
  const unsigned count = site.count;
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* at = windows_.pointer(group.host[h], distance);
    auto* type = llvm::FixedVectorType::get(element, kHalf * count);
    llvm::Value* loaded =
        masks_.is_all(mask)
            ? static_cast<llvm::Value*>(builder_.CreateAlignedLoad(type, at, llvm::Align(1)))
            : masked_load(site, type, at, repeated(builder_, mask[h], count));
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
}

void VectorAccesses::store_consecutive(const llvm::CallInst& call, const AccessGroup& group,
                                       u64 distance, const Halves& mask) {
  const unsigned count = site_of(call).count;
  const auto value = [&](unsigned i) { return call.getArgOperand(2 + i); };
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* at = windows_.pointer(group.host[h], distance);
    llvm::Value* stored = values_.vector(value(0), h);
    if (count > 1) {
      // Pairs of parts are concatenated in order; the shuffle makes lane after lane of them.
      std::vector<llvm::Value*> parts;
      for (unsigned i = 0; i < count; ++i) parts.push_back(values_.vector(value(i), h));
      llvm::Value* joined = llvm::concatenateVectors(builder_, parts);
      std::vector<int> order;
      for (unsigned lane = 0; lane < kHalf; ++lane)
        for (unsigned i = 0; i < count; ++i) order.push_back(static_cast<int>(i * kHalf + lane));
      stored = builder_.CreateShuffleVector(joined, order);
    }
    if (masks_.is_all(mask))
      builder_.CreateAlignedStore(stored, at, llvm::Align(1));
    else
      builder_.CreateMaskedStore(stored, at, llvm::Align(1), repeated(builder_, mask[h], count));
  }
}

/// Loads all that is between the lanes' elements, and takes every second element until each lane
/// has its own. Where a block accesses all of it, its loads share that work.
Halves VectorAccesses::load_interleaved(const AccessGroup& group, u64 distance,
                                        const Halves& mask) {
  const Site& site = site_of(*group.members[0]);
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  llvm::Type* type = vector_of(element);
  const unsigned times = groups_.interleave_factor(group);
  const u64 step = u64{site.bytes} * times;
  const bool whole = group.extent.bytes == step && masks_.is_all(mask);
  // The element that is wanted of `times`. Memory between the lanes may not exist, unless the group
  // accesses all of it.
  const u64 begin = whole ? 0 : distance;
  const unsigned which = static_cast<unsigned>((distance - begin) / site.bytes);
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Value*> parts;
    llvm::Value* lanes = whole ? nullptr : repeated(builder_, mask[h], times);
    for (unsigned part = 0; part < times; ++part) {
      llvm::Value* at = windows_.pointer(group.host[h], begin + u64{part} * kHalf * site.bytes);
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

/// For each place of the two vectors the lane of the half that accesses it, or -1. Where several
/// lanes read one place, there are several such lists.
std::vector<std::vector<int>> VectorAccesses::permutations(const AccessGroup& group,
                                                           unsigned half) const {
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

/// One of the two vectors with the lanes' values, or mask bits; zero in places without a lane.
llvm::Value* VectorAccesses::permuted(llvm::Value* lanes, const std::vector<int>& list,
                                      unsigned part) {
  std::vector<int> order;
  for (unsigned i = part * kHalf; i < (part + 1) * kHalf; ++i)
    order.push_back(list[i] < 0 ? static_cast<int>(kHalf) : list[i]);
  return builder_.CreateShuffleVector(lanes, llvm::Constant::getNullValue(lanes->getType()), order);
}

/// Loads those places of both vectors that active lanes read, and shuffles.
Halves VectorAccesses::load_permuted(const AccessGroup& group, u64 distance, const Halves& mask) {
  llvm::Type* type = vector_of(builder_.getInt32Ty());
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    const auto lists = permutations(group, h);
    std::array<llvm::Value*, 2> parts{};
    for (unsigned part = 0; part < 2; ++part) {
      llvm::Value* wanted = nullptr;
      for (const std::vector<int>& list : lists) {
        llvm::Value* more = permuted(mask[h], list, part);
        wanted = wanted ? builder_.CreateOr(wanted, more) : more;
      }
      parts[part] =
          masked_load(site_of(*group.members[0]), type,
                      windows_.pointer(group.host[h], distance + u64{part} * kHalf * 4), wanted);
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

void VectorAccesses::store_permuted(const AccessGroup& group, u64 distance, llvm::Value* value,
                                    const Halves& mask) {
  for (unsigned h = 0; h < halves_; ++h) {
    const std::vector<int> list = permutations(group, h)[0];  // each lane has its own place
    for (unsigned part = 0; part < 2; ++part) {
      llvm::Value* there = permuted(mask[h], list, part);
      if (const auto* known = llvm::dyn_cast<llvm::Constant>(there); known && known->isNullValue())
        continue;
      builder_.CreateMaskedStore(permuted(values_.vector(value, h), list, part),
                                 windows_.pointer(group.host[h], distance + u64{part} * kHalf * 4),
                                 llvm::Align(1), there);
    }
  }
}

/// Without a gather, each lane's elements are loaded as one vector. The vectors of lanes 0, c,
/// 2c... are concatenated to a row, those of 1, c + 1... to the next, and so on; transposed, each
/// row has one element of all lanes.
Halves VectorAccesses::load_strided(const llvm::CallInst& call, const AccessGroup& group,
                                    u64 distance, const Halves& mask) {
  const Site& site = site_of(call);
  const unsigned count = site.count;
  llvm::Type* element = builder_.getIntNTy(site.bytes * 8u);
  if (processor_.has_gather(call, site_of(call)) || (count > 1 && !are_pieces(site)))
    return strided_gather(call, group, distance, mask);
  Halves loaded{};
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Value*> rows;
    if (count == 1) {
      llvm::Value* all = llvm::PoisonValue::get(vector_of(element));
      for (unsigned lane = 0; lane < kHalf; ++lane)
        all = builder_.CreateInsertElement(
            all,
            builder_.CreateAlignedLoad(element, strided_place(group, h, lane, distance),
                                       llvm::Align(1)),
            u64{lane});
      loaded[h] = record_of({all});
      continue;
    }
    llvm::Type* piece = llvm::FixedVectorType::get(element, count);
    for (unsigned row = 0; row < count; ++row) {
      std::vector<llvm::Value*> pieces;
      for (unsigned lane = row; lane < kHalf; lane += count)
        pieces.push_back(builder_.CreateAlignedLoad(piece, strided_place(group, h, lane, distance),
                                                    llvm::Align(1)));
      rows.push_back(llvm::concatenateVectors(builder_, pieces));
    }
    loaded[h] = record_of(transposed(rows));
  }
  return loaded;
}

void VectorAccesses::store_strided(const llvm::CallInst& call, const AccessGroup& group,
                                   u64 distance, const Halves& mask) {
  const Site& site = site_of(call);
  const unsigned count = site.count;
  if (processor_.has_gather(call, site_of(call)) || !are_pieces(site)) {
    strided_gather(call, group, distance, mask);
    return;
  }
  for (unsigned h = 0; h < halves_; ++h) {
    std::vector<llvm::Value*> elements;
    for (unsigned i = 0; i < count; ++i)
      elements.push_back(values_.vector(call.getArgOperand(2 + i), h));
    const std::vector<llvm::Value*> rows = transposed(elements);
    for (unsigned lane = 0; lane < kHalf; ++lane) {
      std::vector<int> own;
      for (unsigned i = 0; i < count; ++i)
        own.push_back(static_cast<int>(lane / count * count + i));
      builder_.CreateAlignedStore(builder_.CreateShuffleVector(rows[lane % count], own),
                                  strided_place(group, h, lane, distance), llvm::Align(1));
    }
  }
}

llvm::Value* VectorAccesses::strided_place(const AccessGroup& group, unsigned half, unsigned lane,
                                           u64 distance) {
  return windows_.pointer(group.host[half],
                          distance + lane * static_cast<u64>(shapes_.of(group.root).stride));
}

/// A gather or scatter. The distances from the first lane are added here: only so LLVM sees that 32
/// bits are enough for them.
Halves VectorAccesses::strided_gather(const llvm::CallInst& call, const AccessGroup& group,
                                      u64 distance, const Halves& mask) {
  llvm::Value* lanes = step_vector(builder_.getInt64Ty(), shapes_.of(group.root).stride);
  return scattered_.gather_or_scatter(call, mask, [&](unsigned h, u64 bytes) {
    return builder_.CreateGEP(builder_.getInt8Ty(),
                              windows_.pointer(group.host[h], distance + bytes), lanes);
  });
}

/// Transposes c rows, 2 or 4, as squares of c * c elements beside each other.
std::vector<llvm::Value*> VectorAccesses::transposed(const std::vector<llvm::Value*>& rows) {
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

}  // namespace heddle::jit
