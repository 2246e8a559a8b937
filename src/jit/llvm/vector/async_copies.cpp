// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/async_copies.h"

#include <llvm/IR/Instructions.h>

#include "jit/llvm/analysis/branch_weights.h"

namespace heddle::jit {

/// Both halves of an operand; inactive lanes may be poison, which must not spread.
Halves AsyncCopies::vectors_of(llvm::Value* value, const Halves& mask) {
  Halves both{};
  for (unsigned h = 0; h < halves_; ++h) {
    both[h] = values_.vector(value, h);
    if (!masks_.is_all(mask)) both[h] = builder_.CreateFreeze(both[h]);
  }
  return both;
}

AsyncCopies::Copies AsyncCopies::find(const llvm::CallInst& call, const Site& site,
                                      const Halves& mask) {
  Copies copies;
  copies.to = vectors_of(call.getArgOperand(1), mask);
  copies.from = vectors_of(call.getArgOperand(2), mask);
  copies.whole = mask;
  copies.none = masks_.none();
  if (site.count == 3) {
    llvm::Value* operand = call.getArgOperand(3);
    const Halves third = vectors_of(operand, mask);
    const bool ignores = operand->getType()->isIntegerTy(1);
    const auto is_size = [&](unsigned h, u32 bytes) {
      return builder_.CreateICmpEQ(third[h], splat(builder_.getInt32(bytes)));
    };
    for (unsigned h = 0; h < halves_; ++h) {
      copies.whole[h] = builder_.CreateAnd(
          mask[h], ignores ? builder_.CreateNot(third[h]) : is_size(h, site.bytes));
      copies.none[h] = builder_.CreateAnd(mask[h], ignores ? third[h] : is_size(h, 0));
    }
  }
  const Window shared = windows_.of(site)[0];
  Halves wrong{};
  for (unsigned h = 0; h < halves_; ++h) {
    llvm::Value* right =
        builder_.CreateAnd(builder_.CreateOr(copies.whole[h], copies.none[h]),
                           windows_.fits(shared, copies.to[h], site.bytes, site.bytes));
    wrong[h] = builder_.CreateAnd(mask[h], builder_.CreateNot(right));
  }
  Site source;
  source.space = ir::Space::global;
  Halves outside = copies.whole;  // of the windows that have been tested
  llvm::Value* inside = windows_.in_a_window(source, [&](const Window& window) {
    for (unsigned h = 0; h < halves_; ++h)
      outside[h] = builder_.CreateAnd(
          outside[h],
          builder_.CreateNot(windows_.fits(window, copies.from[h], site.bytes, site.bytes)));
    return builder_.CreateNot(masks_.any(outside));
  });
  copies.legal = builder_.CreateAnd(inside, builder_.CreateNot(masks_.any(wrong)));
  return copies;
}

/// The addresses go through memory, the sources through Context::addresses, where reports of faults
/// find them.
void AsyncCopies::copy(const Copies& copies, const Site& site, const Halves& mask) {
  llvm::Type *wide = builder_.getInt64Ty(), *bytes = builder_.getIntNTy(site.bytes * 8u);
  llvm::Value* sources = function_.field_address(offsetof(Context, addresses));
  llvm::Value* destinations = runtime_.operand_address(0);
  for (unsigned h = 0; h < halves_; ++h) {
    runtime_.hand_over(copies.from[h], offsetof(Context, addresses), h);
    runtime_.hand_over(copies.to[h], offsetof(Context, operands), h);
  }
  builder_.CreateStore(masks_.team_bits(mask), function_.field_address(offsetof(Context, lanes)),
                       /*isVolatile=*/true);
  const auto address = [&](llvm::Value* all, llvm::Value* lane) {
    return builder_.CreateLoad(wide, builder_.CreateInBoundsGEP(wide, all, lane));
  };
  const auto put = [&](llvm::Value* value, llvm::Value* lane) {
    llvm::Value* to = windows_.host_address(site, address(destinations, lane));
    builder_.CreateAlignedStore(value, windows_.pointer(to, 0), llvm::Align(site.bytes));
  };
  function_.for_each_lane(masks_.team_bits(copies.whole), [&](llvm::Value* lane) {
    llvm::Value* from = windows_.pointer(address(sources, lane), 0);
    put(builder_.CreateAlignedLoad(bytes, from, llvm::Align(site.bytes)), lane);
  });
  if (site.count == 3) {
    function_.for_each_lane(masks_.team_bits(copies.none), [&](llvm::Value* lane) {
      put(llvm::Constant::getNullValue(bytes), lane);
    });
  }
}

void AsyncCopies::emit(llvm::CallInst& call, const Site& site, const Halves& mask) {
  const Copies copies = find(call, site, mask);
  Block *copying = new_block("copy"), *step = new_block("step"), *behind = new_block("behind");
  expect(builder_.CreateCondBr(copies.legal, copying, step));
  go_to(copying);
  copy(copies, site, mask);
  builder_.CreateBr(behind);
  go_to(step);
  fallback_.step_together(call, 1 + site.count, call.arg_size(), mask);
  builder_.CreateBr(behind);
  go_to(behind);
}

}  // namespace heddle::jit
