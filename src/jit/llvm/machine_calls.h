// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls to the machine that scalar.h describes, as a table.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace heddle::jit {

struct MachineCall {
  llvm::StringLiteral name;  ///< behind kPrefix, up to the types
  unsigned operands;         ///< at least so many
  bool has_site;             ///< the first one is the number of a Site
};

inline constexpr MachineCall kMachineCalls[] = {
    {"context.i64", 1, false},
    {"context.i32", 1, false},
    {"symbol", 1, false},
    {"local", 1, false},
    {"activation", 0, false},
    {"stack", 0, false},
    {"local.base", 0, false},
    {"tid", 1, false},
    {"lane", 0, false},
    {"param", 1, false},
    {"special", 2, true},
    {"canonical", 1, false},
    {"load", 2, true},
    {"store", 3, true},
    {"atomic", 2, true},
    {"barrier", 2, true},
    {"barrier_arrive", 3, true},
    {"barrier_wait", 3, true},
    {"barrier_cluster_arrive", 1, true},
    {"barrier_cluster_wait", 1, true},
    {"warp_op", 1, true},
    {"warp_barrier", 2, true},
    {"step", 1, true},
    {"wait", 1, true},
    {"system_call", 1, true},
    {"whole", 2, false},
    {"turn", 2, true},
    {"fence", 1, false},
    {"trap", 1, true},
    {"trap_at", 2, true},
    {"region.end", 2, false},
};

/// Null: there is no such call.
const MachineCall* find_machine_call(llvm::StringRef name);

}  // namespace heddle::jit
