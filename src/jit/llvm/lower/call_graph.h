// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions a kernel can reach, and which of them may be called again before they return.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/module.h"

namespace heddle::jit {

class CallGraph {
 public:
  /// `pointed`: functions whose address is taken, by number: a call through a pointer may lead to
  /// each of them.
  CallGraph(const ir::Module& module, const std::set<u32>& pointed, u32 entry);

  /// Why the kernel cannot be compiled with all that it calls; empty: it can.
  std::string why_not() const;
  const std::map<u32, std::vector<u32>>& calls() const { return calls_; }
  /// Functions that may call each other over and over form an SCC, which is named by one of their
  /// numbers; none: it is in none.
  std::optional<u32> scc_of(u32 id) const;

 private:
  void find(u32 id);
  std::set<u32> reached_from(u32 id) const;
  std::size_t weigh(u32 id, std::map<u32, std::size_t>& known) const;

  const ir::Module& module_;
  const std::set<u32>& pointed_;
  const u32 entry_;
  std::map<u32, std::vector<u32>> calls_;  ///< of each function, callees as often as it names them
  std::map<u32, u32> sccs_;
};

}  // namespace heddle::jit
