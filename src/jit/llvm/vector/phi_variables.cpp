// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/vector/phi_variables.h"

#include <llvm/IR/Instructions.h>

namespace heddle::jit {

const PhiVariables::Places& PhiVariables::places_of(llvm::PHINode& phi) {
  Places& places = places_[&phi];
  if (!places.empty()) return places;
  const Shape shape = shapes_.of(&phi);
  const unsigned shared = shape.is_affine() ? shapes_.halves_of(shape) : 1;
  llvm::Type* type = shape.is_affine() ? phi.getType() : vector_of(phi.getType());
  // If all values that enter the loop are undef, all accesses are in the loop, and the variable
  // must keep its value from round to round.
  const bool carried = shapes_.loops.isLoopHeader(phi.getParent());
  for (unsigned i = 0; i < halves_; i += shared)
    places.push_back(function_.variable(type, carried));
  return places;
}

void PhiVariables::load(Block& block) {
  for (llvm::PHINode& phi : block.phis()) {
    const Places& places = places_of(phi);
    LaneValue lanes;
    lanes.shape = shapes_.of(&phi);
    const unsigned shared = halves_ / static_cast<unsigned>(places.size());
    for (unsigned i = 0; i < places.size(); ++i) {
      llvm::Value* value = builder_.CreateLoad(places[i]->getAllocatedType(), places[i]);
      (lanes.shape.is_affine() ? lanes.scalars : lanes.vectors)[i * shared] = value;
    }
    values_.define(phi, lanes);
  }
}

void PhiVariables::store(const Block* from, Block* to, const Halves& mask) {
  // If `from` dominates the block, lanes that take another edge get their values from that edge
  // later.
  bool keeps = shapes_.may_reconverge(to) && !shapes_.dominators.dominates(from, to);
  for (const llvm::Loop* loop = shapes_.loops.getLoopFor(from); loop && !loop->contains(to);
       loop = loop->getParentLoop())
    keeps |= shapes_.is_divergent(loop);
  std::vector<std::pair<llvm::AllocaInst*, llvm::Value*>> stores;
  for (llvm::PHINode& phi : to->phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(from);
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    const Places& places = places_of(phi);
    const Shape shape = shapes_.of(&phi);
    const unsigned shared = halves_ / static_cast<unsigned>(places.size());
    for (unsigned i = 0; i < places.size(); ++i) {
      llvm::AllocaInst* place = places[i];
      llvm::Value* now =
          shape.is_affine() ? values_.scalar(value, i * shared) : values_.vector(value, i);
      if (!shape.is_affine() && keeps && !masks_.is_all(mask)) {
        llvm::Value* before = builder_.CreateLoad(place->getAllocatedType(), place);
        now = builder_.CreateSelect(mask[i], now, before);
      }
      stores.emplace_back(place, now);
    }
  }
  for (const auto& [place, value] : stores) builder_.CreateStore(value, place);
}

}  // namespace heddle::jit
