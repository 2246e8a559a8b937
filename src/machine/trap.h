// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's error at run time, precise to instruction and thread. Returned, never thrown; the
// driver maps it once to a CUresult.
#pragma once

#include <optional>
#include <string>

#include "base/types.h"
#include "ir/module.h"
#include "machine/trap_kind.h"

namespace heddle::machine {

struct Dim3 {
  u32 x = 1, y = 1, z = 1;
  constexpr u64 volume() const { return u64{x} * y * z; }
  constexpr bool operator==(const Dim3&) const = default;
};

std::string_view name_of(TrapKind kind);

struct Trap {
  TrapKind kind;
  std::string kernel;       ///< entry that was launched
  std::string function;     ///< function of the instruction
  std::string instruction;  ///< as written or printed
  ir::SourcePoint at;
  std::string file;      ///< PTX file or "<memory>"
  std::string loc_file;  ///< source file of .loc, when there is one
  Dim3 cta{0, 0, 0}, thread{0, 0, 0};
  std::optional<u64> address;
  std::string detail;  ///< one sentence: the nearest allocation, the expected value
};

/// A trap of instruction `inst` of `function` (null: not known), in thread number `thread` of the
/// CTA. Address and detail are the caller's to add.
Trap trap_at(TrapKind kind, const ir::Module& module, ir::FunctionId kernel,
             const ir::Function* function, u32 inst, Dim3 block, Dim3 cta, u32 thread);

class Memory;
/// The allocation that holds or is near an address of device memory; empty: none is near.
std::string describe_address(const Memory& memory, u64 address);

/// Several lines for a person: kind, kernel, PTX line, source line, CTA, thread, address, detail.
std::string describe(const Trap& trap);

}  // namespace heddle::machine
