// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barrier objects in shared memory (PTX ISA 9.7.13.15), for the lanes of a warp one after the
// other. A CTA and its whole cluster run on one host thread, so plain loads and stores are
// indivisible. The CTA implements waiting (cta_wait.cpp).
#pragma once

#include "interp/op.h"
#include "isa/form.h"

namespace heddle::interp {

/// Flags of arrivals.
inline constexpr u8 kDrop = 1, kNoComplete = 2, kExpectTx = 4, kNoIncrement = 8;

// src[0]: host address of the object; src[1]: count or bytes; dst[0]: the state.
void mbarrier_init(Warp& warp, const Op& op);
void mbarrier_inval(Warp& warp, const Op& op);
void mbarrier_expect_tx(Warp& warp, const Op& op);
void mbarrier_complete_tx(Warp& warp, const Op& op);
void mbarrier_arrive(Warp& warp, const Op& op);
void cp_async_mbarrier_arrive(Warp& warp, const Op& op);

/// Flags of Control::mbarrier_wait: src[1] is a parity, not a state; the thread may wait.
inline constexpr u8 kByParity = 1, kMayWait = 2;

/// The object at a host address. Traps when there is none, or when `own` is set and it is another
/// CTA's.
u64 read_mbarrier(Warp& warp, u32 lane, u64 host, bool own);
/// complete-tx, which an asynchronous operation performs when it has completed.
void complete_tx(Warp& warp, u32 lane, u64 host, u32 bytes);
/// One arrival, as asynchronous operations of tensor memory make it when they are done.
void arrive_once(Warp& warp, u32 lane, u64 host);

}  // namespace heddle::interp
