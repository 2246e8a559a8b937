// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/barrier/accumulators.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <vector>

#include "jit/llvm/analysis/fixed_point.h"

namespace heddle::jit {
namespace {

constexpr u32 kPlace = 64;
/// The number of phi nodes of a loop that may stay in registers.
constexpr std::size_t kMostInRegisters = 28;

bool is_vector(const llvm::Value* value) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return type && type->getPrimitiveSizeInBits() == 8 * kPlace;
}

/// The function's blocks by number, and the edges between them.
struct Graph {
  explicit Graph(llvm::Function& function) {
    for (llvm::BasicBlock& block : function) {
      numbers[&block] = static_cast<unsigned>(before.size());
      before.emplace_back();
    }
    for (llvm::BasicBlock& block : function) {
      for (const llvm::BasicBlock* next : llvm::successors(&block))
        before[number(next)].push_back(number(&block));
    }
  }
  unsigned number(const llvm::BasicBlock* block) const { return numbers.lookup(block); }

  llvm::DenseMap<const llvm::BasicBlock*, unsigned> numbers;
  std::vector<llvm::SmallVector<unsigned, 2>> before;
};

/// A web of phi nodes that one place can hold: at any point it holds the only one that is live, or
/// the value that the next one will have.
class Web {
 public:
  Web(const Vectorized& cta, const Graph& graph, llvm::PHINode* phi) : cta_(cta) {
    llvm::SmallVector<llvm::PHINode*> work = {phi};
    const auto add = [&](llvm::Value* value) {
      if (auto* one = llvm::dyn_cast<llvm::PHINode>(value); one && phis.insert(one))
        work.push_back(one);
    };
    add(phi);
    while (!work.empty()) {
      llvm::PHINode* one = work.pop_back_val();
      for (llvm::Value* value : one->incoming_values()) {
        add(value);
        if (!llvm::isa<llvm::Instruction>(value) || is_above(value)) continue;
        for (llvm::User* user : value->users()) add(user);
      }
      for (llvm::User* user : one->users()) add(user);
    }
    if (!find_places()) return;
    find_current(graph);
    is_one_ = check(graph);
  }

  bool is_one() const { return is_one_; }
  void move_to(const Graph& graph, llvm::Value* address);

  llvm::SetVector<llvm::PHINode*> phis;

 private:
  /// The value in the place; null: any.
  struct Current {
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
  };
  /// Computed for all teams, perhaps where there is no frame.
  bool is_above(const llvm::Value* value) const {
    const llvm::BasicBlock* block = llvm::cast<llvm::Instruction>(value)->getParent();
    return block == cta_.entry || block == cta_.cta || block == cta_.head;
  }
  bool holds(llvm::Value* value) const {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
    return phi && phis.contains(const_cast<llvm::PHINode*>(phi));
  }
  using Places = llvm::MapVector<llvm::BasicBlock*, llvm::Value*>;
  bool find_places();
  void find_current(const Graph& graph);
  bool check(const Graph& graph) const;

  const Vectorized& cta_;
  Places phi_of_, computed_in_, put_at_end_of_;
  std::vector<Current> current_;  ///< by number of the block
  bool is_one_ = false;
};

/// Finds where the place is written. False: twice in a block, or on an edge between two writes.
bool Web::find_places() {
  const auto only = [](auto& map, llvm::BasicBlock* block, llvm::Value* value) {
    const auto [found, is_new] = map.insert({block, value});
    return is_new || found->second == value;
  };
  for (llvm::PHINode* phi : phis) {
    if (!only(phi_of_, phi->getParent(), phi)) return false;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      llvm::Value* value = phi->getIncomingValue(i);
      if (llvm::isa<llvm::UndefValue>(value) || holds(value)) continue;
      auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
      llvm::BasicBlock* from = phi->getIncomingBlock(i);
      if (inst && !is_above(inst)) {
        if (!only(computed_in_, inst->getParent(), inst)) return false;
      } else if (!from->getSingleSuccessor() || !only(put_at_end_of_, from, value)) {
        return false;
      }
    }
  }
  return true;
}

/// Dataflow: the value in the place at the beginning and end of each block.
void Web::find_current(const Graph& graph) {
  llvm::Value* const several = cta_.function;  // for "several values"
  std::vector<Current> written(graph.before.size());
  for (const auto& [block, value] : phi_of_) written[graph.number(block)].begin = value;
  for (const Places* places : {&computed_in_, &put_at_end_of_}) {
    for (const auto& [block, value] : *places) written[graph.number(block)].end = value;
  }
  current_.resize(graph.before.size());
  // The lattice: nothing is known, then one value, then several.
  constexpr std::size_t kSteps = 2;
  until_stable(2 * kSteps * current_.size(), [&] {
    bool changed = false;
    for (std::size_t block = 0; block < current_.size(); ++block) {
      Current now = written[block];
      if (!now.begin) {
        for (const unsigned from : graph.before[block]) {
          llvm::Value* value = current_[from].end;
          if (value) now.begin = now.begin && now.begin != value ? several : value;
        }
      }
      if (!now.end) now.end = now.begin;
      Current& before = current_[block];
      changed |= before.begin != now.begin || before.end != now.end;
      before = now;
    }
    return changed;
  });
}

/// Whether each use finds its value in the place.
bool Web::check(const Graph& graph) const {
  for (llvm::PHINode* phi : phis) {
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      llvm::Value* value = phi->getIncomingValue(i);
      if (!llvm::isa<llvm::UndefValue>(value) &&
          current_[graph.number(phi->getIncomingBlock(i))].end != value)
        return false;
    }
    for (llvm::User* user : phi->users()) {
      auto* inst = llvm::cast<llvm::Instruction>(user);
      if (llvm::isa<llvm::PHINode>(inst)) continue;
      llvm::BasicBlock* block = inst->getParent();
      const auto* computed = llvm::cast_or_null<llvm::Instruction>(computed_in_.lookup(block));
      if (current_[graph.number(block)].begin != phi || (computed && computed->comesBefore(inst)))
        return false;
    }
  }
  return true;
}

void Web::move_to(const Graph& graph, llvm::Value* address) {
  llvm::IRBuilder<> builder(cta_.function->getContext());
  const llvm::Align align(kPlace);
  llvm::MapVector<llvm::BasicBlock*, std::vector<llvm::Instruction*>> users;
  for (llvm::PHINode* phi : phis) {
    for (llvm::User* user : phi->users()) {
      auto* inst = llvm::cast<llvm::Instruction>(user);
      if (!llvm::isa<llvm::PHINode>(inst)) users[inst->getParent()].push_back(inst);
    }
  }
  for (const auto& [block, wanting] : users) {
    auto* first = *std::ranges::min_element(
        wanting, [](const auto* a, const auto* b) { return a->comesBefore(b); });
    builder.SetInsertPoint(first);
    auto* phi = llvm::cast<llvm::PHINode>(current_[graph.number(block)].begin);
    llvm::Value* value = builder.CreateAlignedLoad(phi->getType(), address, align);
    for (llvm::Instruction* inst : wanting) inst->replaceUsesOfWith(phi, value);
  }
  for (const auto& [block, value] : computed_in_) {
    builder.SetInsertPoint(block, std::next(llvm::cast<llvm::Instruction>(value)->getIterator()));
    builder.CreateAlignedStore(value, address, align);
  }
  for (const auto& [block, value] : put_at_end_of_) {
    builder.SetInsertPoint(block->getTerminator());
    builder.CreateAlignedStore(value, address, align);
  }
  for (llvm::PHINode* phi : phis) phi->replaceAllUsesWith(llvm::PoisonValue::get(phi->getType()));
  for (llvm::PHINode* phi : phis) phi->eraseFromParent();
}

/// The phi nodes of vectors in blocks that have more of them than may stay in registers.
struct Candidates {
  explicit Candidates(llvm::Function& function) {
    for (llvm::BasicBlock& block : function) {
      const std::size_t before = phis.size();
      for (llvm::PHINode& phi : block.phis()) {
        if (is_vector(&phi)) phis.push_back(&phi);
      }
      if (phis.size() - before > kMostInRegisters)
        blocks.push_back(&block);
      else
        phis.resize(before);
    }
  }
  /// An initial value is stored on its edge, which gets a block.
  void split_ways() const {
    for (llvm::BasicBlock* block : blocks) {
      const std::vector<llvm::BasicBlock*> ways(llvm::pred_begin(block), llvm::pred_end(block));
      for (llvm::BasicBlock* from : ways) {
        if (!from->getSingleSuccessor()) llvm::SplitEdge(from, block);
      }
    }
  }

  std::vector<llvm::PHINode*> phis;
  std::vector<llvm::BasicBlock*> blocks;
};

/// All webs of candidates. Changes nothing but edges to them.
std::vector<Web> find_webs(const Vectorized& cta, const Candidates& candidates,
                           const Graph& graph) {
  std::vector<Web> webs;
  llvm::SmallPtrSet<llvm::PHINode*, 16> seen;
  for (llvm::PHINode* phi : candidates.phis) {
    if (seen.contains(phi)) continue;
    webs.emplace_back(cta, graph, phi);
    seen.insert(webs.back().phis.begin(), webs.back().phis.end());
  }
  return webs;
}

}  // namespace

std::vector<Accumulator> find_accumulators(const Vectorized& cta) {
  // Edges are split in a copy.
  llvm::ValueToValueMapTy copies;
  llvm::Function* const copy = llvm::CloneFunction(cta.function, copies);
  llvm::DenseMap<const llvm::Value*, llvm::PHINode*> originals;
  for (llvm::BasicBlock& block : *cta.function) {
    for (llvm::PHINode& phi : block.phis()) originals[copies.lookup(&phi)] = &phi;
  }
  Vectorized copied = cta;
  copied.function = copy;
  for (llvm::BasicBlock** block : {&copied.entry, &copied.cta, &copied.head})
    *block = llvm::cast_or_null<llvm::BasicBlock>(copies.lookup(*block));
  std::vector<Accumulator> found;
  {
    const Candidates candidates(*copy);
    candidates.split_ways();
    const Graph graph(*copy);
    for (const Web& web : find_webs(copied, candidates, graph)) {
      Accumulator& one = found.emplace_back();
      one.in_frame = web.is_one();
      for (const llvm::PHINode* phi : web.phis) one.phis.push_back(originals.lookup(phi));
    }
  }
  copy->eraseFromParent();
  return found;
}

u32 keep_accumulators_in_frame(const Vectorized& cta, llvm::Value* frame, u32 offset) {
  const Candidates candidates(*cta.function);
  candidates.split_ways();
  const Graph graph(*cta.function);
  llvm::IRBuilder<> builder(cta.head->getTerminator());
  for (Web& web : find_webs(cta, candidates, graph)) {
    if (!web.is_one()) continue;
    web.move_to(graph, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), frame, offset));
    offset += kPlace;
  }
  return offset;
}

}  // namespace heddle::jit
