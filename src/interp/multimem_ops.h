// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// multimem.ld_reduce, .st and .red (PTX ISA 9.7.9.14), and how other multimem operations reach the
// replicas. Each word is accessed atomically, and at least as strongly as the instruction demands.
#pragma once

#include <algorithm>

#include "interp/op.h"
#include "isa/form.h"
#include "machine/multimem.h"

namespace heddle::interp {

enum class MultimemAccess : u8 { read, write };

/// The replicas at `address`. Traps when there are none, or when the access is not allowed there.
machine::Replicas replicas_at(Warp& warp, u32 lane, u64 address, MultimemAccess access);

/// Calls use(host address, bytes before it, bytes) for all replicas of [address, address + bytes),
/// once for each part of the range whose replicas lie together.
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

// src[0]: place of the addresses; `list` of `count` elements of runtime[0] bytes, together 4, 8 or
// 16.
void multimem_store(Warp& warp, const Op& op);
/// `accumulator`: the type to which sums are rounded at each step. Null: there is no such form.
Handler multimem_load(u8 atomop, isa::Type type, isa::Type accumulator);
void multimem_reduce(Warp& warp, const Op& op);

}  // namespace heddle::interp
