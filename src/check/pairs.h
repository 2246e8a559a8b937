// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that need another one in the same kernel: an asynchronous operation that nothing
// waits for, a wait for operations that the kernel does not have (PTX
// ISA 9.7.9.25, 9.7.15.7, 9.7.16.6). Kernels with all functions that they call are looked at, and
// only as a whole: nothing is said of a kernel that calls an unknown function, nor of order.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "diag/report.h"
#include "ir/module.h"

namespace heddle::check {

/// A number of the table of such instructions.
using Paired = u8;
inline constexpr Paired kUnpaired = 0xff;

/// Which of these instructions the opcode with these modifiers is.
Paired find_paired(std::string_view opcode, std::span<const u16> words);

/// What one function has of them.
struct PairedUses {
  u32 present = 0;                             ///< a bit for each of these instructions
  std::vector<std::pair<Paired, Span>> first;  ///< where each stands first
  std::vector<u32> callees;                    ///< numbers of functions
  bool calls_unknown = false;                  ///< through a pointer

  void add(Paired paired, Span span);
};

/// Warns about instructions of kernels without their partner. `uses`: by function.
void report_unpaired(const ir::Module& module, std::span<const PairedUses> uses,
                     diag::Report& report);

}  // namespace heddle::check
