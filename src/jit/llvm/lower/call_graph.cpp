// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/lower/call_graph.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::jit {
namespace {

/// Instructions of a kernel with all that it calls in place. Compiling more takes minutes: some of
/// LLVM's passes need more than in proportion.
constexpr std::size_t kMostInstructions = 20'000;

}  // namespace

CallGraph::CallGraph(const ir::Module& module, const std::set<u32>& pointed, u32 entry)
    : module_(module), pointed_(pointed), entry_(entry) {
  find(entry);
  std::map<u32, std::set<u32>> reached;
  for (const auto& [id, callees] : calls_) reached[id] = reached_from(id);
  for (const auto& [id, from_here] : reached) {
    if (!from_here.count(id)) continue;
    for (const u32 other : from_here) {
      if (!reached[other].count(id)) continue;
      sccs_[id] = other;  // the lowest number of all of them
      break;
    }
  }
}

/// Functions that the function calls, and those that they call.
void CallGraph::find(u32 id) {
  const auto [place, is_new] = calls_.try_emplace(id);
  if (!is_new) return;
  std::vector<u32> callees;
  const ir::Function& f = module_.functions[id];
  for (const ir::Inst& inst : f.insts) {
    const isa::Form& form = inst.get_form();
    if (form.effects().flow != isa::Flow::call) continue;
    for (u32 i = 0; i < form.operands.size(); ++i) {
      const ir::Operand& one = f.operands[inst.operands.first + i];
      if (form.operands[i].name != "f") continue;
      if (one.kind != ir::OperandKind::function)
        callees.insert(callees.end(), pointed_.begin(), pointed_.end());
      else if (module_.functions[one.id].has_body)
        callees.push_back(one.id);
    }
  }
  place->second = callees;
  for (const u32 callee : callees) find(callee);
}

/// The functions that at least one call leads to.
std::set<u32> CallGraph::reached_from(u32 id) const {
  std::set<u32> reached;
  std::vector<u32> left = calls_.at(id);
  while (!left.empty()) {
    const u32 one = left.back();
    left.pop_back();
    if (!reached.insert(one).second) continue;
    const std::vector<u32>& more = calls_.at(one);
    left.insert(left.end(), more.begin(), more.end());
  }
  return reached;
}

std::optional<u32> CallGraph::scc_of(u32 id) const {
  const auto found = sccs_.find(id);
  return found == sccs_.end() ? std::nullopt : std::optional(found->second);
}

/// The number of instructions of a function with its callees inlined; the functions of an SCC count
/// once. At most one more than the limit.
std::size_t CallGraph::weigh(u32 id, std::map<u32, std::size_t>& known) const {
  const auto scc = scc_of(id);
  const u32 key = scc.value_or(id);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  std::size_t sum = 0;
  for (const auto& [one, callees] : calls_) {
    if (scc ? scc_of(one) != scc : one != id) continue;
    sum += module_.functions[one].insts.size();
    for (const u32 callee : callees) {
      if (scc && scc_of(callee) == scc) continue;
      sum = std::min(sum + weigh(callee, known), kMostInstructions + 1);
    }
  }
  return known[key] = sum;
}

std::string CallGraph::why_not() const {
  for (const auto& [id, callees] : calls_) {
    const ir::Function& f = module_.functions[id];
    if (!f.has_body) return fmt::format("a pointer to '{}', which the system provides", f.name);
    if (f.is_entry && id != entry_) return "a kernel that calls a kernel is not compiled";
    if (f.is_entry && scc_of(id)) return "a kernel that calls itself is not compiled";
  }
  std::map<u32, std::size_t> known;
  if (weigh(entry_, known) > kMostInstructions)
    return fmt::format("more than {} instructions with all functions inlined", kMostInstructions);
  return {};
}

}  // namespace heddle::jit
