// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// multimem.ld_reduce, .st and .red (PTX ISA 9.7.9.14), and how other multimem operations reach the
// replicas. All accesses are atomic by word and at least as strong as asked for.
#pragma once

#include <algorithm>

#include "interp/op.h"
#include "isa/form.h"
#include "machine/multimem.h"

namespace heddle::interp {

enum class MultimemAccess : u8 { read, write };

/// The replicas at `address`. Traps when there are none, or they may not be accessed in that way.
machine::Replicas replicas_at(Warp& warp, u32 lane, u64 address, MultimemAccess access);

/// Calls use(host address, bytes before it, bytes) for all replicas of [address, address + bytes),
/// in as many pieces as there are parts that differ.
template <class Use>
void on_replicas(Warp& warp, u32 lane, u64 address, u64 bytes, MultimemAccess access, Use use) {
  for (u64 done = 0; done < bytes;) {
    const u64 at = address + done;
    const machine::Replicas replicas = replicas_at(warp, lane, at, access);
    const u64 count = std::min(bytes - done, replicas.addresses.end() - at);
    for (u32 i = 0; i < replicas.count; ++i) {
      use(replicas.base[i] + (at - replicas.addresses.base), done, count);
    }
    done += count;
  }
}

// src[0]: place of the addresses; `list` of `count` elements of runtime[0] bytes: 4, 8 or 16 in
// all.
void multimem_store(Warp& warp, const Op& op);
/// `accumulator`: what sums are rounded to at each step. Null: no such form.
Handler multimem_load(u8 atomop, isa::Type type, isa::Type accumulator);
void multimem_reduce(Warp& warp, const Op& op);

}  // namespace heddle::interp
