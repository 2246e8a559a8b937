// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory (PTX ISA 9.7.16.7 to 9.7.16.9, 9.7.16.12). All operations are done when they are
// issued, which the manual allows: until an operation has completed, a program neither changes its
// source nor reads its destination. So fences and waits have nothing to do, and a commit arrives at
// its mbarrier object at once.
#pragma once

#include <string>

#include "interp/op.h"
#include "isa/sem/matrix_descriptor.h"
#include "machine/tensor_memory.h"

namespace heddle::interp {

// Of alloc, dealloc, shift and cp, Op::runtime[0] is 1 with `.cta_group::2`: for both CTAs of the
// pair.

// alloc, dealloc and relinquish are done once for the warp. These, ld and st wait for all threads
// of the warp.

/// src[0]: host addresses of where the allocation's address is stored; src[1]: columns;
/// Op::function.
void tensor_allocate(Warp& warp, const Op& op);
/// src[0]: addresses in tensor memory; src[1]: columns.
void tensor_free(Warp& warp, const Op& op);
void tensor_relinquish(Warp& warp, const Op& op);

// The address in tensor memory is what op.base, src[0] and offset name; that of the first lane
// counts.

/// How ld and st arrange registers: Op::runtime[0] is a sem::TmemShape. runtime[1]: two halves of
/// 16 bits are packed. src[1]: how far the second half of .16x32bx2 is from the first; `list`:
/// `count` registers.
void tensor_load(Warp& warp, const Op& op);
void tensor_store(Warp& warp, const Op& op);
/// ld.red: as tensor_load; dst[0]: the reductions. runtime[2]: a sem::TmemReduction; runtime[3],
/// [4]: sem::Flag of `.abs` and `.NaN`; runtime[5]: the isa::Type.
void tensor_load_reduce(Warp& warp, const Op& op);

// The lanes do the following one after the other.

/// cp: src[1]: matrix descriptors; runtime[1], [2], [3]: sem::TmemCopy, TmemMulticast, TmemSource.
void tensor_copy(Warp& warp, const Op& op);
/// shift.down.
void tensor_shift(Warp& warp, const Op& op);
/// src[0]: host addresses of mbarrier objects; src[1]: CTAs, if flags have kToRanks.
void tensor_commit(Warp& warp, const Op& op);
inline constexpr u8 kToRanks = 1;

/// Traps, with what is wrong with an operation on tensor memory.
[[noreturn]] void refuse_tensor(Warp& warp, u32 lane, std::string detail);
/// The rank of the other CTA of the pair (9.7.16.5.1). Traps if there is none.
u32 peer_of(Warp& warp, u32 lane);
/// Traps unless a matrix descriptor of cp or mma is legal (9.7.16.4.1).
void check_descriptor(Warp& warp, u32 lane, u64 bits, sem::Major major);
/// What is wrong with an address outside of the allocated columns.
std::string describe_missing(machine::TensorAddress at);

}  // namespace heddle::interp
