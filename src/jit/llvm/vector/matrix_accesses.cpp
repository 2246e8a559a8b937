// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/matrix_accesses.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "isa/sem/matrix_move.h"
#include "jit/llvm/analysis/branch_weights.h"
#include "jit/llvm/analysis/pattern.h"

namespace heddle::jit {
namespace {

using sem::kRowBytes;

constexpr unsigned kRowWords = kRowBytes / 4, kRowsOfHalf = kHalf / kRowWords;

/// The lanes that give addresses of rows, which are the first ones of the warp.
unsigned lanes_of(const Site& site) { return site.count * sem::kRowsOfRegister; }

/// Of lanes `begin` to `begin + count - 1`.
std::vector<int> lane_numbers(unsigned begin, unsigned count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

/// The offsets of the lanes' addresses from that of their half's first lane, where they are known
/// when the kernel is compiled, and keep the rows aligned if the first one is.
std::optional<std::vector<s64>> known_offsets(const llvm::Value* address, const Shapes& shapes) {
  std::vector<s64> offsets;
  if (const Shape shape = shapes.of(address); shape.is_affine() && shape.widened.empty()) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      offsets.push_back(shape.stride * static_cast<s64>(lane % kHalf));
  } else if (const auto pattern = pattern_of(address, shapes)) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      offsets.push_back(pattern->offsets[lane] - pattern->offsets[lane / kHalf * kHalf]);
  } else {
    return std::nullopt;
  }
  const bool aligned = llvm::all_of(offsets, [](s64 offset) { return offset % kRowBytes == 0; });
  return aligned ? std::optional(std::move(offsets)) : std::nullopt;
}

}  // namespace

/// The lanes of both halves are 64 elements of 16 bits, which one shuffle for each half moves.
MatrixRegister transposed_matrix(llvm::IRBuilder<>& builder, const MatrixRegister& matrix) {
  llvm::Type* type = matrix[0]->getType();
  auto* elements = llvm::FixedVectorType::get(builder.getInt16Ty(), 2 * kHalf);
  MatrixRegister result{};
  for (unsigned half = 0; half < kHalves; ++half) {
    std::vector<int> from;
    for (unsigned i = 0; i < 2 * kHalf; ++i) {
      const sem::HalfOfMatrix one = sem::transposed_half(half * kHalf + i / 2, i % 2);
      from.push_back(static_cast<int>(one.lane * 2 + one.half));
    }
    result[half] = builder.CreateBitCast(
        builder.CreateShuffleVector(builder.CreateBitCast(matrix[0], elements),
                                    builder.CreateBitCast(matrix[1], elements), from),
        type);
  }
  return result;
}

/// The rows lie at known distances from the first lane's: one comparison for each half.
MatrixAccesses::Rows MatrixAccesses::rows_at_offsets(llvm::Value* address,
                                                     const std::vector<s64>& offsets,
                                                     const Site& site, const Window& window) {
  std::array<llvm::Value*, kHalves> first{};
  llvm::Value* legal = builder_.getTrue();
  for (unsigned half = 0; half * kHalf < lanes_of(site); ++half) {
    const unsigned begin = half * kHalf, count = std::min(kHalf, lanes_of(site) - begin);
    first[half] = values_.scalar_of_first_lane(address, half);
    const auto [least, largest] = std::ranges::minmax(std::span(offsets).subspan(begin, count));
    llvm::Value* lowest = windows_.advanced(first[half], static_cast<u64>(least));
    const u64 bytes = static_cast<u64>(largest - least) + kRowBytes;
    legal = builder_.CreateAnd(legal, windows_.fits(window, lowest, bytes, kRowBytes));
  }
  return {legal, [this, first, offsets, &site](unsigned lane) {
            return windows_.pointer(windows_.host_address(site, first[lane / kHalf]),
                                    static_cast<u64>(offsets[lane]));
          }};
}

/// Each row has an address of its own. The addresses go through memory: it takes longer to take
/// them out of their vectors one by one.
MatrixAccesses::Rows MatrixAccesses::rows_of_lanes(llvm::Value* address, const Site& site,
                                                   const Window& window, const Halves& mask) {
  // A shared address is a number of 32 bits in most kernels.
  if (const auto* widened = llvm::dyn_cast<llvm::ZExtInst>(address);
      widened && site.space == ir::Space::shared && widened->getSrcTy()->isIntegerTy(32))
    address = widened->getOperand(0);
  llvm::Type* type = address->getType();
  Halves outside{};
  std::array<llvm::Value*, kHalves> lanes{};
  for (unsigned half = 0; half < halves_; ++half) {
    outside[half] = masks_.none()[half];
    if (half * kHalf >= lanes_of(site)) continue;
    lanes[half] = values_.vector(address, half);
    if (!masks_.is_all(mask)) lanes[half] = builder_.CreateFreeze(lanes[half]);
    std::vector<llvm::Constant*> needed;
    for (unsigned lane = 0; lane < kHalf; ++lane)
      needed.push_back(builder_.getInt1(half * kHalf + lane < lanes_of(site)));
    outside[half] = builder_.CreateAnd(
        builder_.CreateNot(windows_.fits(window, lanes[half], kRowBytes, kRowBytes)),
        llvm::ConstantVector::get(needed));
  }
  const auto hand_over = [this, lanes] {
    for (unsigned half = 0; half < kHalves && lanes[half]; ++half)
      runtime_.hand_over(lanes[half], offsetof(Context, addresses), half);
  };
  return {builder_.CreateNot(masks_.any(outside)), [this, type, hand_over, &site](unsigned lane) {
            if (lane == 0) hand_over();
            const u64 bytes = type->getIntegerBitWidth() / 8;
            llvm::Value* place =
                function_.field_address(offsetof(Context, addresses) + lane * bytes);
            llvm::Value* one = builder_.CreateLoad(type, place, /*isVolatile=*/true);
            one = builder_.CreateZExt(one, builder_.getInt64Ty());
            return windows_.pointer(windows_.host_address(site, one), 0);
          }};
}

MatrixAccesses::Rows MatrixAccesses::find_rows(const llvm::CallInst& call, const Site& site,
                                               const Halves& mask) {
  llvm::Value* address = call.getArgOperand(1);
  Window window = windows_.of(site)[0];
  if (site.space != ir::Space::shared) {
    llvm::Type* wide = builder_.getInt64Ty();
    window = {function_.field(offsetof(Context, shared_base), wide, "shared.base"),
              function_.field(offsetof(Context, shared_size), wide, "shared.size")};
  }
  if (const auto offsets = known_offsets(address, shapes_))
    return rows_at_offsets(address, *offsets, site, window);
  return rows_of_lanes(address, site, window, mask);
}

Halves MatrixAccesses::load(const llvm::CallInst& call, const Site& site, const Rows& rows) {
  llvm::Type* row = llvm::FixedVectorType::get(builder_.getInt32Ty(), kRowWords);
  std::array<std::vector<llvm::Value*>, kHalves> registers;
  for (unsigned i = 0; i < site.count; ++i) {
    MatrixRegister matrix{};
    for (unsigned half = 0; half < kHalves; ++half) {
      std::vector<llvm::Value*> parts;
      for (unsigned k = 0; k < kRowsOfHalf; ++k)
        parts.push_back(builder_.CreateAlignedLoad(
            row, rows.place(i * sem::kRowsOfRegister + half * kRowsOfHalf + k),
            llvm::Align(kRowBytes)));
      const auto join = [&](llvm::Value* a, llvm::Value* b, unsigned count) {
        return builder_.CreateShuffleVector(a, b, lane_numbers(0, count));
      };
      matrix[half] = join(join(parts[0], parts[1], 2 * kRowWords),
                          join(parts[2], parts[3], 2 * kRowWords), kHalf);
    }
    if (site.op) matrix = transposed_matrix(builder_, matrix);
    for (unsigned half = 0; half < kHalves; ++half) registers[half].push_back(matrix[half]);
  }
  Halves loaded{};
  for (unsigned half = 0; half < kHalves; ++half)
    loaded[half] =
        call.getType()->isStructTy() ? record_of(registers[half]) : registers[half].front();
  return loaded;
}

void MatrixAccesses::store(const llvm::CallInst& call, const Site& site, const Rows& rows) {
  const unsigned first = call.arg_size() - 1 - site.count;
  for (unsigned i = 0; i < site.count; ++i) {
    MatrixRegister matrix{};
    for (unsigned half = 0; half < kHalves; ++half)
      matrix[half] = values_.vector(call.getArgOperand(first + i), half);
    if (site.op) matrix = transposed_matrix(builder_, matrix);
    for (unsigned k = 0; k < sem::kRowsOfRegister; ++k) {
      llvm::Value* row = builder_.CreateShuffleVector(
          matrix[k / kRowsOfHalf], lane_numbers(k % kRowsOfHalf * kRowWords, kRowWords));
      builder_.CreateAlignedStore(row, rows.place(i * sem::kRowsOfRegister + k),
                                  llvm::Align(kRowBytes));
    }
  }
}

void MatrixAccesses::emit(llvm::CallInst& call, const Site& site, const Halves& mask) {
  const bool loads = !call.getType()->isVoidTy();
  const auto finish = [&](const Halves& loaded) {
    if (loads) values_.define(call, loaded);
  };
  const u32 members = call.arg_size() - 1;
  if (site.bytes != kRowBytes) return finish(fallback_.step_together(call, 1, members, mask));
  const Rows rows = find_rows(call, site, mask);
  llvm::Value* all = masks_.team_bits(mask);
  llvm::Value* fast = builder_.CreateAnd(
      rows.legal, builder_.CreateICmpEQ(all, llvm::Constant::getAllOnesValue(all->getType())));
  Block *move = new_block("rows"), *step = new_block("step"), *behind = new_block("behind");
  expect(builder_.CreateCondBr(fast, move, step));
  go_to(move);
  Halves moved{};
  if (loads)
    moved = load(call, site, rows);
  else
    store(call, site, rows);
  move = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  go_to(step);
  const Halves stepped =
      fallback_.step_together(call, 2, loads ? members : members - site.count, mask);
  step = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  go_to(behind);
  Halves both{};
  for (unsigned half = 0; loads && half < halves_; ++half) {
    llvm::PHINode* phi = builder_.CreatePHI(moved[half]->getType(), 2);
    phi->addIncoming(moved[half], move);
    phi->addIncoming(stepped[half], step);
    both[half] = phi;
  }
  finish(both);
}

}  // namespace heddle::jit
